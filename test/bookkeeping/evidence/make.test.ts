import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { after, test } from "node:test";
import { bodiesOf } from "../../rates/sources/publishers/recorded.ts";
import { newEvidenceCli } from "./cli.ts";

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

const hasAll = (lines: readonly unknown[], wanted: readonly RegExp[]) => {
  const text = lines.join("\n");
  for (const pattern of wanted) assert.match(text, pattern);
};

/** The ECB's archive: two days, and a day between them that it does not have. */
const ARCHIVE = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<Cube>
<Cube time="2025-03-14"><Cube currency="USD" rate="1.0889"/></Cube>
<Cube time="2025-03-12"><Cube currency="USD" rate="1.0912"/></Cube>
</Cube></gesmes:Envelope>`;

/** With a document of the ECB, which no test changes; other stores are of one test. */
const cli = await newEvidenceCli();
after(() => cli[Symbol.asyncDispose]());
await cli.fetch("ecb");

test("the evidence of a figure has its document, the line in it, its rule and its publisher", async () => {
  const [document = Buffer.of()] = bodiesOf("ecb");

  const command = "EUR USD 2026-03-15 --source ecb --rule on-or-before";
  const { stdout, text, json } = await cli.made(command, {});

  const lineText = "<Cube currency='USD' rate='1.1476'/>";
  const place = { document: 1, line: 9, column: 31, figure: "1.1476", text: lineText };
  const format = { format: "kurs-evidence", version: 1, signing_key: null, signature: null };
  const figure = { base: "EUR", quote: "USD", rate: "1.1476", kind: "middle", source: "ecb" };
  const asked = {
    asked: "2026-03-15",
    rule: "on-or-before",
    counted_from: "2026-03-15",
    preset: null,
  };
  const dates = { published_for: "2026-03-13", valid_until: null };
  assert.partialDeepStrictEqual(json, { ...format, ...figure, ...asked, ...dates, place });
  const [stored = {}, ...others] = json.documents;
  assert.deepEqual(others, []);
  assert.deepEqual([stored.sha256, stored.bytes], [sha256(document), document.length]);
  assert.deepEqual(Buffer.from(String(stored.content_base64), "base64"), document);
  assert.match(text, /^ {4}"name": "European Central Bank",$/m);
  assert.match(stdout, /out\.json: 1 EUR = 1\.1476 USD, middle figure of ecb for 2026-03-13/);
  assert.match(stdout, /^not signed: set SIGNING_KEY_FILE/m);

  const [exitCode, ...lines] = await cli.verified("");
  assert.equal(exitCode, 3);
  hasAll(lines, [
    /^holds +the parser of ecb reads 1 EUR = 1\.1476 USD \(middle\) for 2026-03-13 from/m,
    /^holds +line 9, column 31 of document 1 states it: 1\.1476$/m,
    /^holds +by its calendar ecb published nothing for 2026-03-14 to 2026-03-15$/m,
    /^not proven +not signed: the file could have been changed by anyone who has it/m,
    /^not checked +sent 2\S+, fetched 2\S+, stored 2\S+ as revision 1, written here 2\S+ by Kurs /m,
  ]);
});

test("the evidence has every document of a publication, and names the one with the figure, and its table", async () => {
  await using cli = await newEvidenceCli();
  await cli.fetch("nbp");

  const first = await cli.made("USD PLN 2026-03-16 --as pl-vat");
  assert.equal(first.json.place.document, 1);
  assert.match(
    first.text,
    /^ {4}"law": "Ustawa o podatku od towarów i usług, Article 31a\(1\)",$/m,
  );
  hasAll(await cli.verified(), [/^holds +the preset pl-vat is the one of this Kurs: Ustawa/m]);
  assert.equal(first.json.place.table, "050/A/NBP/2026");
  for (const command of ["for USD PLN 2026-03-16 --as pl-vat", "trace USD PLN --source nbp"]) {
    assert.match(await cli.output(`rates ${command}`), /^table +050\/A\/NBP\/2026$/m);
    const { origin } = JSON.parse(await cli.output(`rates ${command} --json`));
    assert.equal(origin.table, "050/A/NBP/2026");
  }

  const second = await cli.made("PAB PLN 2026-03-13 --source nbp --rule before");
  assert.equal(second.json.place.document, 2);
  assert.deepEqual(
    second.json.documents.map((one) => one.sha256),
    bodiesOf("nbp").map(sha256),
  );
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 0);
  hasAll(lines, [
    /^holds +line 7, column 62 of document 2 states it: 3\.6770, in the table 010\/B\/NBP\/2026$/m,
  ]);
});

test("a document in windows-1254 is shown in its own letters", async () => {
  await using cli = await newEvidenceCli();
  // With each currency in one line, so that its Turkish name is in the line of the figure.
  const [recorded = Buffer.of()] = bodiesOf("tcmb");
  const document = Buffer.from(recorded)
    .toString("latin1")
    .replaceAll(/\n {8}/g, "");
  await cli.fetch("tcmb", [Buffer.from(document, "latin1")]);

  const { json } = await cli.made("DKK TRY 2016-03-15 --source tcmb --rule on --html @page.html");
  assert.match(String(json.place.text), /DANİMARKA KRONU/);
  assert.match(readFileSync(cli.file("page.html"), "utf8"), /DANİMARKA KRONU/);
  assert.equal((await cli.verified())[0], 0);
  const traced = await cli.output("rates trace DKK TRY --source tcmb");
  assert.match(traced, /DANİMARKA KRONU.*0\.42878/);
});

test("evidence that would not hold is not written", async () => {
  await using cli = await newEvidenceCli();
  await cli.fetch("hmrc");
  cli.change("UPDATE figures SET valid_until = '2026-09-30'");
  const why = await cli.unmade("GBP AED 2026-09-16 --as uk-vat");
  assert.match(
    why,
    /^kurs: no evidence: the parser of hmrc does not read .* until 2026-09-30 from/,
  );
});

test("a daily table is evidence also where it was fetched as soon as it was written, the day before", async () => {
  await using cli = await newEvidenceCli();
  cli.clock.set("2026-07-24T05:01:00.000Z");
  await cli.fetch("bazg");
  cli.clock.set("2026-08-20T16:00:00.000Z");
  const { json } = await cli.made("EUR CHF 2026-07-25 --as ch-vat-daily");
  assert.deepEqual([json.published_for, json.valid_until], ["2026-07-25", "2026-07-27"]);
  assert.equal((await cli.verified())[0], 0);
});

test("an archive without a date that its calendar has proves nothing of that date", async () => {
  await using cli = await newEvidenceCli();
  await cli.archive("ecb", ARCHIVE);
  const { json, stdout } = await cli.made("EUR USD 2025-03-13 --source ecb --rule on-or-before");
  assert.equal(json.published_for, "2025-03-12");
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 3);
  // A Thursday: by its calendar the ECB published.
  const none =
    /not proven:? +the document has dates before and after 2025-03-13, and none between, /m;
  hasAll(lines, [none]);
  hasAll([stdout], [none]);
});

test("accepted gaps are in the evidence by their dates, and no other may be open", async () => {
  const command = "EUR USD 2026-03-17 --source ecb --rule on-or-before";
  assert.match(await cli.unmade(command), /not known:.*2026-03-16/);

  const { json, text } = await cli.made(`${command} --accept-gaps`);
  assert.deepEqual(json.accepted_gaps, ["2026-03-16", "2026-03-17"]);
  hasAll(await cli.verified(), [
    /^not proven +the operator took 2026-03-16, 2026-03-17 as closed; by its calendar ecb published nothing else for /m,
  ]);

  await cli.write("out.json", text.replace('    "2026-03-16",\n', ""));
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 1);
  hasAll(lines, [/^FAILS +by its calendar ecb published for 2026-03-16, which is nearer$/m]);
});

test("the evidence of an import has the file only if the operator gives it", async () => {
  await using cli = await newEvidenceCli();
  const content = "base,quote,rate,as_of\nEUR,GBP,0.84,2026-03-01T00:00:00Z\n";
  const file = await cli.write("averages.csv", content);
  assert.equal((await cli.run(`rates import ${file} --source averages`)).exitCode, 0);

  const without = await cli.made("EUR GBP 2026-03-20 --source import:averages --rule month");
  assert.deepEqual(without.json.place, {
    document: 1,
    line: 2,
    column: null,
    figure: null,
    text: null,
  });
  assert.equal(without.json.documents[0]?.content_base64, null);
  assert.equal(without.json.publisher, null);
  hasAll(await cli.verified(), [
    /^not proven +document 1, .*averages\.csv: its bytes are not in the file, only their SHA-256/m,
    /^not proven +whether the document states the figure: it is not in the file$/m,
  ]);

  const given = await cli.made(
    `EUR GBP 2026-03-20 --source import:averages --rule month --document ${file}`,
  );
  assert.equal(given.json.place.text, "EUR,GBP,0.84,2026-03-01T00:00:00Z");
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 3);
  hasAll(lines, [
    /^holds +line 2 of the imported file states 1 EUR = 0\.84 GBP for 2026-03-01 as of 2026-03-01T/m,
    /^not proven +whose figures these are: the operator has imported the file/m,
  ]);

  await cli.write("averages.csv", "base,quote,rate,as_of\nEUR,GBP,0.85,2026-03-01T00:00:00Z\n");
  const other = await cli.unmade(
    `EUR GBP 2026-03-20 --source import:averages --rule month --document ${file}`,
  );
  assert.match(other, /averages\.csv is not the imported file: its SHA-256 is [0-9a-f]{64}/);
});

test("--without-document leaves out the bytes, and the rest can be checked", async () => {
  const command = "EUR USD 2026-03-13 --source ecb --rule on --without-document";
  const { json } = await cli.made(command);
  assert.equal(json.documents[0]?.content_base64, null);
  assert.equal(json.place.line, 9);
  const [exitCode, ...lines] = await cli.verified();
  assert.equal(exitCode, 3);
  hasAll(lines, [/^not proven +whether the document/m, /^holds +all of it is signed by the key/m]);
});

test("a figure whose document is lost or damaged has no evidence", async () => {
  await using cli = await newEvidenceCli();
  await cli.fetch("ecb");
  const command = "EUR USD 2026-03-13 --source ecb --rule on";
  cli.change("UPDATE documents SET content = x'28b52ffd'");
  assert.match(await cli.unmade(command), /^kurs: no evidence: the document cannot be read: /);
  cli.change("DELETE FROM publication_documents");
  assert.match(await cli.unmade(command), /^kurs: no evidence: the record of its document is mis/);
});

test("an existing file stays without --force, and a failed write leaves none behind", async () => {
  const rule = "rates evidence EUR USD 2026-03-13 --source ecb --rule on";
  await cli.write("kept.json", "kept");
  const rejected = await cli.run(`${rule} --out @new.json --html @kept.json`);
  assert.deepEqual([rejected.exitCode, rejected.stdout], [1, ""]);
  assert.match(rejected.stderr, /kept\.json exists: pass --force to replace it/);
  assert.equal(readFileSync(cli.file("kept.json"), "utf8"), "kept");
  assert.ok(!existsSync(cli.file("new.json")));

  await mkdir(cli.file("folder"));
  const nowhere = await cli.run(`${rule} --out @new.json --html @missing/page.html`);
  assert.match(nowhere.stderr, /cannot write .*missing\/page\.html: its directory does not exist/);
  const directory = await cli.run(`${rule} --out @folder`);
  assert.match(directory.stderr, /--out: .*folder is no file: name a new one/);
  assert.deepEqual(
    readdirSync(cli.file("")).filter((name) => /new|part/.test(name)),
    [],
  );

  const replaced = await cli.run(`${rule} --out @kept.json --force`);
  assert.equal(replaced.exitCode, 0);
  assert.match(readFileSync(cli.file("kept.json"), "utf8"), /^\{\n {2}"format": "kurs-evidence"/);
});

test("one file is not named twice, also where it is written otherwise", async () => {
  await cli.write("rates.csv", "kept");
  const rule = "rates evidence EUR USD 2026-03-13 --source ecb --rule on --force";
  const names = readdirSync(cli.file(""));
  for (const [options, named] of [
    ["--out @x.json --html @./x.json", "--out and --html"],
    ["--out @./x.json --ubl @x.json", "--out and --ubl"],
    ["--out @rates.csv --document @./rates.csv", "--out and --document"],
    ["--out @x.json --html @rates.csv --document @rates.csv", "--html and --document"],
  ] as const) {
    const ended = await cli.run(`${rule} ${options}`);
    assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
    assert.match(ended.stderr, new RegExp(`${named} are both .*: name two files`));
  }
  assert.deepEqual(readdirSync(cli.file("")), names);
  assert.equal(readFileSync(cli.file("rates.csv"), "utf8"), "kept");
});

for (const [command, message] of [
  ["rates evidence", /pass --source and --rule, or --as: --source is missing/],
  ["rates evidence --as pl-vat --out x", /pass BASE QUOTE DATE, such as EUR PLN 2026-03-16/],
  ["rates evidence EUR PLN 2026-03-16 --as pl-vat", /--out is missing: name the file to write/],
  ["rates evidence EUR PLN 2026-03-16 --as xx --out x", /--as "xx": must be one of au-gst/],
  [
    "rates evidence EUR PLN today --as pl-vat --out x",
    /date "today": must be a date of the publisher/,
  ],
  ["rates evidence EUR PLN 2026-03-16 --as pl-vat --out - --ubl -", /are both -: name two files/],
  [
    "rates evidence EUR PLN 2026-03-16 --as pl-vat --out x --document y --without-document",
    /--document and --without-document exclude each other/,
  ],
  ["rates evidence verify", /missing required argument 'file'/],
  ["rates evidence verify x --jwks y --key z", /--jwks and --key exclude each other: pass one/],
] as const) {
  test(`kurs ${command} is wrong use`, async () => {
    const ended = await cli.run(command);
    assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
    assert.match(ended.stderr, message);
  });
}

test("a stored document is not taken from a file, and an unknown figure has no evidence", async () => {
  const rule = "2026-03-13 --source ecb --rule on";
  const stored = await cli.unmade(`EUR USD ${rule} --document @x`, 2);
  assert.match(stored, /--document is for an imported file/);
  assert.match(await cli.unmade(`EUR CHF ${rule}`), /^kurs: .*EUR\/CHF/);
});
