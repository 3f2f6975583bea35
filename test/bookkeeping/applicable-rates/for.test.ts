import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { presets } from "../../../src/bookkeeping/applicable-rates/presets.ts";
import { handedIn, publishers } from "../../../src/rates/sources/publishers/catalogue.ts";
import { ecbDay } from "../../support/fake-publisher.ts";
import { newRateStore, recorded } from "./store.ts";

const day = (date: string, usd: string) => Buffer.from(ecbDay(date, { USD: usd }));

/** The ECB's days of a week, each from a document of its own, without Wednesday. */
async function weekWithoutWednesday() {
  const store = await newRateStore();
  for (const [date, usd] of [
    ["2026-03-09", "1.1609"],
    ["2026-03-10", "1.1610"],
    ["2026-03-12", "1.1612"],
    ["2026-03-13", "1.1613"],
  ] as const) {
    await store.archive("ecb", day(date, usd));
  }
  return store;
}

/** The week, and a store without a figure, which no test changes; others are of one test. */
const store = await weekWithoutWednesday();
const empty = await newRateStore();
after(() => Promise.all([store[Symbol.asyncDispose](), empty[Symbol.asyncDispose]()]));

const BACKFILL =
  "kurs rates backfill ecb --from 2026-03-11 --to 2026-03-11 fetches it, or pass --accept-gaps if it did not publish";

const notStored = (dates = "2026-03-11") =>
  `not known: ecb was due to publish EUR/USD for ${dates}, and no such figure is stored: `;

