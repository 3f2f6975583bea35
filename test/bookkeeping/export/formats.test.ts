import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { newSeriesCli, type SeriesCli } from "../../rates/series/cli.ts";

/**
 * EUR/CZK belongs to the ECB, which amended its figure of 2026-03-12; CNB has a figure of it, too.
 */
async function amended(): Promise<SeriesCli> {
  const cli = await newSeriesCli();
  await cli.ecb("2026-03-12", "24.350");
  await cli.ecb("2026-03-12", "24.360");
  await cli.ecb("2026-03-13", "24.400");
  await cli.cnb("2026-03-13", "24.410");
  return cli;
}

const DATES = "--pair EUR/CZK";

/** What each format has of EUR/CZK on both dates: the amended figure and the last one. */
const EXPECTED: Readonly<Record<string, string>> = {
  beancount: "2026-03-12 price EUR 24.360 CZK\n2026-03-13 price EUR 24.400 CZK\n",
  hledger: "P 2026-03-12 EUR 24.360 CZK\nP 2026-03-13 EUR 24.400 CZK\n",
  ledger: "P 2026-03-12 EUR 24.360 CZK\nP 2026-03-13 EUR 24.400 CZK\n",
  "gnucash-csv":
    "Date,Amount,From Namespace,From Symbol,Currency To\n" +
    "2026-03-12,24.360,CURRENCY,EUR,CZK\n2026-03-13,24.400,CURRENCY,EUR,CZK\n",
  "ecb-csv": "Date,CZK,\n2026-03-13,24.400,\n2026-03-12,24.360,\n",
  firefly:
    '{"date":"2026-03-12","from":"EUR","to":"CZK","rate":"24.360"}\n' +
    '{"date":"2026-03-13","from":"EUR","to":"CZK","rate":"24.400"}\n',
  erpnext:
    '{"date":"2026-03-12","from_currency":"EUR","to_currency":"CZK","exchange_rate":24.360,"for_buying":1,"for_selling":1}\n' +
    '{"date":"2026-03-13","from_currency":"EUR","to_currency":"CZK","exchange_rate":24.400,"for_buying":1,"for_selling":1}\n',
  csv:
    "base,quote,rate,as_of,source,kind,date,valid_until\n" +
    "EUR,CZK,24.360,2026-03-12T15:00:00.000000000Z,ecb,middle,2026-03-12,\n" +
    "EUR,CZK,24.400,2026-03-13T15:00:00.000000000Z,ecb,middle,2026-03-13,\n",
  ndjson:
    '{"base":"EUR","quote":"CZK","rate":"24.360","as_of":"2026-03-12T15:00:00.000000000Z","source":"ecb","kind":"middle","date":"2026-03-12","valid_until":null}\n' +
    '{"base":"EUR","quote":"CZK","rate":"24.400","as_of":"2026-03-13T15:00:00.000000000Z","source":"ecb","kind":"middle","date":"2026-03-13","valid_until":null}\n',
};

/** The whole export of a store in which nothing matches: a valid file of each format. */
const EMPTY: Readonly<Record<string, string>> = {
  "gnucash-csv": "Date,Amount,From Namespace,From Symbol,Currency To\n",
  "ecb-csv": "Date,\n",
  csv: "base,quote,rate,as_of,source,kind,date,valid_until\n",
};

const NOTHING =
  "No figure that can be exported matches: kurs rates list BASE QUOTE shows the sources and kinds " +
  "of a pair, kurs rates backfill fetches earlier figures.\n";

