import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../../harness/archives.ts";
import { newSeriesCli } from "../../rates/series/cli.ts";
import { publisherOf } from "../../rates/sources/publishers/recorded.ts";
import { temporaryDirectory } from "../../support/process.ts";

const FIGURES = madeUpFigures(targetDays("2024-01-02", "2026-03-13"), ofEuro).filter(
  // The currencies of the ECB change: here is one that ends, one that begins, and one with a gap.
  ({ quote, date }) =>
    !(quote === "BGN" && date > "2025-12-31") &&
    !(quote === "ISK" && date < "2025-03-01") &&
    !(quote === "TRY" && date.startsWith("2025")),
);

/** The lines of figures, in an order of their own. */
const sorted = (figures: readonly { date?: string; quote: string; rate: string }[]) =>
  figures.map(({ date, quote, rate }) => `${date} ${quote} ${rate}`).sort();

/** With the ECB's archive, which no test changes. */
const cli = await newSeriesCli();
after(() => cli[Symbol.asyncDispose]());
await cli.archive("ecb", ecbHistory(FIGURES));

test("the ECB's own parser reads an export of its XML, digit for digit", async () => {
  const xml = await cli.output("rates export --format ecb-xml --source ecb");

  const lines = publisherOf("ecb").parse([{ address: "", body: Buffer.from(xml), receivedMs: 0 }]);
  const parsed = (lines ?? []).map((line) => {
    assert.ok(!("reason" in line));
    assert.equal(line.base, "EUR");
    return line;
  });
  assert.deepEqual(
    sorted(parsed.map(({ date, asOf, ...rest }) => ({ date: date ?? asOf.slice(0, 10), ...rest }))),
    sorted(FIGURES),
  );
  const dates = [...xml.matchAll(/time="([0-9-]+)"/g)].map(([, date]) => date);
  assert.deepEqual(dates, dates.toSorted().reverse());
});

test("an import of an export in the ECB's XML stores the same figures", async () => {
  await using directory = await temporaryDirectory();
  await using other = await newSeriesCli();
  const file = join(directory.path, "eurofxref-hist.xml");
  const pair = "--pair EUR/USD --pair EUR/ISK";
  await writeFile(file, await cli.output(`rates export --format ecb-xml --source ecb ${pair}`));

  const imported = await other.run(`rates import ${file} --source copy`, {
    env: { RATE_MAX_JUMP: "9" },
  });

  assert.match(imported.stdout, /^stored [0-9]+ .*rejected 0\n$/);
  const csv = (source: string) => `rates export --format ecb-csv --source ${source} ${pair}`;
  assert.equal(await other.output(csv("import:copy")), await cli.output(csv("ecb")));
});

test("an export in the ECB's CSV has its figures by date and currency, and N/A for none", async () => {
  const csv = await cli.output("rates export --format ecb-csv --source ecb");

  const [header = "", ...rows] = csv.trimEnd().split("\n");
  const [date, ...quotes] = header.split(",");
  assert.deepEqual([date, quotes.at(-1)], ["Date", ""]);
  const cells = rows.flatMap((row) => {
    const [day = "", ...rates] = row.split(",");
    assert.equal(rates.length, quotes.length);
    return quotes
      .slice(0, -1)
      .map((quote, index) => ({ date: day, quote, rate: rates[index] ?? "" }));
  });
  assert.deepEqual(sorted(cells.filter(({ rate }) => rate !== "N/A")), sorted(FIGURES));
  assert.ok(cells.some(({ rate }) => rate === "N/A"));
  const dates = rows.map((row) => row.slice(0, 10));
  assert.deepEqual(dates, [...new Set(dates)].toSorted().reverse());
});

test("an export in the ECB's layout leaves out other bases and says so", async () => {
  await using cli = await newSeriesCli();
  await cli.ecb("2026-03-13", "24.400");
  await cli.cnb("2026-03-13", "24.410");

  const { exitCode, stdout, stderr } = await cli.run("rates export --format ecb-csv");

  assert.deepEqual([exitCode, stdout], [0, "Date,CZK,USD,\n2026-03-13,24.400,1.1476,\n"]);
  assert.equal(stderr, "1 pair was left out: this layout has figures of 1 EUR only.\n");
});

test("an export in the ECB's layouts has no date outside of --from and --to", async () => {
  for (const [dates, from, to] of [
    ["--from 2026-03-03 --to 2026-03-05", "2026-03-03", "2026-03-05"],
    ["--from 2026-03-05", "2026-03-05", "2026-03-13"],
    ["--to 2024-01-04", "2024-01-02", "2024-01-04"],
  ] as const) {
    for (const format of ["ecb-csv", "ecb-xml"]) {
      const text = await cli.output(`rates export --format ${format} --source ecb ${dates}`);
      const found = [...text.matchAll(/(?<=^|time=")20[0-9-]{8}/gm)].map(([date]) => date);
      assert.deepEqual(found, targetDays(from, to).toReversed(), `${format} ${dates}`);
    }
  }
});
