import { DatabaseSync } from "node:sqlite";
import {
  COUNT_LOST,
  END_EVERY_SESSION,
  KEEP_ADMINISTRATION,
  KEEP_GRANTS,
  KEEP_LIMITS,
  LOST_GRANTS,
  REMOVE_LINKS,
  REVOKE_AGAIN,
  SCHEMA_WITH_LIMITS,
} from "../../customers/restore.ts";
import { KEEP_EVENTS, LAST_EVENT, writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import type { Statement } from "../../platform/storage/engine.ts";
import { isUnreleased, requireKnownSchema } from "../../platform/storage/migrations.ts";
import { openToRead } from "../../platform/storage/sqlite/database-file.ts";
import { numbered } from "../../platform/storage/sqlite/engine.ts";
import {
  isCorruption,
  resultCodeOf,
  SQLITE_CORRUPT,
  SQLITE_NOTADB,
} from "../../platform/storage/sqlite/errors.ts";
import { findDamage } from "../../platform/storage/sqlite/health/integrity.ts";
import { migrate, readSchema } from "../../platform/storage/sqlite/migrate.ts";
import { makePrivateFile } from "../../platform/storage/sqlite/private-files.ts";
import {
  LAST_STORED,
  REMOVE_SIGNATURES,
  RENEW_VERSIONS,
  SUSPEND_AGAIN,
  SUSPENDED_PAIRS,
} from "../../rates/restore.ts";
import { takeMetadata } from "./metadata.ts";
import { type LostChanges, type RestoreReport, readTotals } from "./report.ts";

/** A backup that is ready to replace the database. */
export interface Staged extends Omit<RestoreReport, "database" | "kept" | "forgotten"> {
  /** When the database was as it is: RFC 3339; undefined where nothing in it tells. */
  readonly asOf: string | undefined;
}

/** No write is later. A copy that kurs backup did not make may have further ones without a time. */
const LAST_TIME = `SELECT max(at) AS at FROM (${LAST_EVENT} UNION ALL ${LAST_STORED})`;

/**
 * Copies a backup to a file in the database's directory, migrates it to the program's schema, so
 * that it can hold whatever the replaced database forbids, and removes what would be valid again.
 */
export function makeStaging(backup: DatabaseSync, staging: string): Staged {
  makePrivateFile(staging);
  backup.prepare("VACUUM INTO ?").run(staging);
  using database = new DatabaseSync(staging);
  const schema = readSchema(database);
  const note = takeMetadata(database);
  const lastTime = note === undefined ? database.prepare(LAST_TIME).get()?.at : undefined;
  const asOf = note?.takenAt ?? (typeof lastTime === "string" ? lastTime : undefined);
  // The backup itself is the way back.
  migrate(database, () => () => undefined);
  database.exec("BEGIN");
  const sessionsEnded = Number(database.prepare(END_EVERY_SESSION).run().changes);
  database.exec(REMOVE_LINKS);
  database.exec(REMOVE_SIGNATURES);
  database.exec("COMMIT");
  return { ...readTotals(database), note, schema, asOf, sessionsEnded };
}

/**
 * Opens a backup and checks it completely.
 *
 * @throws {StartupError} for a file that is not a backup, is damaged or has an unknown schema.
 */
export function openBackup(file: string): DatabaseSync {
  using opening = new DisposableStack();
  try {
    const database = opening.use(openToRead(file));
    const schema = readSchema(database);
    if (schema === 0) throw new StartupError(`${file} is not a Kurs database: name a backup.`);
    const advice = "restore it with that newer program";
    requireKnownSchema("sqlite", `The database ${file}`, schema, advice);
    const [damage] = findDamage(database, "integrity_check");
    if (damage !== undefined) throw damaged(file, damage);
    opening.move();
    return database;
  } catch (error) {
    const code = resultCodeOf(error);
    if (code === SQLITE_NOTADB) {
      throw new StartupError(`${file} is not a Kurs database: name a backup.`, error);
    }
    if (code === SQLITE_CORRUPT) throw damaged(file, (error as Error).message);
    throw error;
  }
}

function damaged(file: string, report: string): StartupError {
  return new StartupError(`${file} is damaged (${report}): restore another backup.`);
}

/**
 * Adds the events of a restore to the audit log.
 *
 * @param origin of the restore: pairs that are suspended since its time were suspended by it.
 * @param asOf the time from which on the replaced database knew more.
 */
export function recordRestore(
  staging: string,
  origin: Origin,
  { file, asOf }: { readonly file: string; readonly asOf: string | undefined },
): void {
  using database = new DatabaseSync(staging);
  const write = ({ sql, parameters }: Statement) =>
    database.prepare(numbered(sql)).run(...parameters);
  const details = asOf === undefined ? { file } : { file, taken_at: asOf };
  write(writeEvent("store.restored", origin, { details }));
  for (const { pair, observation, change } of database.prepare(SUSPENDED_PAIRS).all(origin.at)) {
    const numbers = { observation: Number(observation), change: Number(change) };
    write(writeEvent("rate.suspended", origin, { details: { pair: String(pair), ...numbers } }));
  }
}

/**
 * Counts the changes that only the replaced database has, and revokes again the keys that it has
 * revoked. Accounts stay deleted, suspended or active as they are in it, pairs stay suspended, and
 * no event of the audit log is lost.
 *
 * @param old locked exclusively by this connection.
 * @returns undefined when the old database cannot be read.
 */
export function compareAndRevoke(
  old: DatabaseSync,
  staging: string,
  { now, reviveKeys }: { readonly now: string; readonly reviveKeys: boolean },
): LostChanges | undefined {
  try {
    const schema = readSchema(old);
    if (schema === 0 || isUnreleased("sqlite", schema)) return undefined;
    old.prepare("ATTACH ? AS restored").run(staging);
    const row = old.prepare(COUNT_LOST).get() ?? {};
    if (!reviveKeys) old.exec(REVOKE_AGAIN);
    old.exec(KEEP_ADMINISTRATION);
    const hasLimits = schema >= SCHEMA_WITH_LIMITS;
    const lost = hasLimits ? old.prepare(LOST_GRANTS).all() : [];
    if (hasLimits) old.exec(`${KEEP_LIMITS}; ${KEEP_GRANTS}`);
    old.exec(KEEP_EVENTS);
    old.exec(RENEW_VERSIONS);
    const pairs = Number(old.prepare(SUSPEND_AGAIN).run(now).changes);
    return {
      accounts: Number(row.accounts),
      keys: Number(row.keys),
      units: Number(row.units),
      passwords: Number(row.passwords),
      revocations: Number(row.revocations),
      deletions: Number(row.deletions),
      suspensions: Number(row.suspensions),
      pairs,
      grants: Number(lost[0]?.grants ?? 0),
      granted: lost.map(({ id, email, units, reference, expires_at }) => ({
        ...{ id: String(id), email: String(email) },
        ...{ units: Number(units), reference: String(reference) },
        expiresAt: expires_at === null ? undefined : String(expires_at),
      })),
    };
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  } finally {
    if (old.prepare("PRAGMA database_list").all().length > 1) old.exec("DETACH restored");
  }
}