suite("a figure that should be stored", { concurrency: 4 }, () => {
  test("and is not, is never replaced by another date's", async () => {
    for (const [date, rule] of [
      ["2026-03-11", "on"],
      ["2026-03-11", "on-or-before"],
      ["2026-03-12", "before"],
      ["2026-03-11", "on-or-next"],
    ] as const) {
      const command = `rates for EUR USD ${date} --source ecb --rule ${rule}`;
      assert.equal(await store.failure(command), notStored() + BACKFILL);
    }
    // The dates around it are as they were published.
    for (const [date, rule, figure] of [
      ["2026-03-10", "on", "1.1610"],
      ["2026-03-12", "on-or-before", "1.1612"],
      ["2026-03-13", "before", "1.1612"],
      ["2026-03-15", "on-or-before", "1.1613"],
      ["2026-03-16", "before", "1.1613"],
      ["2026-03-12", "on-or-next", "1.1612"],
    ] as const) {
      const text = await store.output(`rates for EUR USD ${date} --source ecb --rule ${rule}`);
      assert.ok(text.startsWith(`EUR/USD ${figure} for ${date}\n`), text);
    }
  });

  test("counts as closed where the operator accepts that, which the output says", async () => {
    const command = "rates for EUR USD 2026-03-12 --source ecb --rule before --accept-gaps";

    const text = await store.output(command);

    assert.match(text, /^EUR\/USD 1\.1610 for 2026-03-12\n/);
    assert.match(text, /^gaps {7}no figure is stored for 2026-03-11: accepted as closed$/m);
    const json = JSON.parse(await store.output(`${command} --json`));
    assert.deepEqual([json.rate, json.accepted_gaps], ["1.1610", ["2026-03-11"]]);
    // There is no figure for the date itself, whatever is accepted.
    const on = "rates for EUR USD 2026-03-11 --source ecb --rule on --accept-gaps";
    assert.equal(await store.failure(on), notStored() + BACKFILL);
  });

  test("counts as not published where one document has the dates before and after", async () => {
    await using store = await newRateStore();
    const archive = recorded("ecb-2026-03.xml").toString();
    const closed = archive.replace(/ {4}<Cube time="2026-03-04">[\s\S]*?\n {4}<\/Cube>\n/, "");
    assert.notEqual(closed, archive);
    await store.archive("ecb", Buffer.from(closed));

    const before = await store.output("rates for EUR USD 2026-03-05 --source ecb --rule before");
    assert.match(before, /^EUR\/USD 1\.1606 for 2026-03-05\n[\s\S]*^published {2}for 2026-03-03$/m);
    // As its evidence, which is not proven.
    assert.match(
      before,
      /^calendar {3}ecb was due to publish for 2026-03-04, and only the document says otherwise$/m,
    );
    const json = JSON.parse(
      await store.output("rates for EUR USD 2026-03-05 --source ecb --rule before --json"),
    );
    assert.deepEqual([json.unproven_gaps, json.accepted_gaps], [["2026-03-04"], []]);
    const next = await store.output("rates for EUR USD 2026-03-04 --source ecb --rule on-or-next");
    assert.match(next, /^EUR\/USD 1\.1618 for 2026-03-04\n/);
    assert.equal(
      await store.failure("rates for EUR USD 2026-03-04 --source ecb --rule on"),
      "ecb has no figure of EUR/USD for 2026-03-04: it publishes none for this Wednesday; " +
        "--rule on-or-before, before or on-or-next names another date's",
    );
  });

  test("is not known before it is due, even where gaps are accepted", async () => {
    for (const rule of ["on", "on-or-before", "on-or-next"]) {
      const command = `rates for EUR USD 2126-03-13 --source ecb --rule ${rule} --accept-gaps`;
      assert.match(
        await store.failure(command),
        /^not known yet: ecb's figure of EUR\/USD for 2126-03-13 is due at 2126-03-13T15:05:00Z$/,
      );
    }
  });

  test("is not known for a year that was mistyped, however late", async () => {
    for (const date of ["2200-01-01", "5026-03-13", "9999-12-31"]) {
      const late = `${date} is after 2199-12-31, the last date of the rules: check it`;
      for (const rule of ["on", "on-or-before", "on-or-next", "month"]) {
        const command = `rates for EUR USD ${date} --source ecb --rule ${rule} --accept-gaps`;
        assert.equal(await store.failure(command), late);
      }
    }
  });

  test("of a weekly table is the last one's, and a missing week is not passed over", async () => {
    await using store = await newRateStore();
    const rates = [{ currency: "afgani", code: "AFN", mid: 0.056626 }];
    const table = [{ table: "B", no: "009/B/NBP/2026", effectiveDate: "2026-03-04", rates }];
    await store.archive("nbp", Buffer.from(JSON.stringify(table)));

    for (const date of ["2026-03-05", "2026-03-09", "2026-03-11"]) {
      const text = await store.output(`rates for AFN PLN ${date} --as pl-vat`);
      assert.match(text, /^published {2}for 2026-03-04$/m);
    }
    const message = await store.failure("rates for AFN PLN 2026-03-12 --as pl-vat");
    assert.match(message, /^not known: nbp was due to publish AFN\/PLN for 2026-03-11, /);
  });

  test("before the first one of a series is a failure", async () => {
    const command = "rates for EUR USD 2026-03-06 --source ecb --rule on-or-before --accept-gaps";
    assert.match(await store.failure(command), /^not known: ecb was due to publish EUR\/USD/);
    assert.equal(
      await store.failure("rates for EUR USD 2026-03-07 --source ecb --rule on-or-before"),
      "not known: ecb was due to publish EUR/USD for 2026-03-06, and no such figure is stored: " +
        "kurs rates backfill ecb --from 2026-03-06 --to 2026-03-06 fetches it, or pass " +
        "--accept-gaps if it did not publish",
    );
  });

  test("is fetched by no command where the archive does not have it", async () => {
    await using store = await newRateStore();
    await store.archive("rba", recorded("rba.csv"));
    await store.archive("nbkr", recorded("nbkr-daily.xml"));
    await store.archive("ecb", day("1999-01-04", "1.1789"));
    for (const [asked, end] of [
      [
        "AUD USD 2022-12-31 --as au-gst",
        ": rba's archive begins on 2023-01-03: import the figures",
      ],
      ["AUD USD 2023-01-04 --as au-gst", " --from 2023-01-04 --to 2023-01-04 fetches it"],
      ["USD KGS 2020-01-04 --source nbkr --rule on-or-before", " is stored: import the figures"],
      [
        "EUR USD 1999-01-03 --source ecb --rule on-or-before",
        "begins on 1999-01-04: import the figures",
      ],
    ] as const) {
      const message = await store.failure(`rates for ${asked}`);
      assert.ok(message.includes(end), message);
      if (!end.includes("fetches")) assert.doesNotMatch(message, /kurs rates backfill/);
    }
  });
});

