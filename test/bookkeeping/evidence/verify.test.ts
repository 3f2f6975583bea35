import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, suite, test } from "node:test";
import { Draws } from "../../support/random.ts";
import { newKeyPem } from "../../support/signatures.ts";
import { newEvidenceCli } from "./cli.ts";

const COMMAND = "EUR USD 2026-03-15 --source ecb --rule on-or-before";

/** Evidence from the ECB that no test changes: one file signed, the other not. */
const cli = await newEvidenceCli();
after(() => cli[Symbol.asyncDispose]());
await cli.fetch("ecb");
const unsigned = await cli.made(COMMAND, {});
const signed = await cli.made(COMMAND);
const { text, json } = signed;
await cli.write("signed.json", text);
await cli.write("unsigned.json", unsigned.text);

/** Verifies a changed file. @returns its lines that fail. */
async function failures(content: string | Uint8Array): Promise<string[]> {
  await cli.write("changed.json", content);
  const [exitCode, ...lines] = await cli.verified("", "changed.json");
  const failed = lines.filter((line) => line.startsWith("FAILS"));
  assert.equal(exitCode, failed.length === 0 ? 3 : 1);
  return failed.map((line) => line.replace(/^FAILS +/, ""));
}

/** Replaces a text that must be there. */
function replaced(text: string, from: string, to: string): string {
  const changed = text.replace(from, () => to);
  assert.notEqual(changed, text, `no ${from}`);
  return changed;
}

const CHANGED = /the signature is not one of this file: it was changed after it was signed/;

