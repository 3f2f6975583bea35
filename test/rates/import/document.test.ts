import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newRateCli } from "../../support/rate-cli.ts";

/**
 * A slice of the ministry's uu-kurse-2025-csv.csv in its own encoding, as the tests of a public
 * bookkeeping program have it (bmf-import.spec.ts): points between groups of digits, codes without
 * a space before them and one with a space behind it, a suspended currency and a footnote.
 */
const RECORDED = readFileSync(join(import.meta.dirname, "../sources/publishers/fixtures/bmf.csv"));

async function newStore() {
  const cli = await newRateCli();
  cli.clock.set("2026-10-01T12:00:00.000Z");
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(cli.directory, name);
    writeFileSync(path, content);
    return path;
  };
  return { ...cli, write };
}

test("the ministry's own file is stored with every average, as a publisher's document", async () => {
  await using cli = await newStore();
  const file = cli.write("uu-kurse-2025-csv.csv", RECORDED);
  const command = `rates import ${file} --document --source bmf`;

  assert.match(
    await cli.output(`${command} --dry-run`),
    /^states 84 figures, .*nothing was stored/,
  );
  assert.equal(await cli.output(command), "stored 84, unchanged 0, held 0, rejected 0\n");
  assert.equal(await cli.output(command), "stored 0, unchanged 84, held 0, rejected 0\n");

  for (const [pair = "", date = "", figure] of [
    ["EUR USD", "2025-01-31", "1.0354"],
    ["EUR KRW", "2025-09-30", "1634.39"],
    ["EUR ISK", "2025-07-01", "142.39"],
    ["EUR IDR", "2025-01-15", "16832.40"],
    ["EUR RON", "2025-12-31", "5.0913"],
  ]) {
    const json = JSON.parse(await cli.output(`rates for ${pair} ${date} --as de-vat --json`));
    assert.deepEqual([json.rate, json.source], [figure, "bmf"], pair);
    assert.match(JSON.stringify(json.origin), /"uu-kurse-2025-csv\.csv"/);
    assert.equal(json.origin.fetched_at, null);
    assert.ok(json.origin.line > 2);
  }
  for (const [asked, message] of [
    ["EUR USD 2024-12-31", /for 2024-12: kurs rates import FILE --document --source bmf,/m],
    [
      "EUR USD 2126-03-31",
      /^kurs: not known yet: .* for 2126-03-01 is due at 2126-04-01T10:00:00Z$/m,
    ],
  ] as const) {
    assert.match(await cli.failure(`rates for ${asked} --as de-vat`), message);
  }
  // Averages are no rates of a day: nothing of them is served, and no server fetches them.
  assert.match(await cli.output("rates list EUR USD"), /^bmf .* 1\.1709 .*$(?<!served)/m);
  await cli.output("rates verify");
  const unknown = await cli.run("rates fetch bmf");
  assert.match(unknown.stderr, /unknown source bmf/);
});

test("a month to come is blank, and an amended average is the next revision", async () => {
  await using cli = await newStore();
  const part = (text: string) => Buffer.from(text, "latin1");
  const recorded = RECORDED.toString("latin1");
  const soFar = recorded.replace(/(USA;1 Euro;(?:[^;]*;){10})[^;]*;[^\r]*/, "$1;");
  await cli.output(`rates import ${cli.write("a.csv", part(soFar))} --document --source bmf`);
  const missing = await cli.failure("rates for EUR USD 2025-12-01 --as de-vat");
  assert.match(missing, /bmf has no table of EUR\/USD that is valid on 2025-12-01/);

  const amended = recorded.replace("1,0354 USD", "1,0355 USD");
  await cli.output(`rates import ${cli.write("b.csv", part(amended))} --document --source bmf`);
  const text = await cli.output("rates for EUR USD 2025-01-01 --as de-vat");
  assert.match(text, /^EUR\/USD 1\.0355 [\s\S]*amended: this is revision 2$/m);
});

test("another file, or another layout, is no document of the ministry: nothing is stored", async () => {
  await using cli = await newStore();
  const recorded = RECORDED.toString("latin1");
  const notMonths = "the layout has changed: its columns are not Währung, Januar, Februar …";
  for (const [content, reason] of [
    ["<!DOCTYPE html><title>Radware Captcha</title>", "it is an HTML page"],
    ["base,quote,rate,as_of\nEUR,USD,1.1,2025-01-01\n", "the title has no year"],
    [recorded.replace("kurse 2025 ", "kurse "), "the title has no year"],
    [recorded.replace("Januar[1];Februar [2]", "Februar [2];Januar[1]"), notMonths],
    [recorded.replace("Land;Währung".replace("ä", "\u00e4"), "Land;Einheit"), notMonths],
  ] as const) {
    const file = cli.write("other.csv", Buffer.from(content, "latin1"));
    const message = await cli.failure(`rates import ${file} --document --source bmf`);
    assert.match(
      message,
      /^kurs: \S+other\.csv is no document of bmf \(Federal Ministry of Finance\)/,
    );
    assert.ok(message.includes(reason), message);
  }
  // What is not as known in a row is rejected by name, and the others are stored.
  const odd = recorded
    .replace("1 Euro;1,0354", "100 Euro;1,0354")
    .replace("0,83908 GBP", "0,83908");
  const file = cli.write("odd.csv", Buffer.from(odd, "latin1"));
  const ended = await cli.run(`rates import ${file} --document --source bmf`);
  assert.deepEqual(
    [ended.exitCode, ended.stdout],
    [1, "stored 71, unchanged 0, held 0, rejected 2\n"],
  );
  assert.match(ended.stderr, /"USA" has not the average of each month for 1 Euro/);
  assert.match(ended.stderr, /"0,83908" is no average such as 1,0354 USD/);
});

test("two averages of one currency and month are held, not chosen", async () => {
  await using cli = await newStore();
  const twice = RECORDED.toString("latin1").replace(
    "Russland1;1 Euro;;",
    "Ecuador;1 Euro;1,0355 USD;",
  );
  const file = cli.write("twice.csv", Buffer.from(twice, "latin1"));
  const ended = await cli.run(`rates import ${file} --document --source bmf`);
  assert.deepEqual(
    [ended.exitCode, ended.stdout],
    [1, "stored 83, unchanged 0, held 2, rejected 0\n"],
  );
  const missing = await cli.failure("rates for EUR USD 2025-01-31 --as de-vat");
  assert.match(missing, /EUR\/USD/);
});

test("wrong use ends with one sentence", async () => {
  await using cli = await newStore();
  const file = cli.write("uu-kurse-2025-csv.csv", RECORDED);
  for (const [options, message] of [
    ["--document", '--document: --source "" must be one of bmf (Federal Ministry of Finance)'],
    ["--document --source ecb", '--document: --source "ecb" must be one of bmf'],
    ["--source bmf", "--source bmf is a publisher: pass its own file with --document"],
  ]) {
    const ended = await cli.run(`rates import ${file} ${options}`);
    assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
    assert.ok(ended.stderr.startsWith(`kurs: ${message}`), ended.stderr);
  }
});
