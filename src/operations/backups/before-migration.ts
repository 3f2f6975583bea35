import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { version } from "../../platform/shared/program/version.ts";
import { backupSqlite, makeBackupDirectory } from "./backup.ts";
import { BACKUPS, backupNameBefore, isPartBefore } from "./names.ts";

/**
 * Backs up a database that is about to be migrated: a restore of it is the way back to the program
 * before. Called while this process has the exclusive lock. A missing directory is created.
 *
 * @returns a function that removes the backup again.
 * @throws {StartupError} when it cannot be written; nothing was migrated then.
 */
export function backUpBeforeMigration(
  file: string,
  schema: number,
  directory = join(dirname(file), BACKUPS),
): () => void {
  // The system's time, not a test's: the name must differ from that of any earlier backup.
  const takenAt = timestamp(systemClock.nowMs());
  const note = { takenAt, program: version };
  try {
    makeBackupDirectory(directory);
    removeParts(directory);
    const options = { mayReplace: false, name: backupNameBefore(schema, takenAt), isAlone: true };
    const { file: backup } = backupSqlite(file, directory, { note, ...options });
    return () => rmSync(backup, { force: true });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(
      `The database ${file} was not migrated, because it could not be backed up first: ` +
        `${error.message} ` +
        "BACKUP_DIR sets another directory for the backup.",
      error,
    );
  }
}

/**
 * Removes what killed migrations have left, each as large as the database. No living process writes
 * one: that takes the exclusive lock, which this process has.
 */
function removeParts(directory: string): void {
  for (const name of readdirSync(directory).filter(isPartBefore)) {
    rmSync(join(directory, name), { force: true });
  }
}