suite("kurs rates export", { concurrency: 4 }, () => {
  test("writes of each pair and date its owner's last revision, with every digit", async () => {
    await using cli = await amended();

    for (const [format, expected] of Object.entries(EXPECTED)) {
      assert.equal(await cli.output(`rates export --format ${format} ${DATES}`), expected, format);
    }
    const whole = await cli.output("rates export --format beancount --from 2026-03-13");
    assert.deepEqual(whole.split("\n"), [
      "2026-03-13 price EUR 24.400 CZK",
      "2026-03-13 price EUR 1.1476 USD",
      "2026-03-13 price USD 21.27 CZK",
      "",
    ]);
  });

  test("writes the figures of a source, some pairs and some dates", async () => {
    await using cli = await amended();
    const lines = async (options: string) =>
      (await cli.output(`rates export --format ledger ${options}`)).trimEnd().split("\n");

    assert.deepEqual(await lines("--source cnb"), [
      "P 2026-03-13 EUR 24.410 CZK",
      "P 2026-03-13 USD 21.27 CZK",
    ]);
    assert.deepEqual(await lines("--pair usd/czk --pair EUR/USD --pair EUR/USD --to 2026-03-13"), [
      "P 2026-03-12 EUR 1.1476 USD",
      "P 2026-03-13 EUR 1.1476 USD",
      "P 2026-03-13 USD 21.27 CZK",
    ]);
    await cli.cnb("2026-03-16", "24.5");
    await cli.output("rates own EUR CZK cnb");
    assert.deepEqual(await lines(DATES), [
      "P 2026-03-13 EUR 24.410 CZK",
      "P 2026-03-16 EUR 24.5 CZK",
    ]);
  });

  test("writes the kind that a source's pairs are served with, or the one that is asked for", async () => {
    await using cli = await newSeriesCli();
    await cli.ecb("2026-03-13", "24.400");
    // Of the Central Bank of Brazil the selling figures are served.
    cli.change("UPDATE rates SET source = 'bcb'");
    cli.change("UPDATE figures SET source = 'bcb', kind = 'selling'");
    const prices = "P 2026-03-13 EUR 24.400 CZK\nP 2026-03-13 EUR 1.1476 USD\n";

    assert.equal(await cli.output("rates export --format ledger"), prices);
    assert.equal(await cli.output("rates export --format ledger --source bcb"), prices);
    assert.equal(await cli.output("rates export --format ledger --kind selling"), prices);
    assert.equal((await cli.run("rates export --format ledger --kind middle")).stdout, "");
  });

  test("writes the last of several times of a date", async () => {
    await using cli = await newSeriesCli();
    await cli.import("EUR,ISK,140.1,2026-03-13T09:00:00Z\nEUR,ISK,140.2,2026-03-13T15:00:00Z");

    assert.equal(await cli.output("rates export --format hledger"), "P 2026-03-13 EUR 140.2 ISK\n");
  });

  test("leaves out a held figure and says so", async () => {
    await using cli = await amended();
    await cli.ecb("2026-03-16", "99");

    const { exitCode, stdout, stderr } = await cli.run(`rates export --format ledger ${DATES}`);

    assert.equal(stdout, EXPECTED.ledger);
    assert.deepEqual([exitCode, stderr], [0, "1 held figure was left out: see kurs rates held.\n"]);
    await cli.output("rates release EUR CZK");
    assert.match(await cli.output(`rates export --format ledger ${DATES}`), /\nP .* EUR 99 CZK\n$/);
  });

  test("writes an empty file where nothing matches, and says what to do", async () => {
    await using cli = await amended();

    for (const format of [...Object.keys(EXPECTED), "ecb-xml", "odoo"]) {
      const currency = format === "odoo" ? " --company-currency EUR" : "";
      const ended = await cli.run(`rates export --format ${format}${currency} --source nbp`);
      assert.deepEqual([ended.exitCode, ended.stderr], [0, NOTHING], format);
      if (format !== "ecb-xml") assert.equal(ended.stdout, EMPTY[format] ?? "", format);
      else assert.match(ended.stdout, /<Cube>\n<\/Cube>\n<\/gesmes:Envelope>\n$/);
    }
    const ofOwners = await cli.run("rates export --format ledger --from 2026-03-14");
    assert.match(
      ofOwners.stderr,
      /matches: pass --source for another than each pair's owner; kurs/,
    );
  });

  test("quotes a symbol with a digit, or leaves it out and says so", async () => {
    await using cli = await newSeriesCli();
    await cli.import(
      ["1INCH,USD,0.21", "USD,B3,480.5", "USD,TRUE,1.5", "EUR,USD,1.1476"]
        .map((line) => `${line},2026-03-13T15:00:00Z`)
        .join("\n"),
    );
    const run = (format: string) => cli.run(`rates export --format ${format}`);

    assert.equal(
      (await run("ledger")).stdout,
      'P 2026-03-13 "1INCH" 0.21 USD\nP 2026-03-13 EUR 1.1476 USD\n' +
        'P 2026-03-13 USD 480.5 "B3"\nP 2026-03-13 USD 1.5 TRUE\n',
    );
    const beancount = await run("beancount");
    assert.equal(
      beancount.stdout,
      "2026-03-13 price EUR 1.1476 USD\n2026-03-13 price USD 480.5 B3\n",
    );
    assert.equal(
      beancount.stderr,
      "2 figures were left out: Beancount's names begin with a letter, and are not TRUE, FALSE or NULL.\n",
    );
    const gnucash = await run("gnucash-csv");
    assert.match(gnucash.stdout, /\n2026-03-13,1\.1476,CURRENCY,EUR,USD\n$/);
    assert.equal(
      gnucash.stderr,
      "3 figures were left out: GnuCash imports prices of the currencies in ISO 4217.\n",
    );
  });

  test("gives Odoo bodies of one pair, in the direction of the company's currency", async () => {
    await using cli = await amended();
    const longer = ["EUR,USDT,1.1480", "USDT,EUR,0.8711"]; // No symbols of Odoo.
    await cli.import(longer.map((line) => `${line},2026-03-13T15:00:00Z`).join("\n"));
    const bodies = async (currency: string) => {
      const ended = await cli.run(`rates export --format odoo --company-currency ${currency}`);
      const lines = ended.stdout.split("\n").slice(0, -1);
      return { stderr: ended.stderr, bodies: lines.map((line) => JSON.parse(line)) };
    };

    const ofEuro = await bodies("EUR");
    assert.deepEqual(ofEuro.bodies[0], {
      fields: ["id", "name", "currency_id", "company_rate"],
      data: [
        ["kurs_eur_czk_2026_03_12", "2026-03-12", "CZK", "24.360"],
        ["kurs_eur_czk_2026_03_13", "2026-03-13", "CZK", "24.400"],
      ],
    });
    assert.equal(ofEuro.bodies.length, 2);
    assert.match(
      ofEuro.stderr,
      /^3 figures were left out: Odoo has rates of the company's currency/,
    );

    const ofCrown = await bodies("czk");
    assert.deepEqual(ofCrown.bodies[1], {
      fields: ["id", "name", "currency_id", "inverse_company_rate"],
      data: [["kurs_usd_czk_2026_03_13", "2026-03-13", "USD", "21.27"]],
    });
    const last = ["kurs_eur_czk_2026_03_13", "2026-03-13", "EUR", "24.400"];
    assert.deepEqual(ofCrown.bodies[0].data[1], last);
  });

  test("tells a wrong use what to write instead", async () => {
    await using cli = await newSeriesCli();
    const uses: readonly (readonly [string, RegExp])[] = [
      ["", /--format is missing: pass one of beancount, hledger, .*, ndjson$/m],
      ["--format qif", /Allowed choices are beancount, hledger,/],
      ["--format csv --pair EURUSD", /--pair "EURUSD": must be two symbols such as EUR\/USD$/m],
      ["--format csv --pair EUR/EUR", /--pair "EUR\/EUR": must be two symbols/],
      ["--format csv --from 13.3.2026", /--from "13\.3\.2026": must be a date of the publisher/],
      ["--format csv --from 2026-03-13 --to 2026-03-12", /--from 2026-03-13 is after --to/],
      ["--format csv --kind mid", /Allowed choices are middle, buying, selling/],
      ["--format ecb-csv --pair USD/CZK", /--pair USD\/CZK: ecb-csv has figures of 1 EUR only: /],
      ["--format odoo", /--format odoo: pass --company-currency and the currency of the company/],
      ["--format odoo --company-currency E", /--company-currency "E": must be 2 to 10 letters/],
      ["--format csv --company-currency EUR", /--company-currency is for --format odoo/],
    ];
    for (const [options, message] of uses) {
      const { exitCode, stdout, stderr } = await cli.run(`rates export ${options}`.trim());
      assert.deepEqual([exitCode, stdout], [2, ""], options);
      assert.match(stderr, message, options);
    }
  });
});
