import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../../shared/start-error.ts";
import type { Statement } from "../../engine.ts";
import { numbered } from "../engine.ts";
import { resultCodeOf, SQLITE_CORRUPT, SQLITE_NOTADB } from "../errors.ts";
import { damageOf } from "../health/integrity.ts";
import { knownSchema, schemaOf } from "../migrate.ts";
import { makePrivateFile } from "../private-files.ts";
import { takeMetadata } from "./metadata.ts";
import { type LostChanges, NOT_DELETED, type RestoreReport, readTotals } from "./report.ts";

/** The first schema with mails. */
const SCHEMA_WITH_MAIL = 3;

/** The first schema with an audit log, and with accounts that are suspended or deleted. */
const SCHEMA_WITH_EVENTS = 9;

/** The migration that adds the history of rates, and the pairs of events. */
const SCHEMA_WITH_HISTORY = 10;

/** A backup that is ready to replace the database. */
export type Staged = Omit<RestoreReport, "database" | "kept" | "forgotten">;

/**
 * Copies a backup to a file in the database's directory and prepares it. Deletes sessions, mail
 * tokens and invitations: one that was ended or used since would otherwise be valid again.
 */
export function makeStaging(backup: DatabaseSync, staging: string): Staged {
  makePrivateFile(staging);
  backup.prepare("VACUUM INTO ?").run(staging);
  using database = new DatabaseSync(staging);
  const schema = schemaOf(database);
  database.exec("BEGIN");
  const note = takeMetadata(database);
  const sessionsEnded = Number(database.prepare("DELETE FROM sessions").run().changes);
  if (schema >= SCHEMA_WITH_MAIL) {
    database.exec(`
      DELETE FROM mail_tokens;
      DELETE FROM mails WHERE token IS NOT NULL`);
  }
  if (schema >= SCHEMA_WITH_EVENTS) database.exec("DELETE FROM invitations");
  database.exec("COMMIT");
  return { ...readTotals(database), note, schema, sessionsEnded };
}

/**
 * Opens a backup and checks it completely.
 *
 * @throws {StartupError} for a file that is not a backup, is damaged or is newer than the program.
 */