suite("a table for a month", { concurrency: 4 }, () => {
  test("is not known for a date outside its validity", async () => {
    await using store = await newRateStore();
    await store.archive("hmrc", recorded("hmrc.csv"));

    assert.equal(
      await store.failure("rates for GBP EUR 2026-09-01 --as uk-vat"),
      "hmrc has no table of GBP/EUR that is valid on 2026-09-01, and the last one was until " +
        "2026-08-31: kurs rates backfill hmrc --from 2026-09-01 --to 2026-09-30 fetches it",
    );
    assert.equal(
      await store.failure("rates for GBP EUR 2026-07-31 --as uk-vat"),
      "hmrc has no table of GBP/EUR for 2026-07: " +
        "kurs rates backfill hmrc --from 2026-07-01 --to 2026-07-31 fetches it",
    );
    assert.equal(
      await store.failure("rates for GBP EUR 2126-12-24 --as uk-vat"),
      "not known yet: hmrc's figure of GBP/EUR for 2126-12-01 is due at 2126-12-01T00:05:00Z",
    );
  });

  test("is passed over by no rule where the next one has begun", async () => {
    await using store = await newRateStore();
    await store.archive("hmrc", recorded("hmrc.csv"));
    await store.archive("ust", recorded("ust.json.txt"));
    const notStored = (table: string) =>
      `^not known: \\w+ was due to publish ... for ${table}, and no such figure is stored: `;
    for (const [asked, rule, message] of [
      ["hmrc GBP EUR 2026-09-15", "on-or-before", notStored("2026-09-01")],
      ["hmrc GBP EUR 2026-09-30", "before", notStored("2026-09-01")],
      ["hmrc GBP EUR 2026-09-30", "on", notStored("2026-09-01")],
      ["hmrc GBP EUR 2026-07-15", "on-or-next", notStored("2026-07-01")],
      ["hmrc GBP EUR 2026-07-15", "on", notStored("2026-07-01")],
      [
        "hmrc GBP EUR 2126-12-24",
        "on-or-before",
        "^not known yet: .* for 2126-12-01 is due at 2126",
      ],
      ["ust USD EUR 2026-07-01", "on-or-before", notStored("2026-06-30")],
    ] as const) {
      const [source, ...rest] = asked.split(" ");
      const command = `rates for ${rest.join(" ")} --source ${source} --rule ${rule}`;
      const wanted = message.replace("...", rest.slice(0, 2).join("/"));
      assert.match(await store.failure(command), new RegExp(wanted));
    }
    const last = "rates for GBP EUR 2026-09-01 --source hmrc --rule before";
    assert.match(await store.output(last), /^GBP\/EUR 1\.1719 for 2026-09-01\n/);
    const quarter = "rates for USD EUR 2026-03-30 --source ust --rule on-or-before";
    assert.match(await store.output(quarter), /^USD\/EUR 0\.851 for 2026-03-30\n/);
  });

  test("is the one whose validity covers the date, also around an amended part of it", async () => {
    await using store = await newRateStore();
    const [heading = ""] = recorded("hmrc.csv").toString().split("\n");
    for (const line of [
      "USA,Dollar,USD,1.3012,01/11/2026,30/11/2026",
      "USA,Dollar,USD,1.2105,10/11/2026,14/11/2026",
    ]) {
      await store.archive("hmrc", `${heading}\n${line}\n`);
    }

    for (const [day, figure] of [
      ["01", "1.3012"],
      ["09", "1.3012"],
      ["10", "1.2105"],
      ["14", "1.2105"],
      ["15", "1.3012"],
      ["30", "1.3012"],
    ]) {
      const text = await store.output(`rates for GBP USD 2026-11-${day} --as uk-vat`);
      assert.ok(text.startsWith(`GBP/USD ${figure} for 2026-11-${day}\n`), text);
      for (const rule of ["on", "on-or-before", "on-or-next"]) {
        const other = `GBP USD 2026-11-${day} --source hmrc --rule ${rule}`;
        assert.match(await store.output(`rates for ${other}`), new RegExp(`^GBP/USD ${figure} `));
      }
    }
    for (const date of ["2026-10-31", "2026-12-01"]) {
      await store.failure(`rates for GBP USD ${date} --as uk-vat`);
    }
  });

  test("is none where a source has figures of several dates in the month, or should have", async () => {
    await using daily = await newRateStore();
    await daily.refresh("ecb", [recorded("ecb.xml")]);
    for (const { failure } of [store, daily]) {
      assert.equal(
        await failure("rates for EUR USD 2026-03-13 --source ecb --rule month"),
        "ecb has figures of EUR/USD for several dates of 2026-03: pass another --rule than month",
      );
    }
  });
});

