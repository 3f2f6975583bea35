import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import {
  type Evidence,
  type EvidenceDocument,
  serialize,
} from "../../../src/bookkeeping/evidence/format.ts";
import { withSignature } from "../../../src/bookkeeping/evidence/signature.ts";
import { hashContent } from "../../../src/rates/documents.ts";
import { seedFromSnapshot } from "../../../src/rates/import/seed.ts";
import { parseSigningKey } from "../../../src/rates/served/signing/ed25519.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { loadSnapshot } from "../../../src/rates/sources/fetching/snapshot.ts";
import { BY } from "../../contract/suite/origins.ts";
import { headersOf } from "../../support/rates.ts";
import { TestClock } from "../../support/service.ts";
import { newKeyPem } from "../../support/signatures.ts";
import { recorded } from "../applicable-rates/store.ts";
import { newEvidenceCli } from "./cli.ts";

// What a dishonest or careless bookkeeper may state, who has the operator's key: each row changes a
// genuine file, which is then signed again.

/** NBP's tables of Monday, 6, to Monday, 13 November 2023: Wednesday's is the third line. */
const WEEK = recorded("nbp-2023-11.json.txt").toString();
const tableOf = (date: string) =>
  `[${WEEK.split("\n").find((line) => line.includes(`"effectiveDate":"${date}"`))}]`.replace(
    ",]",
    "]",
  );

const BMF = `base,quote,rate,as_of
EUR,USD,1.0807,2025-03-01T00:00:00+01:00
EUR,USD,1.1214,2025-04-01T00:00:00+02:00
`;

const cli = await newEvidenceCli();
after(() => cli[Symbol.asyncDispose]());
const monday = await newEvidenceCli();
after(() => monday[Symbol.asyncDispose]());
const seeded = await newEvidenceCli();
after(() => seeded[Symbol.asyncDispose]());

for (const key of ["ecb", "nbp", "hmrc", "hnb", "bcra", "kraken"]) await cli.fetch(key);
await cli.fetch("inforeuro", undefined, ["?lang=EN&year=2026&month=8"]);
await cli.archive("nbp", WEEK);
await cli.archive("ecb", recorded("ecb-2019-12.xml"));
await cli.archive("mnb", recorded("mnb.xml"));
await monday.archive("nbp", tableOf("2023-11-06"));
const bmf = await cli.write("bmf.csv", BMF);
assert.equal((await cli.run(`rates import ${bmf} --source averages`)).exitCode, 0);
const stored = { origin: { ...BY, at: "2026-08-20T15:00:00.000Z" }, headersOf, packContent };
await seedFromSnapshot(seeded.store.rates, stored, loadSnapshot);

const key = parseSigningKey(cli.keyPem);
assert.ok(!("reason" in key));

async function genuineOf(command: string, from = cli): Promise<Evidence> {
  return (await from.made(command)).json as unknown as Evidence;
}

const MONTH = "--source import:averages --rule month --document @bmf.csv";
const genuine = {
  ecb: await genuineOf("EUR USD 2026-03-15 --source ecb --rule on-or-before"),
  nbp: await genuineOf("USD PLN 2026-03-16 --as pl-vat"),
  week: await genuineOf("USD PLN 2023-11-13 --as pl-vat"),
  thursday: await genuineOf("USD PLN 2023-11-10 --as pl-vat"),
  monday: await genuineOf("USD PLN 2023-11-07 --as pl-vat", monday),
  quarter: await genuineOf("EUR USD 2019-11-07 --as eu-oss"),
  mnb: await genuineOf("EUR HUF 2025-03-28 --as hu-vat"),
  hmrc: await genuineOf("GBP AED 2026-08-16 --as uk-vat"),
  hnb: await genuineOf("EUR USD 2023-01-06 --source hnb --rule on"),
  bcra: await genuineOf("USD ARS 2026-03-19 --source bcra --rule on"),
  inforeuro: await genuineOf("EUR USD 2026-08-10 --source inforeuro --rule month"),
  kraken: await genuineOf("BTC USD 2026-08-20 --source kraken --rule on"),
  snapshot: await genuineOf("EUR USD 2026-03-13 --source ecb --rule on", seeded),
  import: await genuineOf(`EUR USD 2025-03-15 ${MONTH}`),
};

/** Late enough for every statement but one of the future. */
const verifiedAt = new TestClock("2026-09-20T12:00:00.000Z");

