import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { USABLE_KEY } from "../../customers/access/sql.ts";
import { mailStore } from "../../customers/mail/sql.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { integerOf } from "../../platform/storage/columns.ts";
import { knownSchema, rejectUnreleased } from "../../platform/storage/migrations.ts";
import { rejectBackup } from "../../platform/storage/sqlite/backup-note.ts";
import {
  FILE_NAME,
  openToRead,
  requireItsDatabase,
} from "../../platform/storage/sqlite/database-file.ts";
import { createSqliteEngine } from "../../platform/storage/sqlite/engine.ts";
import { explained, resultCodeOf } from "../../platform/storage/sqlite/errors.ts";
import { createFileIdentityCheck } from "../../platform/storage/sqlite/health/file-guard.ts";
import {
  damageLater,
  EXAMINE_WITH_SMALL_CACHE,
} from "../../platform/storage/sqlite/health/integrity.ts";
import { LOCK_NAME, requireLockFile } from "../../platform/storage/sqlite/lock-file.ts";
import { schemaOf } from "../../platform/storage/sqlite/migrate.ts";
import { requireOwner } from "../../platform/storage/sqlite/owner.ts";
import { sourceStore } from "../../rates/sources/sql.ts";
import type { Examination } from "./facts.ts";
import { readUsageTotals, type UnitStatements } from "./sql.ts";

/** Ample: a server's transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

// In the order of the key, an account's day 0, which has its units of the period, comes just before
// its days: nothing is sorted. Units of an API key that is not stored count for no day. The numbers
// of the keys have no gaps, as a rule; then a comparison proves that a key is stored, and there is
// no search, which takes over a second for a million keys in no order.
const UNITS: UnitStatements = {
  compare: `
    WITH numbers (first, last, have_gaps) AS MATERIALIZED (
      SELECT min(number), max(number), max(number) - min(number) + 1 <> count(number) FROM api_keys
    )
    SELECT count(*) FILTER (WHERE by_period <> by_day) AS disagreeing,
      coalesce(sum(by_period), 0) AS units
    FROM (
      SELECT sum(iif(day = 0, units, 0)) AS by_period,
        sum(iif(day > 0 AND api_key BETWEEN first AND last AND (
          NOT have_gaps OR EXISTS (SELECT 1 FROM api_keys WHERE number = api_key)
        ), units, 0)) AS by_day
      FROM numbers CROSS JOIN charged_units
      GROUP BY period, account
    )`,
  newestDay: `
    SELECT period || printf('-%02d', max(day)) AS newest_day FROM charged_units
    WHERE period = (SELECT max(period) FROM charged_units WHERE day > 0)`,
};

// The triggers of usable_keys keep it as this says; another program can bypass them.
const WRONG_KEYS = `
  SELECT count(*) - count(u.digest) + (SELECT count(*) FROM usable_keys) - count(u.digest) AS wrong
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  LEFT JOIN usable_keys u ON u.digest = unhex(k.key_hash)
    AND u.api_key = k.number AND u.account = a.number AND u.plan = a.plan
  WHERE ${USABLE_KEY}`;

/**
 * Examines the embedded database without writing to it; a server may be running.
 *
 * @param isThorough also checks indexes and the table of the keys that may read.
 */
export async function examineSqlite(
  dataDirectory: string,
  isThorough: boolean,
): Promise<Examination> {
  const file = join(dataDirectory, FILE_NAME);
  const isStored = statSync(file, { throwIfNoEntry: false }) !== undefined;
  try {
    requireLockFile(join(dataDirectory, LOCK_NAME));
    requireItsDatabase(file);
    if (!isStored) return { kind: "missing", what: `no database at ${file}` };
    requireOwner(dataDirectory);
    requireOwner(file);
    using database = openToRead(file, BUSY_TIMEOUT_MS);
    database.exec(EXAMINE_WITH_SMALL_CACHE);
    const schema = schemaOf(database);
    if (schema === 0) return { kind: "failed", reason: `${file} is not a Kurs database` };
    rejectUnreleased("sqlite", `The database ${file}`, schema);
    rejectBackup(database);
    const pageCheck = isThorough ? "integrity_check" : "quick_check";
    // At the same time: for a million accounts, each takes over a second. What was read from a
    // damaged database, or the error of reading it, does not count.
    const [check, content] = await Promise.allSettled([
      damageLater(file, pageCheck, BUSY_TIMEOUT_MS),
      schema === knownSchema("sqlite") ? readContent(database, file, isThorough) : undefined,
    ]);
    if (check.status === "rejected") throw check.reason;
    const damage = check.value;
    if (damage.length === 0 && content.status === "rejected") throw content.reason;
    const read = damage.length === 0 && content.status === "fulfilled" ? content.value : undefined;
    return {
      kind: "examined",
      facts: {
        engine: `SQLite ${Object.values(database.prepare("SELECT sqlite_version()").get() ?? {})}`,
        schema,
        knownSchema: knownSchema("sqlite"),
        pageCheck,
        damage,
        wrongKeys: read?.wrongKeys,
        totals: read?.totals,
        databaseNowMs: undefined,
        unsafeSettings: [],
      },
      sources: read?.sources,
      pairsBehind: read?.pairsBehind,
      mails: read?.mails,
    };
  } catch (error) {
    if (error instanceof StartupError) return { kind: "failed", reason: error.message };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (resultCodeOf(cause) === undefined) throw error;
    return { kind: "failed", reason: explained(cause, dataDirectory, file).message };
  }
}

async function readContent(database: DatabaseSync, file: string, isThorough: boolean) {
  const engine = createSqliteEngine(database, createFileIdentityCheck(file));
  const [keys = {}] = isThorough ? await engine.query(WRONG_KEYS) : [];
  return {
    wrongKeys: isThorough ? integerOf(keys, "wrong") : undefined,
    totals: await readUsageTotals(engine, UNITS),
    sources: await sourceStore(engine).list(),
    pairsBehind: await sourceStore(engine).pairsBehind(),
    mails: await mailStore(engine).list({ withDelivered: false }),
  };
}
