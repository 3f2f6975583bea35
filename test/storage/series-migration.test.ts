import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { publishers } from "../../src/sources/publishers/catalogue.ts";
import { publicationTime } from "../../src/sources/rules/publication-time.ts";
import { migrationsIn } from "../../src/storage/migrations.ts";
import { openPostgresStore } from "../../src/store.ts";
import { createSqliteDatabase } from "../contract/sqlite-database.ts";
import { connectTo } from "../support/nodes.ts";
import { newBareDatabase } from "../support/postgres-databases.ts";
import { makeOfSchema } from "./stored.ts";

// A store from before the series: their figures are its observations and its held rates.

const SETTINGS = { connectionsMax: 3, statementTimeoutMs: 0, connectTimeoutMs: 10_000 };
const STORED_AT = "2026-11-20T16:00:00.000Z";

const schemaBefore = (engine: "sqlite" | "postgres") =>
  migrationsIn(engine).findIndex((sql) => sql.includes("CREATE TABLE figures"));

/** The publishers that a store from before the series may have rates of, which state dates. */
const BEFORE = "ecb cnb nbp norges ust boc riksbank cbr bnr dnb nbg rba nbkr sfc snb nbrb".split(
  " ",
);

/** A date of each of them, in winter and in summer, with its time in UTC. */
const dated = publishers.flatMap(({ key, publishedAt }) =>
  ["2026-01-15", "2026-07-15"].flatMap((date) => {
    if (publishedAt === undefined || !BEFORE.includes(key)) return [];
    const asOf = publicationTime(date, publishedAt.time, publishedAt.timeZone);
    return [{ key, date, asOf: asOf ?? "" }];
  }),
);

type Values = readonly (string | number)[];

const observation = (pair: string, sequence: number, rate: string, asOf: string, source: string) =>
  [pair, "USD", sequence, rate, asOf, source, STORED_AT, 1, 0] as const;

/** EUR/USD was deleted and stored again, replaced by an import and corrected, and has a held rate. */
const observations: readonly Values[] = [
  observation("EUR", 1, "1.10", "2026-11-19T15:00:00.000000000Z", "ecb"),
  observation("EUR", 2, "1.10", "2026-11-19T15:00:00.000000000Z", "ecb"),
  observation("EUR", 3, "1.3", "2026-11-19T15:00:00.000000000Z", "import"),
  observation("EUR", 4, "1.101", "2026-11-19T15:00:00.000000000Z", "ecb"),
  observation("EUR", 5, "1.12", "2026-11-20T15:00:00.000000000Z", "ecb"),
  ...dated.map(({ key, asOf }, index) => observation(`X${index}`, 1, "1.5", asOf, key)),
];

const OLD_STORE = `
  INSERT INTO publications (id, source, received_at) VALUES (1, 'ecb', '${STORED_AT}');
  INSERT INTO held_rates (base, quote, rate, as_of, source, held_at, publication, place) VALUES
    ('EUR', 'USD', '11.2', '2026-11-20T15:00:00.000000000Z', 'ecb', '${STORED_AT}', 1, 0);
  INSERT INTO rates (base, quote, rate, as_of, source, observation, headers) VALUES
    ('EUR', 'USD', '1.12', '2026-11-20T15:00:00.000000000Z', 'ecb', 5, '["rate-source","ecb"]')`;

const FIGURES = `
  SELECT base, source, kind, date, as_of, revision, rate, stored_at, publication, place FROM figures
  WHERE quote = 'USD' ORDER BY base, source, date, as_of, revision`;

type Query = (sql: string, values?: Values) => Promise<Record<string, unknown>[]>;

const INSERT_OBSERVATION = `
  INSERT INTO observations
    (base, quote, sequence, rate, as_of, source, stored_at, publication, place)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

async function fill(query: Query): Promise<Record<string, unknown>[][]> {
  for (const sql of OLD_STORE.split(";")) await query(sql);
  for (const values of observations) await query(INSERT_OBSERVATION, values);
  return served(query);
}

/** What the migration may not change. */
const served = async (query: Query) => [
  await query("SELECT * FROM rates"),
  await query("SELECT * FROM observations ORDER BY base, quote, sequence"),
  await query("SELECT * FROM held_rates"),
];

async function assertSeries(query: Query): Promise<void> {
  const figures = await query(FIGURES);
  const texts = figures.map(({ base, source, kind, date, revision, rate }) => {
    return `${base} ${source} ${kind} ${date} #${revision}: ${rate}`;
  });
  assert.deepEqual(texts.slice(0, 5), [
    "EUR ecb middle 2026-11-19 #1: 1.10",
    "EUR ecb middle 2026-11-19 #2: 1.101",
    "EUR ecb middle 2026-11-20 #1: 1.12",
    "EUR ecb middle 2026-11-20 #2: 11.2",
    "EUR import middle 2026-11-19 #1: 1.3",
  ]);
  const expected = dated.map(({ key, date }, index) => `X${index} ${key} middle ${date} #1: 1.5`);
  assert.deepEqual(texts.slice(5).sort(), expected.sort());
  for (const { stored_at, publication, place } of figures) {
    assert.deepEqual([stored_at, Number(publication), Number(place)], [STORED_AT, 1, 0]);
  }
}

suite("a store from before the series", () => {
  test("keeps what it serves, and has its figures once by the publishers' dates, on sqlite", async () => {
    await using database = await createSqliteDatabase();
    const other = database.openDatabase();
    makeOfSchema(other, schemaBefore("sqlite"));
    const query: Query = async (sql, values = []) =>
      other.prepare(sql.replaceAll(/\$(\d+)/g, "?$1")).all(...values);
    const before = await fill(query);

    const store = database.openStore();

    assert.equal((await store.rates.list())[0]?.rate, "1.12");
    assert.deepEqual(await served(query), before);
    await assertSeries(query);
    assert.deepEqual(other.prepare("PRAGMA foreign_key_check").all(), []);
  });

  test("keeps what it serves, and has its figures once by the publishers' dates, on postgres", async () => {
    await using database = await newBareDatabase();
    await using client = await connectTo(database.url);
    await client.query("CREATE TABLE schema_migrations (version integer, run_at timestamptz)");
    for (const [index, sql] of migrationsIn("postgres")
      .slice(0, schemaBefore("postgres"))
      .entries()) {
      await client.query(sql);
      await client.query("INSERT INTO schema_migrations VALUES ($1, now())", [index + 1]);
    }
    const query: Query = async (sql, values = []) => (await client.query(sql, [...values])).rows;
    const before = await fill(query);

    await using store = await openPostgresStore(database.hosts, SETTINGS);

    assert.equal((await store.rates.list())[0]?.rate, "1.12");
    assert.deepEqual(await served(query), before);
    await assertSeries(query);
  });
});