test("a pair of which no source has a figure: the one that it has, or the end of a currency", async () => {
  const command = (asked: string) => `rates for ${asked} --source ecb --rule on-or-before`;
  assert.equal(
    await store.failure(command("USD EUR 2026-03-13")),
    "ecb has no figure of USD/EUR, but of EUR/USD: ask for that, and divide",
  );
  assert.match(
    await store.failure(command("EUR HRK 2026-03-13")),
    /^HRK ended on 2023-01-01: 1 EUR is 7\.53450 HRK/,
  );
  assert.equal(
    await store.failure(command("EUR HRK 2022-03-11")),
    `ecb has no figure of EUR/HRK: kurs rates backfill ecb --from 2022-03-01 --to 2022-03-11 fetches it, if it publishes the pair`,
  );
});

const NEWEST = "gets the newest (an earlier one must be imported)";
const backfill = (key: string, from: string, to: string) =>
  `kurs rates backfill ${key} --from ${from} --to ${to} fetches it`;

for (const [asked, advice] of [
  [
    "EUR USD 2026-03-16 --as de-vat",
    "kurs rates import FILE --document --source bmf, where FILE states it",
  ],
  ["AUD USD 2026-03-16 --as au-gst", backfill("rba", "2026-03-06", "2026-03-16")],
  ["USD CAD 2026-03-16 --as ca-gst", backfill("boc", "2026-03-06", "2026-03-16")],
  [
    "USD CAD 2026-03-16 --source boc --rule on-or-next",
    backfill("boc", "2026-03-16", "2026-03-26"),
  ],
  ["GBP USD 2026-03-16 --as uk-vat", backfill("hmrc", "2026-03-01", "2026-03-31")],
  ["EUR DKK 2026-03-16 --source dnb --rule on-or-before", `kurs rates fetch dnb ${NEWEST}`],
  ["USD EUR 2126-03-16 --as us-fbar", "2126-12-31 is to come"],
  ["USD EUR 2025-03-16 --as us-fbar", backfill("ust", "2025-12-21", "2025-12-31")],
  ["EUR CHF 2026-03-16 --as ch-vat", backfill("bazg-monthly", "2026-03-01", "2026-03-31")],
] as const) {
  test(`a source without a figure of the pair: ${asked} says how to get it`, async () => {
    const message = await empty.failure(`rates for ${asked}`);
    const [base, quote] = asked.split(" ");
    assert.match(message, new RegExp(`^[a-z-]+ has no figure of ${base}/${quote}: `));
    const perhaps = advice.endsWith("to come") ? "" : ", if it publishes the pair";
    assert.equal(message.slice(message.indexOf(": ") + 2), advice + perhaps);
  });
}

