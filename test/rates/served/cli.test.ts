import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { newRateCli } from "../../support/rate-cli.ts";

const HEADER = "base,quote,rate,as_of\n";
const TIME = "2020-01-02T15:00:00Z";
const STORED_TIME = "2020-01-02T15:00:00.000000000Z";

async function newCli() {
  const cli = await newRateCli();
  return {
    ...cli,
    importText: (input: string, option = "") => cli.run(`rates import -${option}`, { input }),
    /** Every stored rate as `EUR/USD 1.10`. */
    async stored(): Promise<readonly string[]> {
      const rates: readonly Readonly<Record<string, string>>[] = JSON.parse(
        await cli.output("rates list --json"),
      );
      return rates.map(({ base, quote, rate }) => `${base}/${quote} ${rate}`);
    },
  };
}

suite("rates", { concurrency: 4 }, () => {
  test("the valid lines of a file or of stdin are stored, and the invalid ones reported", async () => {
    const text = [
      "quote,as_of,rate,base,note",
      `USD,${TIME},1.10,EUR,good`,
      `USD,${TIME},-1,EUR,negative`,
      `USD,yesterday,1.1,EUR,no time`,
      `USD,${TIME},1.1`,
      `"JPY",${TIME},1.21e2,eur,"an exponent, quoted"`,
    ].join("\r\n");
    for (const isFile of [true, false]) {
      await using cli = await newCli();
      const file = join(cli.directory, "rates.csv");
      await writeFile(file, text);

      const ended = await (isFile ? cli.run(`rates import ${file}`) : cli.importText(text));

      const counts = "stored 2, unchanged 0, held 0, rejected 3\n";
      assert.deepEqual([ended.exitCode, ended.stdout], [1, counts]);
      assert.deepEqual(ended.stderr.split("\n"), [
        'line 3: rate "-1" is not above zero',
        'line 4: as_of "yesterday" is not an RFC 3339 time such as 2026-03-13T15:00:00Z',
        "line 5: the line has 3 fields, the header 5",
        "",
      ]);
      assert.deepEqual(await cli.stored(), ["EUR/JPY 121", "EUR/USD 1.10"]);
    }
  });

  test("a stored rate whose symbol is on no list gets one warning per symbol, and exit code 0", async () => {
    await using cli = await newCli();
    const lines = [
      `EUR,USF,1.10,${TIME}`, // meant USD
      `usf,eur,0.91,${TIME}`,
      `XAU,DEM,5000,${TIME}`,
      `BTC,USDT,64000.5,${TIME}`,
      `EURO,EUX,1,${TIME}`,
    ];

    const { exitCode, stdout, stderr } = await cli.importText(`${HEADER}${lines.join("\n")}\n`);

    assert.deepEqual([exitCode, stdout], [0, "stored 5, unchanged 0, held 0, rejected 0\n"]);
    assert.deepEqual(stderr.split("\n"), [
      "warning: USF is on no list of currencies (line 2): stored as given",
      "warning: DEM ended on 1999-01-01: 1 EUR is 1.95583 DEM by Council Regulation (EC) No 2866/98 " +
        "(line 4): stored as given, and not served",
      "warning: EURO is on no list of currencies (line 6): stored as given",
      "warning: EUX is on no list of currencies (line 6): stored as given",
      "",
    ]);
    assert.deepEqual(await cli.stored(), [
      "BTC/USDT 64000.5",
      "EUR/USF 1.10",
      "EURO/EUX 1",
      "USF/EUR 0.91",
    ]);

    // What is not stored gets none.
    const rejected = `USX,USD,-1,${TIME}\nEUR,USF,110,2020-01-03T15:00:00Z\n`;
    const none = await cli.importText(HEADER + rejected);
    const counts = "stored 0, unchanged 0, held 1, rejected 1\n";
    assert.deepEqual([none.exitCode, none.stdout], [1, counts]);
    assert.doesNotMatch(none.stderr, /warning/);
  });

  test("with --json the counts are JSON; 20 unknown symbols are named, the other rates counted", async () => {
    await using cli = await newCli();
    const lines = Array.from({ length: 1201 }, (_, index) => `Q${index},USD,1.${index},${TIME}\n`);
    const again = `Q0,Q1200,1,${TIME}\nEUR,EUR,1,${TIME}\n`;

    const { exitCode, stdout, stderr } = await cli.importText(
      HEADER + lines.join("") + again,
      " --json",
    );

    const named = Array.from({ length: 20 }, (_, index) => `Q${index}`);
    assert.equal(exitCode, 1);
    const counts = { stored: 1202, older: 0, unchanged: 0, held: 0, rejected: 1 };
    assert.deepEqual(JSON.parse(stdout), { ...counts, unknown_symbols: named });
    assert.deepEqual(stderr.split("\n"), [
      ...named.map(
        (symbol, index) =>
          `warning: ${symbol} is on no list of currencies (line ${index + 2}): stored as given`,
      ),
      "line 1204: base and quote are both EUR",
      "warning: and 1182 more rates with symbols on no list of currencies",
      "",
    ]);
    assert.equal((await cli.stored()).length, 1202);
  });

  test("an empty input, and a path that is missing or not a file, have one line and exit code 1", async () => {
    await using cli = await newCli();
    const empty = await cli.importText("");
    const counts = "stored 0, unchanged 0, held 0, rejected 1\n";
    assert.deepEqual(
      [empty.exitCode, empty.stdout, empty.stderr],
      [1, counts, "line 1: the file is empty\n"],
    );
    const missing = await cli.run("rates import missing.csv");
    assert.deepEqual(
      [missing.exitCode, missing.stdout, missing.stderr],
      [1, "", "kurs: cannot read missing.csv: no such file\n"],
    );
    const directory = await cli.run("rates import /");
    assert.deepEqual([directory.exitCode, directory.stdout], [1, ""]);
    assert.match(directory.stderr, /^kurs: cannot read \/: .+\n$/);
  });

  test("rates are listed as a table, either all or those of one base", async () => {
    await using cli = await newCli();
    const lines = [
      `EUR,USD,1.10,${TIME}`,
      `EUR,JPY,121.750,2020-01-02T15:00:00.5Z`,
      `USD,EUR,0.9,${TIME}`,
    ];
    await cli.importText(`${HEADER}${lines.join("\n")}\n`);
    await cli.output("rates suspend EUR USD");

    const all = await cli.output("rates list");
    const some = await cli.output("rates list eur");

    // The age depends on the day of the test.
    const withoutAges = (text: string) => text.replaceAll(/ +(?:AGE|[0-9]+ d)(?= {2})/g, "");
    const heading = "PAIR        RATE  AS OF  SOURCE  NEXT  STATE";
    const jpy = "EUR/JPY  121.750  2020-01-02T15:00:00.500000000Z  import";
    const usd = "EUR/USD     1.10  2020-01-02T15:00:00Z  import        suspended";
    const eur = "USD/EUR      0.9  2020-01-02T15:00:00Z  import";
    assert.equal(withoutAges(all), `${[heading, jpy, usd, eur].join("\n")}\n`);
    assert.match(
      all,
      /^PAIR .* AGE {2}SOURCE {2}NEXT {2}STATE\n(?:.* [0-9]{4} d {2}import.*\n){3}$/,
    );
    assert.equal(withoutAges(some), `${[heading, jpy, usd].join("\n")}\n`);
  });

  test("rates are listed as JSON with their source and suspension", async () => {
    await using cli = await newCli();
    await cli.importText(`${HEADER}EUR,USD,1.10,${TIME}\nEUR,JPY,121,${TIME}\n`);
    await cli.output("rates suspend EUR USD");

    const [jpy, usd, ...others] = JSON.parse(await cli.output("rates list EUR --json"));
    assert.deepEqual(others, []);
    const shared = {
      base: "EUR",
      as_of: STORED_TIME,
      type: "direct",
      source: "import",
      base_name: "Euro",
      // An import has no calendar.
      missed_publication: false,
      next_publication: null,
    };
    const yen = { quote: "JPY", quote_name: "Japanese Yen", rate: "121", suspended_at: null };
    assert.deepEqual(jpy, { ...shared, ...yen });
    const { suspended_at: suspendedAt, ...rest } = usd;
    assert.deepEqual(rest, { ...shared, quote: "USD", quote_name: "US Dollar", rate: "1.10" });
    assert.match(suspendedAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z$/);
  });

  test("an empty store and a base without rates have an empty list, and only the former says so", async () => {
    await using cli = await newCli();
    assert.equal(
      await cli.output("rates list"),
      "No rates are stored. Import some: kurs rates import FILE\n",
    );
    assert.equal(await cli.output("rates list --json"), "[]\n");
    await cli.importText(`${HEADER}EUR,USD,1.10,${TIME}\n`);
    assert.equal(await cli.output("rates list USD --json"), "[]\n");
    assert.match(await cli.output("rates list USD"), /^(?!No rates are stored\.).*USD/);
  });

  test("an import holds a jump with its line and exit code 1, and stores the rest", async () => {
    await using cli = await newCli();
    await cli.importText(`${HEADER}PEPE,USD,0.0000108,${TIME}\nEUR,USD,1.10,${TIME}\n`);
    const later = "2020-01-03T15:00:00Z";

    const { exitCode, stdout, stderr } = await cli.importText(
      `${HEADER}PEPE,USD,38.87,${later}\nEUR,USD,1.110,${later}\n`,
    );

    assert.deepEqual([exitCode, stdout], [1, "stored 1, unchanged 0, held 1, rejected 0\n"]);
    assert.match(
      stderr,
      /^line 2: PEPE\/USD at 38\.87 is too far from the stored rate: held, .*kurs rates release PEPE USD.*\n$/,
    );
    assert.deepEqual(await cli.stored(), ["EUR/USD 1.110", "PEPE/USD 0.0000108"]);
    for (const command of ["release", "drop"]) {
      const wrong = await cli.run(`rates ${command} P USD`);
      assert.deepEqual([wrong.exitCode, wrong.stdout], [2, ""]);
    }
    assert.match(await cli.output("rates held"), /^PEPE\/USD +38\.87 +0\.0000108 /m);
  });

  test("of two jumps a release takes the one that it names, and without a name or with another one neither", async () => {
    await using cli = await newCli();
    await cli.importText(`${HEADER}EUR,SEK,10,${TIME}\n`);
    for (const [rate, day] of [
      ["1000", "03"],
      ["20", "04"],
    ]) {
      await cli.importText(`${HEADER}EUR,SEK,${rate},2020-01-${day}T15:00:00Z\n`);
    }
    const held = await cli.output("rates held");
    assert.match(
      held,
      /^EUR\/SEK +1000 +10 .*\n.*^EUR\/SEK +20 +10 |^EUR\/SEK +20 +10 .*\n.* 1000 /m,
    );

    const each = "20 of 2020-01-04, 1000 of 2020-01-03";
    const several = `several rates of EUR/SEK are held: add the rate and --date to name one: ${each}`;
    const unknown = `no such rate of EUR/SEK is held, but ${each}`;
    for (const [named, message] of [
      ["", several],
      [" 99999", unknown],
      [" 20 --date 2020-01-03", unknown],
    ]) {
      assert.equal(await cli.failure(`rates release EUR SEK${named}`), `kurs: ${message}\n`);
    }
    assert.deepEqual([await cli.output("rates held"), await cli.stored()], [held, ["EUR/SEK 10"]]);

    assert.equal(await cli.output("rates release EUR SEK 20"), "EUR/SEK is served at 20\n");
    assert.match(
      await cli.output("rates for EUR SEK 2020-01-04 --source import --rule on"),
      /^EUR\/SEK 20 /,
    );
    const waiting = await cli.failure("rates for EUR SEK 2020-01-03 --source import --rule on");
    assert.match(waiting, /not known: .*1000/);
    // One is left: it needs no name, and its series gets it behind the served one.
    const late =
      "EUR/SEK: the middle figure of 2020-01-03, 1000, is in the series of import and not served\n";
    assert.equal(await cli.output("rates release EUR SEK"), late);
    assert.match(
      await cli.output("rates for EUR SEK 2020-01-03 --source import --rule on"),
      /^EUR\/SEK 1000 /,
    );
    assert.deepEqual(await cli.stored(), ["EUR/SEK 20"]);
  });

  test("a stored pair is suspended and resumed in any spelling of its symbols", async () => {
    await using cli = await newCli();
    await cli.importText(`${HEADER}EUR,USD,1.10,${TIME}\n`);
    for (const command of ["suspend", "resume"]) {
      assert.equal(
        await cli.failure(`rates ${command} USD EUR`),
        "kurs: there is no stored rate for USD/EUR: see kurs rates list\n",
      );
    }
    assert.equal(await cli.output("rates suspend eur usd"), "EUR/USD is suspended\n");
    assert.equal(await cli.output("rates resume EUR Usd"), "EUR/USD is served again\n");
  });
});