export function openBackup(file: string): DatabaseSync {
  using opening = new DisposableStack();
  try {
    const database = opening.use(new DatabaseSync(file, { readOnly: true }));
    const [schema, known] = [schemaOf(database), knownSchema()];
    if (schema === 0) throw new StartupError(`${file} is not a Kurs database: name a backup.`);
    if (schema > known) {
      throw new StartupError(
        `${file} was written by a newer Kurs (its schema is ${schema}, this program knows ` +
          `${known}): restore it with that newer program.`,
      );
    }
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
  WHERE revoked_at IS NULL
    AND key_hash IN (SELECT key_hash FROM main.api_keys WHERE revoked_at IS NOT NULL)`;

const TO_REVOKE = `
  SELECT count(*) AS revocations FROM main.api_keys k JOIN restored.api_keys r USING (key_hash)
  WHERE k.revoked_at IS NOT NULL AND r.revoked_at IS NULL`;

const RESTORED_SCHEMA = "PRAGMA restored.user_version";

// Deleted accounts, and their keys, count as no loss.
const COMPARE = `
  SELECT
    (SELECT count(*) FROM main.accounts
      WHERE id NOT IN (SELECT id FROM restored.accounts) AND ${NOT_DELETED}) AS accounts,
    (SELECT count(*) FROM main.api_keys
      WHERE id NOT IN (SELECT id FROM restored.api_keys) AND key_hash NOT LIKE 'deleted %') AS keys,
    (SELECT coalesce(sum(units), 0) FROM main.period_usage)
      - (SELECT coalesce(sum(units), 0) FROM restored.period_usage) AS units,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.password_hash <> r.password_hash AND a.${NOT_DELETED}) AS passwords`;

const COMPARE_ADMINISTRATION = `
  SELECT
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NOT NULL AND r.deleted_at IS NULL) AS deletions,
    (SELECT count(*) FROM main.accounts a JOIN restored.accounts r USING (id)
      WHERE a.deleted_at IS NULL AND (a.suspended_at IS NULL) <> (r.suspended_at IS NULL))
      AS suspensions`;

// A deletion is final, and the audit log loses nothing: a deleted account's events come from the
// replaced database, which no longer has what was personal in them.
const KEEP_ADMINISTRATION = `
  UPDATE restored.accounts AS r
  SET email = a.email, password_hash = '', email_verified_at = NULL, suspended_at = NULL,
    quota_mails = 0, deleted_at = a.deleted_at
  FROM main.accounts a WHERE a.id = r.id AND a.deleted_at IS NOT NULL;
  UPDATE restored.api_keys AS r
  SET key_hash = k.key_hash, name = '', key_prefix = '', revoked_at = k.revoked_at
  FROM main.api_keys k JOIN main.accounts a ON a.id = k.account_id
  WHERE k.id = r.id AND a.deleted_at IS NOT NULL;
  DELETE FROM restored.mails WHERE account_id IN
    (SELECT id FROM main.accounts WHERE deleted_at IS NOT NULL);
  DELETE FROM restored.quota_notices WHERE account_id IN
    (SELECT id FROM main.accounts WHERE deleted_at IS NOT NULL);
  UPDATE restored.accounts AS r SET suspended_at = a.suspended_at
  FROM main.accounts a WHERE a.id = r.id AND a.suspended_at IS NOT r.suspended_at;
  INSERT OR REPLACE INTO restored.events (id, at, actor, actor_name, origin, action, account_id,
    details)
  SELECT id, at, actor, actor_name, origin, action, account_id, details FROM main.events`;

// The replaced database may be of an older schema, so the pairs are taken from the details.
const NAME_PAIRS = `
  UPDATE restored.events SET pair = json_extract(details, '$.pair')
  WHERE pair IS NULL AND details IS NOT NULL`;

/** Adds the event of a restore to the audit log, where the backup has one. */
export function recordRestore(staging: string, { sql, parameters }: Statement): void {
  using database = new DatabaseSync(staging);
  if (schemaOf(database) >= SCHEMA_WITH_EVENTS) database.prepare(numbered(sql)).run(...parameters);
}

/**
 * Counts the changes that only the replaced database has, and revokes again the keys that it has
 * revoked. Accounts stay deleted, suspended or active as they are in it, and no event of the audit
 * log is lost, where both databases are of a schema that has these.
 *
 * @param old locked exclusively by this connection.
 * @returns undefined when the old database cannot be read.
 */
export function compareAndRevoke(
  old: DatabaseSync,
  staging: string,
  { reviveKeys }: { readonly reviveKeys: boolean },
): LostChanges | undefined {
  try {
    if (schemaOf(old) === 0) return undefined;
    old.prepare("ATTACH ? AS restored").run(staging);
    const row = { ...old.prepare(COMPARE).get(), ...old.prepare(TO_REVOKE).get() };
    if (!reviveKeys) old.exec(REVOKE_AGAIN);
    const restoredSchema = Number(old.prepare(RESTORED_SCHEMA).get()?.user_version);
    const hasAdministration = Math.min(schemaOf(old), restoredSchema) >= SCHEMA_WITH_EVENTS;
    const kept = hasAdministration ? old.prepare(COMPARE_ADMINISTRATION).get() : undefined;
    if (hasAdministration) old.exec(KEEP_ADMINISTRATION);
    if (hasAdministration && restoredSchema >= SCHEMA_WITH_HISTORY) old.exec(NAME_PAIRS);
    return {
      accounts: Number(row.accounts),
      keys: Number(row.keys),
      units: Number(row.units),
      passwords: Number(row.passwords),
      revocations: Number(row.revocations),
      deletions: Number(kept?.deletions ?? 0),
      suspensions: Number(kept?.suspensions ?? 0),
    };
  } catch (error) {
    const code = resultCodeOf(error);
    if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return undefined;
    throw error;
  } finally {
    if (old.prepare("PRAGMA database_list").all().length > 1) old.exec("DETACH restored");
  }
}