suite("after a restore", () => {
  test("a figure that may be lost is not known, and the message says why", async () => {
    for (const [takenAt, restoredAt] of [
      ["2026-03-10T20:00:00.000Z", "2026-03-12T08:00:00.000Z"],
      ["2026-03-11T08:00:00.000Z", "2026-03-11T20:00:00.000Z"],
    ] as const) {
      await using store = await weekWithoutWednesday();
      await store.recordRestore(takenAt, restoredAt);

      assert.equal(
        await store.failure("rates for EUR USD 2026-03-12 --source ecb --rule before"),
        "not known: ecb's figure for 2026-03-11 is not stored, and what was stored between the " +
          `backup of ${takenAt} and its restore at ${restoredAt} is lost: ${BACKFILL}`,
      );
    }
  });

  test("an import tells only of the dates that it has", async () => {
    await using store = await newRateStore();
    const file = join(store.directory, "rates.csv");
    // Another file may have had the 13th: that this one has dates on both sides proves nothing.
    const days = ["EUR,USD,1.1,2026-03-12T15:00:00Z", "EUR,USD,1.2,2026-03-16T15:00:00Z"];
    writeFileSync(file, ["base,quote,rate,as_of", ...days, ""].join("\n"));
    await store.output(`rates import ${file}`);
    const later = "rates for EUR USD 2026-03-14 --source import --rule on-or-before";
    assert.match(
      await store.output(later),
      /^calendar {3}its calendar is not known: dates without/m,
    );
    // A copy that does not tell its time.
    await store.recordRestore("", "2126-01-01T00:00:00.000Z");
    assert.match(
      await store.failure(later),
      /^not known: what was stored between a copy and its restore at 2126-01-01T\S+ is lost, and imp/,
    );
    await store.recordRestore("2126-01-01T00:00:00.000Z", "2126-01-02T00:00:00.000Z");

    assert.match(
      await store.failure(later),
      /^not known: what was stored between .* is lost, and import has no calendar; --rule on names/,
    );
    const exact = "rates for EUR USD 2026-03-12 --source import --rule on";
    assert.match(await store.output(exact), /^EUR\/USD 1\.1 for 2026-03-12\n/);
  });
});

suite("a list of dates", { concurrency: 4 }, () => {
  const LIST = `date,base,quote
2026-03-10,EUR,USD
2026-03-12,EUR,USD
"2026-03-15","eur","usd"
13/03/2026,EUR,USD

2026-03-13,EUR
2026-03-13,EUR,XXX
`;

  test("gets a figure or an error for each line, and exit code 1 where there is an error", async () => {
    const command = "rates for --file - --source ecb --rule on-or-before --format csv";

    const { exitCode, stdout, stderr } = await store.run(command, { input: LIST });

    assert.equal(exitCode, 1);
    assert.equal(stderr, "kurs: 3 of 6 lines have no figure: see their errors\n");
    const rows = stdout.trimEnd().split("\n");
    assert.equal(
      rows[0],
      "line,date,base,quote,rate,published_for,source,kind,rule,counted_from,revision,document,error",
    );
    assert.match(
      rows[1] ?? "",
      /^2,2026-03-10,EUR,USD,1\.1610,2026-03-10,ecb,middle,on-or-before,2026-03-10,1,[0-9a-f]{64},$/,
    );
    assert.match(rows[3] ?? "", /^4,2026-03-15,eur,usd,1\.1613,2026-03-13,ecb,/);
    assert.match(
      rows[4] ?? "",
      /^5,13\/03\/2026,EUR,USD,,.*must be a date such as 2026-03-13 or 13\.03/,
    );
    assert.match(rows[5] ?? "", /^7,2026-03-13,EUR,,,.*must be DATE,BASE,QUOTE, such as/);
    assert.match(
      rows[6] ?? "",
      /^8,2026-03-13,EUR,XXX,,.*ecb has no figure of EUR\/XXX: .* if it publishes/,
    );
    assert.equal(rows.length, 7);
  });

  test("is a table or JSON as well, and exit code 0 where each line has its figure", async () => {
    const good = LIST.split("\n").slice(1, 4).join("\n");
    const file = join(store.directory, "dates.csv");
    writeFileSync(file, good);

    const table = await store.output(`rates for --file ${file} --as eu-vat`);
    assert.match(table, /^LINE {2}DATE {8}PAIR {7}RATE {2}PUBLISHED FOR {2}SOURCE {2}ERROR\n/);
    assert.match(table, /^ {3}3 {2}2026-03-15 {2}eur\/usd {2}1\.1613 {2}2026-03-13 {5}ecb$/m);
    const json = JSON.parse(await store.output(`rates for --file ${file} --as eu-vat --json`));
    const found = json.map(({ line, rate, error }: Record<string, unknown>) => {
      return `${line} ${rate} ${error}`;
    });
    assert.deepEqual(found, ["1 1.1610 null", "2 1.1612 null", "3 1.1613 null"]);
  });

  test("that is empty is a failure with one sentence", async () => {
    const file = join(store.directory, "empty.csv");
    writeFileSync(file, "date,base,quote\n");
    const wanted = "each must be DATE,BASE,QUOTE, or have the columns of a header";
    const message = await store.failure(`rates for --file ${file} --as eu-vat`);
    assert.equal(message, `${file} has no line: ${wanted}`);
  });
});

