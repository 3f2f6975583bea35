import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { parseAmount } from "../../../src/bookkeeping/applicable-rates/amount.ts";
import { newRateStore, recorded } from "./store.ts";

let store: Awaited<ReturnType<typeof newRateStore>>;

before(async () => {
  store = await newRateStore();
  await store.archive("ecb", recorded("ecb-2026-03.xml"));
  await store.archive("nbp", recorded("nbp-2023-12.json.txt"));
});

after(() => store[Symbol.asyncDispose]());

/** Writes a list and runs `kurs rates for` on it. */
async function runFor(lines: readonly string[], options: string) {
  const file = join(store.directory, `${crypto.randomUUID()}.csv`);
  writeFileSync(file, lines.join("\r\n"));
  return await store.run(`rates for --file ${file} ${options}`.trimEnd());
}

async function rowsOf(lines: readonly string[], options: string) {
  const ended = await runFor(lines, `--json ${options}`);
  return JSON.parse(ended.stdout) as readonly Readonly<Record<string, unknown>>[];
}

/** As German accounting programs export it: semicolons, own names, German dates and numbers. */
const EXPORT = [
  "Beleg;Betrag;Belegdatum;Währung;Text",
  'RE-17;"1.234,56";02.03.2026;USD;"Wartung; März"',
  "RE-18;-100,00;3.3.2026;USD;Gutschrift",
  "RE-19;250,00;04.03.2026;EUR;=1+1",
  "RE-20;;04.03.2026;PLN;",
];
const GERMAN = "--columns date=Belegdatum,currency=Währung,amount=Betrag";

test("the tax's own currency has the rate 1 by definition, alone as in a list", async () => {
  for (const options of ["--as eu-vat", "--source ecb --rule on"]) {
    assert.equal(
      await store.output(`rates for EUR EUR 2026-03-02 ${options}`),
      "EUR/EUR 1 for 2026-03-02, by definition: no publisher states it\n",
    );
    const json = JSON.parse(await store.output(`rates for EUR EUR 2026-03-02 ${options} --json`));
    assert.deepEqual([json.rate, json.source, json.origin], ["1", null, null]);
  }
  assert.match(
    await store.failure("rates for EUR EUR 2026-03-02 --as pl-vat", 2),
    /^EUR\/EUR has no figure for pl-vat: nbp states figures with the quote PLN, such as EUR PLN$/,
  );
  assert.equal(
    await store.failure("rates evidence EUR EUR 2026-03-02 --as eu-vat --out -"),
    "EUR/EUR is 1 by definition: no publisher states it",
  );
});