/** Signs a statement with a key, and verifies it. */
async function verdictOn(statement: Evidence, by: typeof key | null = key) {
  assert.ok(by === null || !("reason" in by));
  const { signing_key: _, signature: __, ...rest } = statement;
  await cli.write("statement.json", serialize(await withSignature(rest, by ?? undefined)));
  const ended = await cli.runElsewhere(
    "rates evidence verify @statement.json --key @operator.pem --json",
    {},
    verifiedAt,
  );
  assert.equal(ended.stderr, "");
  const { verdict, holds, checks, stated } = JSON.parse(ended.stdout);
  const exitCodes = { holds: 0, fails: 1, "not proven": 3 };
  assert.equal(ended.exitCode, exitCodes[verdict as keyof typeof exitCodes]);
  assert.equal(holds, verdict === "holds");
  return { verdict, checks, stated };
}

suite("a genuine file holds", () => {
  for (const [name, evidence] of Object.entries(genuine)) {
    test(name, async () => {
      const { verdict, checks } = await verdictOn(evidence);
      // An import has no publisher's address, InforEuro's table has its month there alone, and
      // Kraken's prices have no time but that of the response.
      const wanted = ["import", "inforeuro", "kraken"].includes(name) ? "not proven" : "holds";
      assert.equal(verdict, wanted, JSON.stringify(checks, undefined, 1));
    });
  }
});

