import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newEvidenceCli } from "../../test/bookkeeping/evidence/cli.ts";
import { newKeyPem } from "../../test/support/signatures.ts";
import { isInstalled } from "./installed.ts";

const DOCUMENT = join(import.meta.dirname, "../../docs/operating/evidence.md");

/** The script that the document has for people without Kurs. */
const SCRIPT = /```sh\n(#!\/bin\/sh\n[^`]+)```/.exec(readFileSync(DOCUMENT, "utf8"))?.[1] ?? "";

/** A signed evidence file, the operator's key set, and the document's script. */
async function newFiles(command: string, documents: string) {
  const cli = await newEvidenceCli();
  await cli.fetch(documents);
  const { text, json } = await cli.made(command);
  writeFileSync(cli.file("verify.sh"), SCRIPT);
  writeFileSync(cli.file("jwks.json"), JSON.stringify({ keys: [json.signing_key?.jwk] }));
  const script = (content: string) => {
    writeFileSync(cli.file("changed.json"), content);
    const files = [cli.file("changed.json"), cli.file("jwks.json")];
    const ended = spawnSync("sh", [cli.file("verify.sh"), ...files], { encoding: "utf8" });
    return { exitCode: ended.status, lines: (ended.stdout + ended.stderr).trimEnd().split("\n") };
  };
  return { ...{ cli, text, json, script }, [Symbol.asyncDispose]: cli[Symbol.asyncDispose] };
}

const ECB = "EUR USD 2026-03-15 --source ecb --rule on-or-before";

for (const [what, command, source, ...first] of [
  [
    "of a day without a figure",
    ECB,
    "ecb",
    "1 EUR = 1.1476 USD for 2026-03-15: signed so",
    "Left to compare: that this part of the document is the pair's, with its units; the rule with",
    "the dates 2026-03-15 and 2026-03-13; the document with the publisher's:",
    "\t\t\t<Cube currency='USD' rate='1.1476'/>",
  ],
  [
    "with the second of several documents",
    "PAB PLN 2026-03-12 --as pl-vat",
    "nbp",
    "1 PAB = 3.6770 PLN for 2026-03-12: signed so",
  ],
  [
    "with a comma",
    "USD RUB 2026-03-14 --source cbr --rule on",
    "cbr",
    "1 USD = 79.4500 RUB for 2026-03-14: signed so",
  ],
  [
    "with a hundred units",
    "JPY TRY 2016-03-15 --source tcmb --rule on",
    "tcmb",
    "1 JPY = 0.025472 TRY for 2016-03-15: signed so",
  ],
] as const) {
  test(`OpenSSL, sha256sum and base64 alone verify a signed file ${what}`, async () => {
    await using files = await newFiles(command, source);
    const { exitCode, lines } = files.script(files.text);
    assert.equal(exitCode, 0, lines.join("\n"));
    assert.deepEqual(lines.slice(0, first.length), first);
  });
}

test("it finds a changed byte, and another key", async () => {
  await using files = await newFiles(ECB, "ecb");
  const { cli, text, script } = files;
  for (const [from, to, message] of [
    ['"rate": "1.1476"', '"rate": "1.1477"', "FAILS: the rate is not the figure"],
    ['"content_base64": "PD94', '"content_base64": "PD95', "FAILS: a document has another SHA-256"],
    ['"line": 9', '"line": 8', "FAILS: the line does not state the figure"],
    ['"by": "Kurs', '"by": "Kurz', "FAILS: the signature is not one of this file"],
  ] as const) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text);
    const { exitCode, lines } = script(changed);
    assert.equal(exitCode, 1);
    assert.ok(lines[0]?.startsWith(message), lines.join("\n"));
  }

  const other = cli.file("other.pem");
  writeFileSync(other, newKeyPem());
  const made = await cli.made("EUR USD 2026-03-13 --source ecb --rule on", {
    SIGNING_KEY_FILE: other,
  });
  const { exitCode, lines } = script(made.text);
  assert.equal(exitCode, 1);
  assert.match(lines.join(), /^FAILS: the key is not in .*jwks\.json$/);
});

test("xmllint finds the UBL fragment valid by the schema", async (t) => {
  if (!isInstalled(t, "xmllint", "libxml2-utils")) return;
  await using cli = await newEvidenceCli();
  await cli.fetch("nbp");
  await cli.made("USD PLN 2026-03-16 --as pl-vat --ubl @rate.xml");
  const text = readFileSync(cli.file("rate.xml"), "utf8");
  const schema = join(
    import.meta.dirname,
    "../../test/bookkeeping/evidence/fixtures/ubl-2.1-exchange-rate-cac.xsd",
  );
  const validate = (path: string) =>
    spawnSync("xmllint", ["--nonet", "--noout", "--schema", schema, path], { encoding: "utf8" });
  const { status, stderr } = validate(cli.file("rate.xml"));
  assert.equal(status, 0, stderr);
  await cli.write("wrong.xml", text.replaceAll("CalculationRate", "Rate"));
  assert.notEqual(validate(cli.file("wrong.xml")).status, 0);
});
