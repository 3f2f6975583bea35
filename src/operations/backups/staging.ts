import { DatabaseSync } from "node:sqlite";
import { writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import {
  ACTIVE_KEY,
  ERASED_ACCOUNT,
  ERASED_KEY,
  ERASED_TABLES,
} from "../../platform/storage/columns.ts";
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
import { damageOf } from "../../platform/storage/sqlite/health/integrity.ts";
import { migrate, schemaOf } from "../../platform/storage/sqlite/migrate.ts";
import { makePrivateFile } from "../../platform/storage/sqlite/private-files.ts";
import { takeMetadata } from "./metadata.ts";
import { type LostChanges, type RestoreReport, readTotals } from "./report.ts";

/** A backup that is ready to replace the database. */
export interface Staged extends Omit<RestoreReport, "database" | "kept" | "forgotten"> {
  /** When the database was as it is: RFC 3339; undefined where nothing in it tells. */
  readonly asOf: string | undefined;
}

/** No write is later. A copy that kurs backup did not make may have further ones without a time. */
const LAST_TIME = `
  SELECT max(at) AS at FROM
    (SELECT max(at) AS at FROM events UNION ALL SELECT max(stored_at) FROM observations)`;

// A session, a mailed link or an invitation that was ended or used since would be valid again, and
// a signing key that has leaked since would be listed again: the next start signs every rate.
const REMOVE_VALID_AGAIN = `
  DELETE FROM mail_tokens;
  DELETE FROM mails WHERE token IS NOT NULL;
  DELETE FROM invitations;
  UPDATE rates SET headers = NULL, signing_key = NULL;
  DELETE FROM signing_keys`;

/**
 * Copies a backup to a file in the database's directory, migrates it to the program's schema, so
 * that it can hold whatever the replaced database forbids, and removes what would be valid again.
 */
export function makeStaging(backup: DatabaseSync, staging: string): Staged {
  makePrivateFile(staging);
  backup.prepare("VACUUM INTO ?").run(staging);
  using database = new DatabaseSync(staging);
  const schema = schemaOf(database);
  const note = takeMetadata(database);
  const lastTime = note === undefined ? database.prepare(LAST_TIME).get()?.at : undefined;
  const asOf = note?.takenAt ?? (typeof lastTime === "string" ? lastTime : undefined);
  // The backup itself is the way back.
  migrate(database, () => () => undefined);
  database.exec("BEGIN");
  const sessionsEnded = Number(database.prepare("DELETE FROM sessions").run().changes);
  database.exec(REMOVE_VALID_AGAIN);
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
    const schema = schemaOf(database);
    if (schema === 0) throw new StartupError(`${file} is not a Kurs database: name a backup.`);
    const advice = "restore it with that newer program";
    requireKnownSchema("sqlite", `The database ${file}`, schema, advice);
    const [damage] = damageOf(database, "integrity_check");
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

const REVOKE_AGAIN = `
  UPDATE restored.api_keys SET revoked_at =
    (SELECT k.revoked_at FROM main.api_keys k WHERE k.key_hash = restored.api_keys.key_hash)
  WHERE ${ACTIVE_KEY}
    AND key_hash IN (SELECT key_hash FROM main.api_keys WHERE revoked_at IS NOT NULL)`;

// Deleted accounts, and their keys, count as no loss.
const COMPARE = `
  SELECT
    (SELECT count(*) FROM main.accounts
      WHERE id NOT IN (SELECT id FROM restored.accounts) AND deleted_at IS NULL) AS accounts,
    (SELECT count(*) FROM main.api_keys
      WHERE id NOT IN (SELECT id FROM restored.api_keys)
        AND account_id IN (SELECT id FROM main.accounts WHERE deleted_at IS NULL)) AS keys,
    (SELECT coalesce(sum(units), 0) FROM main.period_usage)
      - (SELECT coalesce(sum(units), 0) FROM restored.period_usage) AS units,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.password_hash <> r.password_hash AND a.deleted_at IS NULL) AS passwords,
    (SELECT count(*) FROM main.api_keys k JOIN restored.api_keys r USING (key_hash)
      JOIN main.accounts a ON a.id = k.account_id
      WHERE k.revoked_at IS NOT NULL AND r.${ACTIVE_KEY} AND a.deleted_at IS NULL) AS revocations,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NOT NULL AND r.deleted_at IS NULL) AS deletions,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NULL AND (a.suspended_at IS NULL) <> (r.suspended_at IS NULL))
      AS suspensions`;

const removeOfDeleted = (table: string) => `
  DELETE FROM restored.${table} WHERE account_id IN
    (SELECT id FROM main.accounts WHERE deleted_at IS NOT NULL);`;

// A deletion is final, and the audit log loses nothing: a deleted account's events come from the
// replaced database, which no longer has what was personal in them. An event that the backup does
// not have stays out of its pair's history, whose numbers begin again where the backup ends.
const KEEP_ADMINISTRATION = `
  UPDATE restored.accounts AS r
  SET email = a.email, ${ERASED_ACCOUNT}, deleted_at = a.deleted_at
  FROM main.accounts a WHERE a.id = r.id AND a.deleted_at IS NOT NULL;
  UPDATE restored.api_keys AS r
  SET key_hash = k.key_hash, ${ERASED_KEY}, revoked_at = k.revoked_at
  FROM main.api_keys k JOIN main.accounts a ON a.id = k.account_id
  WHERE k.id = r.id AND a.deleted_at IS NOT NULL;
  ${ERASED_TABLES.map(removeOfDeleted).join("")}
  UPDATE restored.accounts AS r SET suspended_at = a.suspended_at
  FROM main.accounts a WHERE a.id = r.id AND a.suspended_at IS NOT r.suspended_at;
  INSERT INTO restored.events (id, at, actor, actor_name, origin, action, account_id, details)
  SELECT id, at, actor, actor_name, origin, action, account_id, details FROM main.events WHERE TRUE
  ON CONFLICT (id) DO UPDATE
    SET actor_name = excluded.actor_name, origin = excluded.origin, details = excluded.details`;

// Reads of a rate that an operator has stopped must not resume by themselves.
const SUSPEND_PAIRS = `
  UPDATE restored.rates AS r SET suspended_at = ? FROM main.rates m
  WHERE m.base = r.base AND m.quote = r.quote
    AND m.suspended_at IS NOT NULL AND r.suspended_at IS NULL`;

// A version that a client knows from the replaced database must not return.
const RENEW_VERSIONS = `
  INSERT INTO restored.versions (name, version)
  SELECT name, version + 1 FROM main.versions WHERE TRUE
  ON CONFLICT (name) DO UPDATE SET version = max(version, excluded.version)`;

const SUSPENDED_PAIRS = `
  SELECT base || '/' || quote AS pair, observation,
    (SELECT coalesce(max(version), 0) FROM versions WHERE name = 'rates') AS change
  FROM rates WHERE suspended_at = ?`;

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
    const schema = schemaOf(old);
    if (schema === 0 || isUnreleased("sqlite", schema)) return undefined;
    old.prepare("ATTACH ? AS restored").run(staging);
    const row = old.prepare(COMPARE).get() ?? {};
    if (!reviveKeys) old.exec(REVOKE_AGAIN);
    old.exec(KEEP_ADMINISTRATION);
    old.exec(RENEW_VERSIONS);
    const pairs = Number(old.prepare(SUSPEND_PAIRS).run(now).changes);
    return {
      accounts: Number(row.accounts),
      keys: Number(row.keys),
      units: Number(row.units),
      passwords: Number(row.passwords),
      revocations: Number(row.revocations),
      deletions: Number(row.deletions),
      suspensions: Number(row.suspensions),
      pairs,
    };
  } catch (error) {
    if (isCorruption(error)) return undefined;
    throw error;
  } finally {
    if (old.prepare("PRAGMA database_list").all().length > 1) old.exec("DETACH restored");
  }
}