test("a series of imports is no unknown source", async () => {
  assert.equal(
    await empty.failure("rates for EUR XXX 2026-03-13 --source import:mine --rule on"),
    "no source has a figure of EUR/XXX: see kurs rates list",
  );
});

test("wrong use ends with one sentence", async () => {
  const names = presets.map(({ name }) => name).join(", ");
  const known = [...publishers, ...handedIn].map(({ key }) => key);
  const keys = [...known, "import"].join(", ");
  const uses = {
    "EUR USD 2026-03-13": "pass --source and --rule, or --as: --source is missing",
    "EUR USD 2026-03-13 --source ecb": "pass --source and --rule, or --as: --rule is missing",
    "EUR USD --as eu-vat": "pass BASE QUOTE DATE, such as EUR PLN 2026-03-16, or --file",
    "EUR USD 2026-03-13 --as eu": `--as "eu": must be one of ${names}`,
    "EUR USD 2026-03-13 --as eu-vat --rule on":
      "--as eu-vat names the figure alone: leave out --rule",
    "USD EUR 2026-03-13 --as eu-vat":
      "USD/EUR has no figure for eu-vat: ecb states figures with the base EUR, such as EUR USD",
    "EUR USD 2026-02-30 --as eu-vat": 'date "2026-02-30": there is no such day',
    "EUR USD 2026-03-13 --source ECB --rule on": "unknown source ECB: did you mean ecb?",
    "EUR USD 2026-03-13 --source foo --rule on": `unknown source foo; known sources: ${keys}`,
    "EUR USD 2026-03-13 --as eu-vat --format csv": "--format is for --file: pass --json",
    "EUR USD 2026-03-13 --as eu-vat --file x":
      "leave out EUR: the list in --file has the pairs and dates",
  };
  for (const [args, message] of Object.entries(uses)) {
    assert.equal(await empty.failure(`rates for ${args}`, 2), message);
  }
});

test("the presets name known sources, quote a law, and say that they are no advice", async () => {
  const text = await empty.output("rates presets");

  const names = presets.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  for (const { name, source, law, readAt, readOn } of presets) {
    assert.ok(
      [...publishers, ...handedIn].some(({ key }) => key === source),
      source,
    );
    assert.ok(text.includes(`\n${name}: ${law}\n`), name);
    assert.ok(text.includes(`read on ${readOn} at ${readAt}\n`), name);
  }
  assert.match(text, /^eu-vat +EUR\/… +ecb /m);
  assert.match(text, /^pl-vat +…\/PLN +nbp /m);
  assert.match(text, /\nThese are no advice: .*\n$/);
  const json: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
    await empty.output("rates presets --json"),
  );
  assert.deepEqual(
    json.map(({ name }) => name),
    names,
  );
});
