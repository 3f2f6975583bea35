import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keyPrefixOf } from "../../src/customers/api-keys/rules.ts";
import { createPasswords } from "../../src/customers/passwords/hashing/argon2.ts";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { migrateSqlite } from "../../src/platform/storage/sqlite/open.ts";
import { API_KEY, digestsOf, filled, type SlotCounts } from "../load/requests.ts";

/** The password of every bench account. */
export const PASSWORD = "a bench password";

/** Accounts with a session, which requests for the usage need. */
const SESSIONS_MAX = 1000;

/** Usage of each account before the bench, so that a charge updates a row. */
const UNITS_BEFORE = 1;

/** A quota that no bench exhausts. */
const AMPLE_UNITS = 1_000_000_000;

/** The headers of an imported rate: without a source's publisher, they need neither pair nor time. */
const IMPORTED_HEADERS = JSON.stringify(["rate-source", 'import;name="Imported by the operator"']);

/** The email of a bench account. */
export function emailOf(account: number): string {
  return `bench-${account}@example.org`;
}

/**
 * Creates a database in a data directory by the program's own migrations and fills it: accounts on
 * the plan `free` with one key each, and pairs from `X00000/USD` on. A million accounts and 100,000
 * pairs take half a minute and 1 GB.
 */
export async function fillStore(directory: string, counts: SlotCounts): Promise<void> {
  migrateSqlite(directory, 0);
  const passwordHash = await createPasswords().hash(PASSWORD);
  using database = new DatabaseSync(join(directory, FILE_NAME));
  // A store that was not completed is never used, so nothing needs a sync.
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
  const text = (name: string, make: (index: number) => string) =>
    database.function(name, { deterministic: true }, (index) => make(Number(index)));
  text("email", emailOf);
  text("key_hash", (account) => digestsOf(account).apiKey);
  text("token_hash", (account) => digestsOf(account).session);
  text("key_prefix", (account) => keyPrefixOf(filled(API_KEY, { account, pair: 0 })));
  for (const statement of fillings) {
    const { accounts, pairs } = counts;
    const sessions = Math.min(accounts, SESSIONS_MAX);
    const names = {
      accounts,
      pairs,
      sessions,
      password: passwordHash,
      units: UNITS_BEFORE,
      ample: AMPLE_UNITS,
      headers: IMPORTED_HEADERS,
    };
    const prepared = database.prepare(statement);
    prepared.setAllowUnknownNamedParameters(true);
    prepared.run(names);
  }
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
}

const numbers = (count: string) => `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`;
const id = (kind: string) => `printf('%08x-0000-7000-8000-%012x', n, ${kind})`;
const now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/** Each inserts in the order of a large key: a million rows in another order take a minute. */
const fillings = [
  "UPDATE plans SET units_per_period = :ample WHERE name = 'free'",
  `INSERT INTO accounts (id, email, password_hash, plan, created_at)
  ${numbers(":accounts")} SELECT ${id("1")}, email(n), :password, 'free', ${now} FROM numbers`,
  `INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
  ${numbers(":accounts")} SELECT key_hash(n), ${id("2")}, ${id("1")}, 'bench', key_prefix(n), ${now}
  FROM numbers ORDER BY 1`,
  `INSERT INTO sessions (token_hash, id, account_id, created_at, expires_at, address)
  ${numbers(":sessions")} SELECT token_hash(n), ${id("3")}, ${id("1")}, ${now},
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 day'), '192.0.2.1' FROM numbers`,
  `WITH days (day) AS (VALUES (0), (CAST(strftime('%d', 'now') AS INTEGER)))
  INSERT INTO charged_units (period, account, day, api_key, units)
  SELECT strftime('%Y-%m', 'now'), a.number, day, iif(day = 0, 0, k.number), :units
  FROM accounts a JOIN api_keys k ON k.account_id = a.id CROSS JOIN days ORDER BY 1, 2, 3`,
  `INSERT INTO rates (base, quote, rate, as_of, source, headers)
  ${numbers(":pairs")} SELECT printf('X%05d', n), 'USD', printf('1.%05d', n),
    '2026-03-13T15:00:00.000000000Z', 'import', :headers FROM numbers`,
  `INSERT INTO publications (id, source, received_at) VALUES (1, 'import', ${now})`,
  `INSERT INTO observations (base, quote, sequence, rate, as_of, source, stored_at, publication)
  SELECT base, quote, observation, rate, as_of, source, ${now}, 1 FROM rates ORDER BY base, quote`,
];
