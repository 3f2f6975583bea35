import { readdirSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import { migrateSqlite } from "../../../src/platform/storage/sqlite/open.ts";
import { mailTo } from "../../support/mails.ts";
import { kurs, serve, type TemporaryDirectory, temporaryDirectory } from "../../support/process.ts";

/** Enough pairs to interrupt a copy of the store: 2 MB. */
const PAIRS = 20_000;

const ADD_PAIRS = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)
  INSERT INTO rates (base, quote, rate, as_of, source)
  SELECT printf('X%05d', n), 'USD', printf('1.%05d', n), '2026-03-13T15:00:00.000000000Z', 'import'
  FROM numbers`;

export const databaseIn = (dataDirectory: string) => join(dataDirectory, "kurs.db");

/** A new data directory with an empty database. */
export async function emptyStore(): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory();
  migrateSqlite(directory.path, 1000);
  return directory;
}

/** Creates a database with 20,000 pairs, X00000/USD to X19999/USD. */
export function addManyPairs(dataDirectory: string): void {
  migrateSqlite(dataDirectory, 1000);
  query(dataDirectory, ADD_PAIRS, PAIRS);
}

/** Runs one statement on a data directory's database, or on a file. */
export function query(place: string, sql: string, ...values: (string | number)[]) {
  const file = place.endsWith(".db") ? place : databaseIn(place);
  // A server may be writing.
  using database = new DatabaseSync(file, { timeout: 5000 });
  return database.prepare(sql).all(...values);
}

/** The integrity, the units and the pairs of a database, without assertions. */
export function stateOf(file: string) {
  using database = new DatabaseSync(file);
  const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  return {
    integrity: one("PRAGMA integrity_check"),
    units: Number(one("SELECT coalesce(sum(units), 0) FROM period_usage")),
    dailyUnits: Number(one("SELECT coalesce(sum(units), 0) FROM daily_usage")),
    pairs: Number(one("SELECT count(*) FROM rates WHERE base GLOB 'X[0-9]*'")),
  };
}

/**
 * Makes, for all tests of a file, a store of 20,000 pairs with an account that has read five times; a
 * backup of it; then seven more reads, a revocation and a killed server: these changes are only in
 * the WAL. Of two further keys one was revoked before the backup (`early`), one after (`late`).
 */
export async function storeWithBackup() {
  const directory = await temporaryDirectory();
  after(() => directory[Symbol.asyncDispose]());
  const dataDirectory = join(directory.path, "data");
  const backup = join(directory.path, "backup.db");
  addManyPairs(dataDirectory);
  await using server = await serve({ dataDirectory });
  const customer = await server.newCustomer("ada@example.org");
  const { session } = customer;
  await mailTo(dataDirectory, customer.email, "verify");
  const [late, early] = [await server.createKey(session), await server.createKey(session)];
  const read = async (times: number) => {
    for (let count = 0; count < times; count += 1) await customer.read("X00001/USD");
  };
  await server.revokeKey(session, early.id);
  await read(5);
  await kurs(["backup", backup], { dataDirectory });
  await read(7);
  await server.revokeKey(session, late.id);
  await server.register("bob@example.org");
  await server.kill();
  return { dataDirectory, backup, customer: { ...customer, late, early } };
}

/** A copy of a data directory, in its own directory. */
export async function copyOf(dataDirectory: string): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory();
  await cp(dataDirectory, directory.path, { recursive: true });
  return directory;
}

export const namesIn = (directory: string) => readdirSync(directory).sort();
