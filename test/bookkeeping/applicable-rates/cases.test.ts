import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { kurs } from "../../support/command-line.ts";
import { newRateStore, recorded } from "./store.ts";

// Each figure is the one that the publisher's recorded document states for the date that the law
// names; the laws are quoted in src/bookkeeping/applicable-rates/presets.ts.

let store: Awaited<ReturnType<typeof newRateStore>>;

before(async () => {
  store = await newRateStore();
  for (const [source, name] of [
    ["ecb", "ecb-2019-12.xml"],
    ["ecb", "ecb-2020-01.xml"],
    ["ecb", "ecb-2026-03.xml"],
    ["nbp", "nbp-2023-11.json.txt"],
    ["nbp", "nbp-2023-12.json.txt"],
    ["cnb", "cnb-2026-04.json.txt"],
    ["hmrc", "hmrc.csv"],
    ["bazg", "bazg.xml"],
    ["bazg-monthly", "bazg-monthly.xml"],
    ["ust", "ust.json.txt"],
    ["bnr", "bnr.xml"],
    ["mnb", "mnb.xml"],
    ["boc", "boc.json.txt"],
    ["rba", "rba.csv"],
    ["sfc", "sfc.json.txt"],
    ["nbkr", "nbkr-weekly.xml"],
  ] as const) {
    await store.archive(source, recorded(name));
  }
  const file = join(store.directory, "uu-kurse-2025-csv.csv");
  writeFileSync(file, recorded("bmf.csv"));
  const args = ["rates", "import", file, "--document", "--source", "bmf"];
  const imported = await kurs(args, { dataDirectory: store.dataDirectory });
  assert.equal(imported.exitCode, 0, imported.stderr);
});

after(() => store[Symbol.asyncDispose]());

const cases: readonly (readonly [
  preset: string,
  pair: string,
  date: string,
  figure: string,
  publishedFor: string,
  why: string,
])[] = [
  ["pl-vat", "USD PLN", "2023-11-08", "4.1667", "2023-11-07", "the working day before"],
  ["pl-vat", "USD PLN", "2023-11-13", "4.1423", "2023-11-10", "over a weekend with a holiday"],
  ["pl-vat", "USD PLN", "2023-11-12", "4.1423", "2023-11-10", "a Sunday"],
  ["pl-vat", "USD PLN", "2023-12-27", "3.9338", "2023-12-22", "over Christmas"],
  ["pl-vat", "USD PLN", "2024-01-02", "3.9350", "2023-12-29", "over the New Year and a year's end"],
  ["pl-vat", "USD PLN", "2024-01-08", "3.9850", "2024-01-05", "over Epiphany on a Saturday"],
  ["de-vat", "EUR USD", "2025-03-01", "1.0807", "2025-03-01", "the first day of a month"],
  ["de-vat", "EUR USD", "2025-03-31", "1.0807", "2025-03-01", "the last day of a month"],
  ["de-vat", "EUR USD", "2025-04-01", "1.1214", "2025-04-01", "the first day of the next"],
  ["uk-vat", "GBP EUR", "2026-08-01", "1.1719", "2026-08-01", "the first day of a table"],
  ["uk-vat", "GBP EUR", "2026-08-31", "1.1719", "2026-08-01", "the last day of a table"],
  ["ch-vat", "EUR CHF", "2026-08-15", "0.9328", "2026-08-01", "the month's average"],
  ["ch-vat-daily", "EUR CHF", "2026-07-25", "0.93883", "2026-07-25", "a Saturday"],
  ["ch-vat-daily", "EUR CHF", "2026-07-27", "0.93883", "2026-07-25", "valid on Monday, too"],
  ["cz-vat", "EUR CZK", "2026-03-31", "24.515", "2026-03-31", "the last day of a month"],
  ["cz-vat", "EUR CZK", "2026-03-29", "24.545", "2026-03-27", "a Sunday: the rate of Friday"],
  ["cz-vat", "EUR CZK", "2026-04-03", "24.540", "2026-04-02", "Good Friday"],
  ["cz-vat", "EUR CZK", "2026-04-06", "24.540", "2026-04-02", "Easter Monday"],
  ["eu-vat", "EUR USD", "2019-12-25", "1.108", "2019-12-24", "a holiday of TARGET"],
  ["eu-vat", "EUR USD", "2019-12-29", "1.1153", "2019-12-27", "a Sunday"],
  ["eu-vat", "EUR USD", "2020-01-01", "1.1234", "2019-12-31", "the New Year"],
  ["eu-oss", "EUR USD", "2019-11-07", "1.1234", "2019-12-31", "the last day of the quarter"],
  ["eu-ioss", "EUR USD", "2026-02-10", "1.1698", "2026-03-02", "a month that ends on a Saturday"],
  ["eu-vat", "EUR USD", "2020-01-22", "1.1088", "2020-01-22", "from 16:00 on"],
  ["eu-vat-before-16", "EUR USD", "2020-01-22", "1.1115", "2020-01-21", "before 16:00"],
  ["eu-customs", "EUR USD", "2020-02-01", "1.1088", "2020-01-22", "the month's first day"],
  ["eu-customs", "EUR USD", "2020-02-29", "1.1088", "2020-01-22", "five Wednesdays before it"],
  ["pl-vat-ecb", "EUR PLN", "2020-01-23", "4.2378", "2020-01-22", "the day before"],
  ["pl-vat-invoice", "USD PLN", "2023-12-27", "3.9338", "2023-12-22", "the invoice's date"],
  ["cz-vat-ecb", "EUR CZK", "2020-01-22", "25.136", "2020-01-22", "the day itself"],
  ["ro-vat", "EUR RON", "2026-03-16", "5.0947", "2026-03-13", "communicated on Friday"],
  ["hu-vat", "EUR HUF", "2025-03-28", "402.61", "2025-03-28", "the day itself"],
  ["ca-gst", "USD CAD", "2026-03-14", "1.3706", "2026-03-13", "a Saturday"],
  ["au-gst", "AUD USD", "2026-03-21", "0.7088", "2026-03-20", "a Saturday"],
  ["us-fbar", "USD EUR", "2025-07-04", "0.851", "2025-12-31", "the last day of the year"],
];

