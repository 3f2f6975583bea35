import type { Logger } from "pino";
import { readVerified } from "../backups/verified.ts";

export interface BackupSettings {
  readonly backupDirectory: string;
  /** Undefined when this server takes no backups. */
  readonly backupSchedule: object | undefined;
}

/**
 * Reads when the backup that was verified last was taken: milliseconds since 1970, -Infinity while
 * a scheduled backup is still to be verified, or when the verified one has changed or its record
 * cannot be read; undefined where there are no backups.
 */
export async function readVerifiedMs(
  { backupDirectory, backupSchedule }: BackupSettings,
  log: Logger,
): Promise<number | undefined> {
  try {
    const verified = await readVerified(backupDirectory);
    if (verified === undefined) return backupSchedule === undefined ? undefined : -Infinity;
    return verified.isChanged ? -Infinity : Date.parse(verified.takenAt);
  } catch (err) {
    log.error({ err }, "the record of the last verified backup could not be read");
    return -Infinity;
  }
}
