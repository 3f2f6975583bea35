import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
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
import { readSchema } from "../../platform/storage/sqlite/migrate.ts";
import { requireOwner } from "../../platform/storage/sqlite/owner.ts";
import { checkSchema, type FindInContent } from "./store.ts";

/** Ample: a server's transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/** Examines the embedded database without writing to it; a server may be running. */
export async function examineSqlite(
  dataDirectory: string,
  isThorough: boolean,
  findInContent: FindInContent,
): Promise<readonly Finding[]> {
  const file = join(dataDirectory, FILE_NAME);
  const { warning, problem } = findingsOf("database");
  const isStored = statSync(file, { throwIfNoEntry: false }) !== undefined;
  try {
    requireLockFile(join(dataDirectory, LOCK_NAME));
    requireItsDatabase(file);
    if (!isStored) return [warning(`there is no database at ${file}. The first start creates it.`)];
    requireOwner(dataDirectory);
    requireOwner(file);
    using database = openToRead(file, BUSY_TIMEOUT_MS);
    database.exec(EXAMINE_WITH_SMALL_CACHE);
    return await examineOpened(database, file, isThorough, findInContent);
  } catch (error) {
    if (error instanceof StartupError) return [problem(error.message)];
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (resultCodeOf(cause) === undefined) throw error;
    return [problem(explained(cause, dataDirectory, file).message)];
  }
}

async function examineOpened(
  database: DatabaseSync,
  file: string,
  isThorough: boolean,
  findInContent: FindInContent,
): Promise<readonly Finding[]> {
  const [schema, known] = [readSchema(database), knownSchema("sqlite")];
  if (schema === 0) throw new StartupError(`${file} is not a Kurs database`);
  rejectUnreleased("sqlite", `The database ${file}`, schema);
  rejectBackup(database);
  const version = Object.values(database.prepare("SELECT sqlite_version()").get() ?? {});
  const ofSchema = checkSchema(`SQLite ${version}`, schema, known);
  const engine = createSqliteEngine(database, createFileIdentityCheck(file));
  const pageCheck = isThorough ? "integrity_check" : "quick_check";
  // At the same time: for a million accounts, each takes over a second. What was read from a
  // damaged database, or the error of reading it, does not count.
  const [check, content] = await Promise.allSettled([
    damageLater(file, pageCheck, BUSY_TIMEOUT_MS),
    schema === known ? findInContent(engine) : [],
  ]);
  if (check.status === "rejected") throw check.reason;
  const { ok, problem } = findingsOf("integrity");
  if (check.value.length > 0) {
    const advice = "Stop the server, keep a copy of the files, and kurs restore a backup.";
    return [ofSchema, problem(`the database is damaged: ${check.value.join("; ")}. ${advice}`)];
  }
  if (content.status === "rejected") throw content.reason;
  return [ofSchema, ok(`the database is undamaged (${pageCheck})`), ...content.value];
}