test("a year whose days off are not known proves nothing, and tells no untruth", async () => {
  const { verdict, checks } = await verdictOn({ ...genuine.mnb, ...asked("2025-03-29") });
  assert.equal(verdict, "not proven");
  assert.match(JSON.stringify(checks), /whether mnb published for 2025-03-29, .* off of 2025"/);
});

test("a file that was read is not called fetched", async () => {
  const { stated } = await verdictOn(genuine.ecb);
  assert.match(stated, /^sent \S+, fetched \S+, stored \S+ as /);
  for (const name of ["snapshot", "import"] as const) {
    assert.match((await verdictOn(genuine[name])).stated, /^read \S+, stored \S+ as /);
  }
});

type Change = (evidence: Evidence) => Partial<Evidence>;

const asked = (date: string, counted = date) => ({ asked: date, counted_from: counted });

const withDocument = (
  change: (document: EvidenceDocument) => Partial<EvidenceDocument>,
): Change => {
  return ({ documents: [first, ...others] }) => {
    assert.ok(first);
    return { documents: [{ ...first, ...change(first) }, ...others] };
  };
};

const contentOf = (bytes: Uint8Array | string) => ({
  content_base64: Buffer.from(bytes).toString("base64"),
  bytes: Buffer.from(bytes).length,
  sha256: hashContent(Buffer.from(bytes)),
});

/** Other bytes in the first document, with their own SHA-256. */
const edited = (edit: (content: string) => string): Change =>
  withDocument(({ content_base64: content }) => {
    const before = Buffer.from(content ?? "", "base64").toString();
    assert.notEqual(edit(before), before);
    return contentOf(edit(before));
  });

const named = (name: string): Change => withDocument(() => ({ name }));

const placed = (place: Partial<Evidence["place"]>): Change => {
  return (evidence) => ({ place: { ...evidence.place, ...place } });
};

const both = (first: Change, second: Change): Change => {
  return (evidence) => {
    const changed = { ...evidence, ...first(evidence) };
    return { ...changed, ...second(changed) };
  };
};

const preset = (change: Partial<NonNullable<Evidence["preset"]>>): Change => {
  return (evidence) => {
    assert.ok(evidence.preset);
    return { preset: { ...evidence.preset, ...change } };
  };
};

const secondDocument = (date: string, address: string): Change => {
  return ({ documents: [first] }) => {
    assert.ok(first);
    return { documents: [first, { ...first, ...contentOf(tableOf(date)), name: address }] };
  };
};

const SECOND_USD =
  '{"codigoMoneda":"USD","descripcion":"DOLAR E.E.U.U.","tipoPase":0.0,"tipoCotizacion":1435.00000000';

const NBP = "https://api.nbp.pl/api/exchangerates/tables/A";
const archived = (date: string) => `${NBP}/${date}/${date}/?format=json`;
const HMRC_IN_SEPTEMBER =
  "https://www.trade-tariff.service.gov.uk/uk/api/exchange_rates/files/monthly_csv_2026-9.csv";
const INFOREURO_IN_SEPTEMBER =
  "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates?lang=EN&year=2026&month=9";

/** The month's figure as the next month's. */
const september = () => ({
  ...asked("2026-09-10"),
  as_of: "2026-08-31T22:00:00.000000000Z",
  published_for: "2026-09-01",
  valid_until: "2026-09-30",
});

/** Received, stored and written at another time. */
const at = (time: string): Change => {
  return ({ documents, made }) => ({
    ...{ received_at: time, stored_at: time, made: { ...made, at: time } },
    documents: documents.map((one) => ({ ...one, received_at: time })),
  });
};
const WITHOUT_A_CALENDAR = "on-or-before" as const;

test("the date of an imported figure is the one that its line states", () => {
  assert.deepEqual([genuine.import.published_for, genuine.import.rate], ["2025-03-01", "1.0807"]);
});

suite("a false statement does not hold:", () => {
  const rows: readonly (readonly [string, keyof typeof genuine, Change | Partial<Evidence>])[] = [
    ["the buying figure as the middle one", "hnb", { rate: "1.061700" }],
    ["the middle figure as the selling one", "hnb", { kind: "selling" }],
    ["another publisher's figure", "ecb", { source: "cnb", publication_source: "cnb" }],
    ["a publisher's figure as an import's", "ecb", { source: "import:own", publisher: null }],
    ["another table's number", "nbp", placed({ table: "051/A/NBP/2026" })],
    ["a figure that its document replaces", "thursday", asked("2023-11-13")],
    [
      "Monday's and Thursday's tables without Wednesday's",
      "monday",
      (evidence) => ({
        ...asked("2023-11-09"),
        ...secondDocument("2023-11-09", `${NBP}?format=json`)(evidence),
      }),
    ],
    [
      "the same by the archive's addresses",
      "monday",
      (evidence) => ({
        ...asked("2023-11-09"),
        ...secondDocument("2023-11-09", `${NBP}/2023-11-09/2023-11-09/?format=json`)(evidence),
      }),
    ],
    [
      "an archive from which Friday's table was cut",
      "thursday",
      both(
        () => asked("2023-11-13"),
        edited((content) => content.replace(/.*2023-11-10.*\n/, "")),
      ),
    ],
    [
      "one document twice",
      "ecb",
      ({ documents: [first] }) => {
        assert.ok(first);
        return { documents: [first, first] };
      },
    ],
    ["an address that Kurs does not request", "ecb", named("https://www.ecb.europa.eu/own.xml")],
    [
      "August's figure as September's, by the address",
      "inforeuro",
      both(named(INFOREURO_IN_SEPTEMBER), september),
    ],
    ["another day's document", "ecb", withDocument(() => contentOf(recorded("ecb-2019-12.xml")))],
    ["a cut document", "ecb", edited((content) => content.slice(0, -60))],
    [
      "one of two figures of a document",
      "bcra",
      // As in the bank's response of 2026-11-25.
      edited((content) => content.replace("}]}}", "},\n$USD}]}}".replace("$USD", SECOND_USD))),
    ],
    ["a law that does not exist", "nbp", preset({ name: "pl-own", law: "Article 99" })],
    [
      "another period of a law",
      "quarter",
      both(preset({ period: "year" }), () => asked("2019-11-07", "2019-12-31")),
    ],
    ["another period's end", "quarter", asked("2020-01-07", "2019-12-31")],
    ["no publisher", "ecb", { publisher: null }],
    [
      "a price of another day, by the time of the response",
      "kraken",
      both(at("2026-08-10T16:00:00.000Z"), () => ({
        ...asked("2026-08-10"),
        ...{ as_of: "2026-08-10T16:00:00.000000000Z", published_for: "2026-08-10" },
      })),
    ],
    ["a digit more than the figure has", "ecb", { rate: "1.14760" }],
    ["that no calendar was known", "ecb", { is_calendar_known: false }],
    ["that no calendar was known where none was needed", "hmrc", { is_calendar_known: false }],
    [
      "a gap that its document does not leave open",
      "thursday",
      both(
        edited((content) => content.replace(/.*2023-11-10.*\n/, "")),
        () => ({ ...asked("2023-11-11"), accepted_gaps: ["2023-11-10"] }),
      ),
    ],
    ["an archive of other dates, by the address", "week", named(archived("2024-01-08"))],
    ["an archive of a part of its dates", "week", named(archived("2023-11-10"))],
    [
      "August's table as September's, by the address",
      "hmrc",
      both(at("2026-09-01T08:00:00.000Z"), named(HMRC_IN_SEPTEMBER)),
    ],
    [
      "August's figure as September's, fetched in September",
      "inforeuro",
      both(both(at("2026-09-01T08:00:00.000Z"), named(INFOREURO_IN_SEPTEMBER)), september),
    ],
    [
      "a table that never ends, of another host",
      "hmrc",
      both(
        edited((content) => content.replaceAll("31/08/2026", "31/12/9999")),
        both(named("https://rates.example/hmrc.csv"), () => ({ valid_until: "9999-12-31" })),
      ),
    ],
    [
      "a file of the year 2031",
      "ecb",
      { made: { at: "2031-01-01T00:00:00.000Z", by: "Kurs 0.1.0" } },
    ],
    [
      "a day of a publication as a gap",
      "ecb",
      {
        ...asked("2026-03-17"),
        accepted_gaps: ["2026-03-16", "2026-03-17"],
      },
    ],
    [
      "a table's figure that a later line of it corrects",
      "hmrc",
      edited((content) => `${content}Abu Dhabi,Dirham,AED,5.1234,15/08/2026,31/08/2026\n`),
    ],
    [
      "one of a month's figures as its only one",
      "week",
      {
        ...asked("2023-11-15"),
        rule: "month",
        rule_in_words: "the figure that is valid on the date, or the only one of its month",
        preset: null,
      },
    ],
    [
      "a day's figure as its month's only one",
      "ecb",
      {
        rule: "month",
        rule_in_words: "the figure that is valid on the date, or the only one of its month",
      },
    ],
    [
      "April's average as March's",
      "import",
      both(placed({ line: 3, text: "EUR,USD,1.1214,2025-04-01T00:00:00+02:00" }), () => ({
        rate: "1.1214",
        as_of: "2025-03-31T22:00:00.000000000Z",
        published_for: "2025-03-31",
      })),
    ],
    [
      "an imported file that was changed",
      "import",
      both(
        edited((content) => content.replace("1.0807", "1.0907")),
        ({ place }) => ({
          rate: "1.0907",
          place: { ...place, text: "EUR,USD,1.0907,2025-03-01T00:00:00+01:00" },
        }),
      ),
    ],
    [
      "an import without a calendar as a day's last figure",
      "import",
      {
        rule: WITHOUT_A_CALENDAR,
        rule_in_words: "the figure for the date or, without one, the last figure before it",
        is_calendar_known: true,
      },
    ],
    [
      "a file made before its figure",
      "ecb",
      { made: { at: "2026-03-01T00:00:00.000Z", by: "Kurs 0.1.0" } },
    ],
    [
      "a document received before its figure",
      "ecb",
      both(
        () => ({ received_at: "2026-03-12T15:00:00.000Z", stored_at: "2026-03-12T15:00:00.000Z" }),
        withDocument(() => ({ received_at: "2026-03-12T15:00:00.000Z" })),
      ),
    ],
    ["a figure stored before it was received", "ecb", { stored_at: "2026-03-14T00:00:00.000Z" }],
    [
      "a time in the year 10000",
      "ecb",
      { made: { at: "+010000-01-01T00:00:00.000Z", by: "Kurs 0.1.0" } },
    ],
    [
      "a snapshot with another figure",
      "snapshot",
      both(
        edited((content) => content.replaceAll('"1.1476"', '"1.1576"')),
        ({ place }) => ({
          rate: "1.1576",
          place: {
            ...place,
            figure: "1.1576",
            text: String(place.text).replace("1.1476", "1.1576"),
          },
        }),
      ),
    ],
    ["a publisher's document as the snapshot", "ecb", { publication_source: "snapshot" }],
  ];

  for (const [name, of, change] of rows) {
    test(name, async () => {
      const evidence = genuine[of];
      const changed = typeof change === "function" ? change(evidence) : change;
      const { verdict, checks } = await verdictOn({ ...evidence, ...changed });
      assert.notEqual(verdict, "holds", JSON.stringify(checks, undefined, 1));
    });
  }

  test("one that nobody, or another person, has signed", async () => {
    const other = parseSigningKey(newKeyPem());
    for (const by of [null, other]) {
      assert.notEqual((await verdictOn(genuine.ecb, by)).verdict, "holds");
    }
  });
});
