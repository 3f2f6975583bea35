import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../../shared/clock.ts";
import { timestamp } from "../../../shared/instant.ts";
import { StartupError } from "../../../shared/start-error.ts";
import { version } from "../../../shared/version.ts";
import { actAsOwnerOf } from "../acting-user.ts";
import { backupSqlite, makeBackupDirectory } from "./backup.ts";
import { BACKUPS, backupNameBefore } from "./names.ts";

/**
 * Backs up a database that is about to be migrated: a restore of it is the way back to the program
 * before. Called while this process holds the database's write lock.
 *
 * @param directory created if it is missing; by default `backups` beside the database.
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
    const name = backupNameBefore(schema, takenAt);
    const { file: backup } = backupSqlite(file, directory, { note, mayReplace: false, name });
    return () => {
      using _owner = actAsOwnerOf(directory);
      rmSync(backup, { force: true });
    };
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
