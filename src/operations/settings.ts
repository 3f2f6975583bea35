import type { Cron } from "croner";

export { BACKUPS } from "./backups/names.ts";

/** The settings that the operation of a server needs. */
export interface OperationSettings {
  /** How many days the events of the audit log are kept. */
  readonly auditDays: number;
  /** Undefined: the history of rates is kept forever. */
  readonly historyDays: number | undefined;
  /** When a server backs up its embedded database, by the UTC clock; unset: never. */
  readonly backupSchedule: Cron | undefined;
  /** How many of its backups a server keeps. */
  readonly backupsKept: number;
}