suite("a changed evidence file fails", () => {
  for (const [what, from, to, message] of [
    ["the figure", '"rate": "1.1476"', '"rate": "1.1477"', /does not read 1 EUR = 1\.1477 USD/],
    ["the base", '"base": "EUR"', '"base": "CHF"', /does not read 1 CHF = 1\.1476 USD/],
    ["the kind", '"kind": "middle"', '"kind": "buying"', /does not read .* \(buying\) for/],
    ["its date", 'ed_for": "2026-03-13', 'ed_for": "2026-03-12', /for 2026-03-12/],
    ["its time", "13T15:00:00.000", "13T15:00:01.000", /does not read 1 EUR/],
    ["the validity", '"valid_until": null', '"valid_until": "2026-03-20"', /until 2026-03-20/],
    ["the line", '"line": 9', '"line": 8', /line 9, column 31 of document 1 states it, and/],
    ["the column", '"column": 31', '"column": 30', /line 9, column 31 of document 1 states it/],
    ["the text", "<Cube currency='USD'", "<Cube currency='USX'", /names another place or text/],
    ["the rule", '"rule": "on-or-before"', '"rule": "before"', /the rule before means the last/],
    ["the words", "the last figure before it", "the last figure after it", /the rule on-or-before/],
    ["the asked date", '"asked": "2026-03-15"', '"asked": "2026-03-14"', /counts from 2026-03-14/],
    ["its count", 'ed_from": "2026-03-15', 'ed_from": "2026-03-16', /not from 2026-03-16/],
    ["a gap", '"accepted_gaps": []', '"accepted_gaps": [\n    "2026-03-19"\n  ]', /gap 2026-03-19/],
    ["the SHA-256", '"sha256": "4', '"sha256": "5', /have the SHA-256 48c5f338[0-9a-f]+, not 58c5/],
    ["the size", '"bytes": 538', '"bytes": 539', /it has 538 bytes, not 539/],
    ["the document", '_base64": "PD94', '_base64": "PD95', /its bytes have the SHA-256/],
    ["its name", '"name": "https://www.ecb', '"name": "https://own.ecb', /is no address of ecb/],
    ["the terms", "Free to reuse", "Free to abuse", CHANGED],
    ["the maker's version", '"by": "Kurs ', '"by": "Kurs 9', CHANGED],
    ["the maker", '"by": "Kurs', '"by": "Kurz', /\/made\/by is not as in version 1/],
    ["the publication", 'tion_source": "ecb"', 'tion_source": "cnb"', /of cnb has no/],
    ["the key", '"x": "', '"x": "A', /the members of signing_key are not those of one key/],
    ["the key's id", '"kid": "', '"kid": "A', /the members of signing_key are not those of one/],
    ["the note on the key", "Anyone can make", "Nobody can make", /signing_key are not those of/],
    ["the format's version", '"version": 1', '"version": 2', /its version is 2: this Kurs reads 1/],
    ["the format", "kurs-evidence", "kurs-avidence", /it has no "format": "kurs-evidence"/],
    ["a space", '  "version"', '   "version"', /its bytes are not in the form that Kurs writes/],
    ["a further member", '"version": 1,', '"version": 1,\n  "more": 1,', /not as in version 1/],
    ["a member twice", '  "rate": ', '  "rate": "9.9",\n  "rate": ', /not in the form that Kurs/],
    ["an escape", '"source": "ecb"', '"source": "\\u0065cb"', /not in the form that Kurs writes/],
    ["an impossible date", 'asked": "2026-03-15', 'asked": "2026-02-30', /\/asked is not as in/],
  ] as const) {
    test(`where ${what} is another`, async () => {
      const failed = await failures(replaced(text, from, to));
      assert.match(failed.join("\n"), message);
      // What can still be read as evidence is also no longer what was signed.
      if (!/no evidence file|signing_key/.test(failed.join())) assert.match(failed.join(), CHANGED);
    });
  }

  test("where a signature of another file is in it, or none", async () => {
    const other = await cli.made("EUR JPY 2026-03-13 --source ecb --rule on");
    const swapped = replaced(text, String(json.signature), String(other.json.signature));
    assert.match((await failures(swapped)).join(), CHANGED);
    const removed = replaced(text, `"${json.signature}"`, "null");
    assert.match((await failures(removed)).join(), /a key without a signature/);
  });

  test("where its signature is genuine but names another key", async () => {
    const encoded = (content: string | Uint8Array) => Buffer.from(content).toString("base64url");
    const covered = text.slice(0, text.lastIndexOf('  "signature": '));
    const key = createPrivateKey(readFileSync(cli.file("signing-key.pem")));
    const signedFor = (kid: string) => {
      const header = encoded(JSON.stringify({ alg: "EdDSA", kid }));
      const signature = sign(null, Buffer.from(`${header}.${encoded(covered)}`), key);
      return text.replace(String(json.signature), `${header}..${encoded(signature)}`);
    };
    assert.deepEqual(await failures(signedFor(String(json.signing_key?.kid))), []);
    assert.match((await failures(signedFor("another"))).join(), CHANGED);
  });

  test("where any byte of a signed file with its document is another", async () => {
    const bytes = Buffer.from(text);
    const random = new Draws(20_260_313);
    const places = Array.from({ length: 60 }, () => random.below(bytes.length));
    // All of the signature's last characters: base64url ignores bits of the last one.
    places.push(...Array.from({ length: 8 }, (_, index) => bytes.length - 1 - index));
    for (const place of places) {
      const changed = Uint8Array.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ (1 << random.below(8));
      const failed = await failures(changed);
      assert.ok(failed.length > 0, `byte ${place} of ${bytes.length} is not noticed`);
    }
  });

  test("where its dates are of a year that no calendar reaches", async () => {
    const { text } = unsigned;
    for (const [asked, published] of [
      ["9999-12-31", "2026-03-13"],
      ["9999-12-31", "9999-12-31"],
      ["2026-03-15", "9999-12-31"],
    ] as const) {
      const late = text
        .replace('"asked": "2026-03-15"', `"asked": "${asked}"`)
        .replace('"counted_from": "2026-03-15"', `"counted_from": "${asked}"`)
        .replace('"published_for": "2026-03-13"', `"published_for": "${published}"`);
      const failed = await failures(late);
      assert.ok(failed.includes("9999-12-31 is after 2199-12-31, the last date of the rules"));
    }
  });

  test("where bits are set that base64 ignores", async () => {
    /** The last character with its lowest bit set, which no byte of what is encoded has. */
    const withBit = (encoded: string) => {
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
      return encoded.replace(/\w(?==*$)/, (last) => alphabet[alphabet.indexOf(last) + 1] ?? "");
    };
    const [signature = ""] = String(json.signature).split(".").slice(-1);
    const content = String(json.documents[0]?.content_base64);
    for (const encoded of [signature, content]) {
      const bytes = Buffer.from(encoded, "base64url");
      assert.deepEqual(Buffer.from(withBit(encoded), "base64url"), bytes);
    }
    const ofSignature = await failures(replaced(text, signature, withBit(signature)));
    assert.match(ofSignature.join(), CHANGED);
    const ofContent = await failures(replaced(text, content, withBit(content)));
    assert.match(ofContent.join(), /content_base64 is not base64 as Kurs writes it/);
  });

  test("where it was cut, or something follows", async () => {
    for (const changed of [
      text.slice(0, -1),
      text.slice(0, 900),
      `${text}\n`,
      `\uFEFF${text}`,
      "",
    ]) {
      assert.equal((await failures(changed)).length, 1);
    }
  });
});

test("the line of verify says that an unsigned file, its document too, could have been changed", async () => {
  const { text } = unsigned;
  const [, ...lines] = await cli.verified("", "unsigned.json");
  assert.ok(
    lines.some((line) =>
      /^not proven +not signed: the file could have been changed by anyone who has it, its doc/.test(
        line,
      ),
    ),
  );
  // Nothing in the document contradicts that, so nothing fails.
  assert.deepEqual(await failures(replaced(text, '"by": "Kurs ', '"by": "Kurs 9')), []);
  // The document does contradict this.
  assert.equal((await failures(replaced(text, '"1.1476"', '"1.1477"'))).length, 1);
});