suite("a list as an accountant has it", { concurrency: 4 }, () => {
  test("is converted to the tax's currency, its other columns carried through, for Excel", async () => {
    const { exitCode, stdout, stderr } = await runFor(
      EXPORT,
      `--as eu-vat ${GERMAN} --format excel`,
    );

    assert.deepEqual([exitCode, stderr], [0, ""]);
    const [head = "", ...rows] = stdout
      .replace(/^\uFEFF/, "")
      .trimEnd()
      .split("\n");
    assert.notEqual(head, stdout.split("\n")[0], "Excel reads UTF-8 after a byte order mark alone");
    const names = head.split(";");
    const cells = rows.map((row) =>
      ["rate", "published_for", "amount", "converted", "Beleg", "operation"].map(
        (name) => row.replace(/"[^"]*"/g, "quoted").split(";")[names.indexOf(name)],
      ),
    );
    assert.deepEqual(cells, [
      ["1,1698", "2026-03-02", "1234,56", "1055,36", "RE-17", "divide"],
      ["1,1606", "2026-03-03", "-100,00", "-86,16", "RE-18", "divide"],
      ["1", "", "250,00", "250,00", "RE-19", "multiply"],
      ["4,2588", "2026-03-04", "", "", "RE-20", "divide"],
    ]);
    assert.match(rows[0] ?? "", /;"Wartung; März"$/);
    // A formula in a text of the list does not become one of Kurs's output.
    assert.match(rows[2] ?? "", /;'=1\+1$/);
  });

  test("has a preset for each line, and any order of columns", async () => {
    const rows = await rowsOf(
      [
        "amount,preset,quote,rate,base,date",
        "100,pl-vat,PLN,own,USD,2023-12-27",
        "100,,USD,own,EUR,2026-03-04",
        "100,nowhere,USD,own,EUR,2026-03-04",
      ],
      "--source ecb --rule on",
    );

    const found = rows.map((row) => [row.preset, row.rate, row.converted, row.converted_currency]);
    assert.deepEqual(found, [
      ["pl-vat", "3.9338", "393.38", "PLN"],
      [null, "1.1649", "116.49", "USD"],
      [null, null, null, null],
    ]);
    assert.deepEqual(rows[0]?.others, { rate: "own" });
    assert.match(String(rows[2]?.error), /^--as "nowhere": must be one of /);
  });

  test("is rounded as it says", async () => {
    const half = ["date,currency,amount", "2023-12-27,USD,12.5"]; // 12.5 × 3.9338 = 49.1725
    for (const [options = "", converted] of [
      ["", "49.17"],
      ["--scale 3", "49.173"],
      ["--scale 3 --rounding half-even", "49.172"],
      ["--scale 0 --rounding up", "50"],
      ["--scale 1 --rounding down", "49.1"],
    ]) {
      const [row] = await rowsOf(half, `--as pl-vat ${options}`.trimEnd());
      assert.equal(row?.converted, converted, options);
      const [, rounding = "half-up"] = /--rounding (\S+)/.exec(options) ?? [];
      assert.deepEqual([row?.rounding, row?.currency, row?.into], [rounding, "USD", undefined]);
    }
    const credit = ["date,currency,amount", "2023-12-27,USD,-0.001", "2023-12-27,USD,-0.002"];
    const credited = await rowsOf(credit, "--as pl-vat");
    assert.deepEqual(
      credited.map((row) => row.converted),
      ["0.00", "-0.01"],
    );
    const table = await runFor(half, "--as pl-vat");
    assert.match(table.stdout, /RATE +AMOUNT +CONVERTED, 2 places half-up +PUBLISHED FOR/);
    assert.match(table.stdout, /USD\/PLN +3\.9338 +12\.5 USD +49\.17 PLN +2023-12-22/);
  });

  test("rejects what would be guesswork, line by line", async () => {
    const rows = await rowsOf(
      [
        "date,currency,amount",
        "2026-03-04,USD,1.234",
        "03/04/2026,USD,1",
        "2026-03-04,USD,1 USD",
        "2026-03-04,USD",
        "31.02.2026,USD,1",
      ],
      "--as eu-vat",
    );
    assert.deepEqual(
      rows.map(({ error, rate, converted }) => [error, rate, converted]),
      [
        ['amount "1.234" may mean two amounts: write 1234 or 1.2340', null, null],
        ['date "03/04/2026": must be a date such as 2026-03-13 or 13.03.2026', null, null],
        ['amount "1 USD" must be a number such as 1234.56 or -1.234,56', null, null],
        ["the line has 2 cells, the header 3", null, null],
        ['date "31.02.2026": there is no such day', null, null],
      ],
    );
    const [other] = await rowsOf(["date,base,quote", "2026-03-04,EUR,EUR"], "--as pl-vat");
    assert.match(String(other?.error), /^EUR\/EUR has no figure for pl-vat/);
    const [, between] = await rowsOf(
      ["date,currency", "2026-03-04,EUR", "2026-03-04,USD"],
      "--as eu-vat --into JPY",
    );
    assert.equal(
      between?.error,
      "ecb leads from USD to JPY by two figures, through EUR: ask for each",
    );
  });

  test("without the columns that count is a failure with one sentence, and nothing else", async () => {
    const columns =
      "the first line must name the columns date and currency, or date, base and quote";
    for (const [header, options, message] of [
      ["Datum;Betrag", "", `${columns}: rename them, or pass --columns "date=Belegdatum"`],
      ["date;Betrag", "", `${columns}: rename them, or pass --columns "date=Belegdatum"`],
      ["date;currency;date", "", 'the header has the column "date" twice: rename one'],
      [
        "date;currency",
        " --columns date=Tag",
        'the first line has no column "Tag": check --columns',
      ],
      [
        "date;base;quote;currency",
        "",
        "the list has base, quote and currency: rename currency, or the others",
      ],
    ] as const) {
      const ended = await runFor([header, "2026-03-04;USD"], `--as eu-vat${options}`);
      const { exitCode, stdout, stderr } = ended;
      assert.deepEqual([exitCode, stdout, stderr], [1, "", `kurs: ${message}\n`]);
    }
    const noRule = await runFor(["date;currency", "2026-03-04;USD"], "--format csv");
    assert.deepEqual([noRule.exitCode, noRule.stdout], [2, ""]);
  });
});

test("an amount is read as spreadsheets write it, and an ambiguous one not at all", () => {
  const read = (text: string) => {
    const amount = parseAmount(text);
    return "reason" in amount ? undefined : (amount.isNegative ? "-" : "") + amount.value;
  };
  for (const [text = "", amount] of [
    ["1234.5", "1234.5"],
    ["1.234,56", "1234.56"],
    ["1,234.56", "1234.56"],
    ["1 234,56", "1234.56"],
    ["1\u00a0234\u00a0567", "1234567"],
    ["1'234.50", "1234.50"],
    ["1.234.567", "1234567"],
    ["-0,00", "0.00"],
    ["\u221212", "-12"],
    ["007", "7"],
    ["0.123", "0.123"],
    ["1234.567", "1234.567"],
  ]) {
    assert.equal(read(text), amount, text);
  }
  for (const text of [
    "1.234",
    "-12,345",
    "",
    "1e5",
    "+1",
    "1,23,456.00",
    "1.234,567,8",
    "(5)",
    ".",
  ]) {
    assert.equal(read(text), undefined, text);
  }
});
