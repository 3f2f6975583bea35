import type { DatabaseSync } from "node:sqlite";
import { TOTALS } from "../../customers/restore.ts";

/** Figures about a database that the commands print. */
export interface DatabaseTotals {
  readonly accounts: number;
  readonly activeKeys: number;
  /** All units ever charged. */
  readonly units: number;
}

/** When and by what a backup was taken. */
export interface BackupMetadata {
  /** RFC 3339: the backup has every write that was acknowledged before this time. */
  readonly takenAt: string;
  /** The version of the program that took it. */
  readonly program: string;
}

/** The metadata that a backup contains, with the database's totals at that time. */
export interface BackupNote extends BackupMetadata {
  readonly totals: DatabaseTotals;
}

export interface BackupReport extends BackupMetadata, DatabaseTotals {
  readonly file: string;
  readonly sizeBytes: number;
  readonly schema: number;
}

/** Changes that the replaced database had and the restored one does not. */
export interface LostChanges {
  readonly accounts: number;
  readonly keys: number;
  readonly units: number;
  /** Accounts whose password is again the one in the backup. */
  readonly passwords: number;
  /** Keys that were revoked after the backup. */
  readonly revocations: number;
  /** Accounts that were deleted after the backup: they stay deleted. */
  readonly deletions: number;
  /** Accounts that were suspended or resumed after the backup: they stay so. */
  readonly suspensions: number;
  /** Pairs that were suspended after the backup: they stay so. */
  readonly pairs: number;
  /** Grants of units that only the replaced database has, and were not revoked. */
  readonly grants: number;
  /** The first 1,000 of them, which the operator can grant again. */
  readonly granted: readonly {
    readonly id: string;
    readonly email: string;
    readonly units: number;
    readonly reference: string;
    /** RFC 3339; undefined without an end. */
    readonly expiresAt: string | undefined;
  }[];
}

export interface RestoreReport extends DatabaseTotals {
  readonly database: string;
  /** Undefined for a copy that kurs backup did not make. */
  readonly note: BackupNote | undefined;
  /** The backup's; the restored database has the program's. */
  readonly schema: number;
  readonly sessionsEnded: number;
  /** The new path of the replaced database; undefined where there was none. */
  readonly kept: string | undefined;
  /** Undefined when the replaced database cannot be read. */
  readonly forgotten: LostChanges | undefined;
}

export function readTotals(database: DatabaseSync): DatabaseTotals {
  const row = database.prepare(TOTALS).get();
  return {
    accounts: Number(row?.accounts),
    activeKeys: Number(row?.keys),
    units: Number(row?.units),
  };
}