test("a preset or terms that this version words otherwise are not proven", async () => {
  await cli.fetch("nbp");
  const { text } = await cli.made("USD PLN 2026-03-16 --as pl-vat", {});
  const other = replaced(replaced(text, "Article 31a(1)", "Article 31b(1)"), "apply;", "rule;");
  assert.deepEqual(await failures(other), []);
  const [, ...lines] = await cli.verified("", "changed.json");
  assert.match(
    lines.join("\n"),
    /^not proven +the preset pl-vat: no version of Kurs has had a preset with this text$/m,
  );
  assert.match(
    lines.join("\n"),
    /^not proven +the publisher's name and terms: no version of Kurs has had these of nbp$/m,
  );
  const named = '"purpose": "Polish VAT",\n    "source": ';
  const rule = replaced(text, `${named}"nbp"`, `${named}"ecb"`);
  const currency = replaced(text, '"quote": "PLN",\n    "law"', '"quote": "CZK",\n    "law"');
  for (const changed of [rule, currency]) {
    assert.match((await failures(changed)).join(), /the preset pl-vat names another source, rule/);
  }
});

suite("the key of an evidence file", () => {
  test("is compared with a key set, or with a key in PEM", async () => {
    const privatePem = readFileSync(cli.file("signing-key.pem"), "utf8");
    const pemOf = (pem: string) =>
      createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
    const jwks = { keys: [{ ...json.signing_key?.jwk, kid: json.signing_key?.kid }] };
    await cli.write("jwks.json", JSON.stringify(jwks));
    await cli.write("own.pem", pemOf(privatePem));
    await cli.write("other.pem", pemOf(newKeyPem()));
    await cli.write("private.pem", privatePem);
    await cli.write("long.json", " ".repeat(1024 * 1024 + 1));

    for (const options of [" --jwks @jwks.json", " --key @own.pem"]) {
      const [exitCode, ...lines] = await cli.verified(options, "signed.json");
      assert.equal(exitCode, 0);
      assert.match(lines.join("\n"), /^holds +the key \S+ is in .*(?:jwks\.json|own\.pem)$/m);
      assert.match(String(lines.at(-1)), /^holds: left to compare is the document with/);
    }
    const [exitCode, ...lines] = await cli.verified(" --key @other.pem", "signed.json");
    assert.equal(exitCode, 1);
    assert.match(lines.join("\n"), /^FAILS +the key \S+ is not in .*other\.pem: another person/m);
    for (const [option, message] of [
      ["--key @private.pem", /private\.pem has no key of Ed25519: it must be a public key in PEM/],
      ["--jwks @own.pem", /own\.pem has no key of Ed25519: it must be a JSON Web Key Set/],
      ["--jwks @long.json", /long\.json has more than 1 MiB: it is not read/],
      ["--jwks @none", /cannot read .*none: no such file/],
    ] as const) {
      const ended = await cli.runElsewhere(`rates evidence verify @signed.json ${option}`);
      assert.deepEqual([ended.exitCode, ended.stdout], [1, ""]);
      assert.match(ended.stderr, message);
    }
  });

  test("must be there where one is passed", async () => {
    await cli.write("jwks.json", '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}');
    const [exitCode, ...lines] = await cli.verified(" --jwks @jwks.json", "unsigned.json");
    assert.equal(exitCode, 1);
    assert.match(lines.join("\n"), /^FAILS +it is not signed, neither by a key in .*jwks\.json$/m);
  });
});

test("a file of a source that this version does not know is not proven", async () => {
  const unknown = unsigned.text.replaceAll('source": "ecb"', 'source": "xyz"');
  assert.deepEqual(await failures(unknown), []);
  const [, ...lines] = await cli.verified("", "changed.json");
  assert.match(lines.join("\n"), /^not proven +what xyz states: this Kurs cannot read its docu/m);
});

test("--json has each check with its result, and needs neither a store nor valid settings", async () => {
  const env = { PORT: "none", DATA_DIR: cli.file("nowhere") };
  const ended = await cli.runElsewhere("rates evidence verify @signed.json --json", env);
  assert.deepEqual([ended.exitCode, ended.stderr], [3, ""]);
  const { verdict, holds, checks } = JSON.parse(ended.stdout);
  assert.deepEqual([verdict, holds], ["not proven", false]);
  const results = checks.map(({ result }: { result: string }) => result);
  assert.deepEqual([...new Set(results)], ["holds", "not proven"]);
});
