import { type Finding, findingsOf } from "./finding.ts";

/** The state of the backups. Times are RFC 3339, UTC. */
export interface BackupFacts {
  readonly directory: string;
  /** Whether the server takes backups itself. */
  readonly isScheduled: boolean;
  /** When the backup that was verified last was taken; undefined if none was verified. */
  readonly verifiedAt: string | undefined;
  /** A scheduled time whose backup is verified by now; undefined without one. */
  readonly dueAt: string | undefined;
}

export function checkBackups({
  directory,
  isScheduled,
  verifiedAt,
  dueAt,
}: BackupFacts): Finding[] {
  const { ok, warning, problem } = findingsOf("backups");
  const newest = `the newest verified backup in ${directory} is of ${verifiedAt}`;
  if (!isScheduled) {
    if (verifiedAt !== undefined) return [ok(newest)];
    return [ok("none is scheduled here (BACKUP_SCHEDULE), and none was verified")];
  }
  if (verifiedAt === undefined) {
    return [warning(`no backup in ${directory} is verified yet: the server's log says why`)];
  }
  if (dueAt === undefined || verifiedAt >= dueAt) return [ok(newest)];
  return [problem(`${newest}, and one was due at ${dueAt}: the server's log says why`)];
}
