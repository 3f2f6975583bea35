import { type Finding, findingsOf } from "../../platform/shared/finding.ts";

export interface LastVerified {
  readonly file: string;
  readonly takenAt: string;
  /** Whether its file has changed since. */
  readonly isChanged: boolean;
}

/**
 * Checks the backups of a directory. Times are RFC 3339, UTC.
 *
 * @param verified the backup that was verified last; undefined if none was.
 * @param isScheduled whether the server takes backups itself.
 * @param dueAt a scheduled time whose backup is verified by now; undefined without one.
 */
export function checkBackups(
  directory: string,
  verified: LastVerified | undefined,
  {
    now,
    isScheduled,
    dueAt,
  }: {
    readonly now: string;
    readonly isScheduled: boolean;
    readonly dueAt: string | undefined;
  },
): Finding[] {
  const { ok, warning, problem } = findingsOf("backups");
  if (verified === undefined) {
    if (!isScheduled) {
      return [ok("none is scheduled here (BACKUP_SCHEDULE), and none was verified")];
    }
    return [warning(`no backup in ${directory} is verified yet: the server's log says why`)];
  }
  const { file, takenAt, isChanged } = verified;
  const newest = `the newest verified backup in ${directory} is of ${takenAt}`;
  if (isChanged) {
    return [
      problem(`${file} in ${directory} has changed since it was verified: take a new backup`),
    ];
  }
  if (takenAt > now) {
    return [problem(`${newest}, and it is ${now} here: check this machine's clock`)];
  }
  if (!isScheduled || dueAt === undefined || takenAt >= dueAt) return [ok(newest)];
  return [problem(`${newest}, and one was due at ${dueAt}: the server's log says why`)];
}