suite("the figure that a law names", { concurrency: 4 }, () => {
  for (const [preset, pair, date, figure, publishedFor, why] of cases) {
    test(`${preset} ${pair} ${date} is ${figure} of ${publishedFor}: ${why}`, async () => {
      const json = JSON.parse(
        await store.output(`rates for ${pair} ${date} --as ${preset} --json`),
      );

      assert.deepEqual(
        [json.rate, json.date, json.asked, json.preset.name],
        [figure, publishedFor, date, preset],
      );
      assert.deepEqual(json.accepted_gaps, []);
      const { line, kind } = json.origin;
      assert.ok(line > 0, kind);
      // Its evidence is verified before it is written.
      const evidence = `rates evidence ${pair} ${date} --as ${preset} --out -`;
      assert.equal(JSON.parse(await store.output(evidence)).counted_from, json.counted_from);
    });
  }

  // TRM is valid from vigenciadesde to vigenciahasta, the weekly table for as many days as ValidFor.
  for (const [asked, rule, figure, until] of [
    ["sfc USD COP 2026-03-22", "on", "3704.87", "2026-03-24"],
    ["sfc USD COP 2026-03-22", "on-or-before", "3704.87", "2026-03-24"],
    ["sfc USD COP 2026-03-24", "on-or-next", "3704.87", "2026-03-24"],
    ["sfc USD COP 2026-03-25", "before", "3704.87", "2026-03-24"],
    ["sfc USD COP 2026-03-21", "before", "3692.48", "2026-03-20"],
    ["nbkr GBP KGS 2026-05-24", "on-or-before", "117.4147", "2026-05-29"],
    ["nbkr GBP KGS 2026-05-29", "on", "117.4147", "2026-05-29"],
    ["nbkr JPY KGS 2026-05-29", "on-or-next", "0.54969", "2026-05-29"],
    ["hmrc GBP EUR 2026-08-31", "on-or-next", "1.1719", "2026-08-31"],
  ] as const) {
    test(`${asked} ${rule} is the figure within whose validity the date lies`, async () => {
      const [source, ...pairAndDate] = asked.split(" ");
      const command = `${pairAndDate.join(" ")} --source ${source} --rule ${rule}`;
      const json = JSON.parse(await store.output(`rates for ${command} --json`));

      assert.deepEqual([json.rate, json.valid_until], [figure, until]);
      assert.deepEqual([json.accepted_gaps, json.is_calendar_known], [[], true]);
      const evidence = JSON.parse(await store.output(`rates evidence ${command} --out -`));
      assert.equal(evidence.valid_until, until);
    });
  }

  test("no figure is named after the last day of its validity without the next one", async () => {
    for (const asked of ["USD COP 2026-03-25 --source sfc", "GBP KGS 2026-05-30 --source nbkr"]) {
      const message = await store.failure(`rates for ${asked} --rule on-or-before`);
      assert.match(message, /^not known: (sfc was due to|nbkr may have) publish/);
    }
  });

  test("two currencies that a source has only with a third need two figures", async () => {
    const message = await store.failure("rates for USD CZK 2020-01-22 --as cz-vat-ecb");
    assert.equal(message, "ecb leads from USD to CZK by two figures, through EUR: ask for each");
  });

  test("an amended figure counts as the publisher last stated it, and the output says so", async () => {
    await using own = await newRateStore();
    await own.archive("hmrc", recorded("hmrc.csv"));
    const amended = recorded("hmrc.csv").toString().replace("1.1719", "1.1801");
    await own.archive("hmrc", Buffer.from(amended));

    const text = await own.output("rates for GBP EUR 2026-08-31 --as uk-vat");

    assert.match(text, /^GBP\/EUR 1\.1801 for 2026-08-31\n/);
    assert.match(
      text,
      /^published {2}for 2026-08-01, valid until 2026-08-31; amended: this is revision 2$/m,
    );
  });
});
