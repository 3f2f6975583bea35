import type { DoctorUses } from "../doctor/cli.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { CommandSettings } from "../rates/cli/arguments.ts";
import type { OpenedFile } from "../rates/cli/import-progress.ts";
import type { RateLineReader, RateSource } from "../rates/source.ts";
import type { Clock } from "../shared/clock.ts";
import type { CopyProgress } from "../storage/copy/to-postgres.ts";
import type { BackupReport, RestoreReport } from "../storage/sqlite/backup/report.ts";
import type { Store } from "../store.ts";

/** What commands use of the outside world. */
export interface CommandUses {
  readonly version: string;
  readonly clock: Clock;
  /** Serves until it is told to stop. */
  readonly serve: () => Promise<void>;
  /** The configuration as far as commands go. @throws {ConfigError} */
  readonly settings: () => CommandSettings;
  /**
   * @param how whether to make an embedded database where there is none; unset: refuse.
   * @throws {StartError}
   */
  readonly openStore: (how?: { readonly makesStore: boolean }) => Promise<Store>;
  /** Brings the configured store up to the program's schema. @throws {StartError} */
  readonly migrateStore: () => Promise<{ readonly from: number; readonly to: number }>;
  /**
   * Copies an embedded database into a PostgreSQL database.
   *
   * @param ends unset: as they are configured.
   * @returns rows and sums by table.
   * @throws {StartError}
   */
  readonly copyStore: (
    ends: { readonly from: string | undefined; readonly to: string | undefined },
    onProgress: (progress: CopyProgress) => void,
  ) => Promise<ReadonlyMap<string, { readonly rows: number; readonly units: number }>>;
  /** Copies the embedded database to a file or into a directory. @throws {StartError} */
  readonly backupStore: (
    target: string,
    options: { readonly mayReplace: boolean },
  ) => Promise<BackupReport>;
  /** Puts a backup in the place of the embedded database. @throws {StartError} */
  readonly restoreStore: (
    file: string,
    options: { readonly reviveKeys: boolean },
  ) => Promise<RestoreReport>;
  readonly doctor: DoctorUses;
  /** What hands mails on, as it is configured. @throws {ConfigError} */
  readonly openMailer: () => Promise<Mailer>;
  /** A UUIDv7. */
  readonly newId: () => string;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** Every source that there is. */
  readonly sourceKeys: readonly string[];
  /** Opens a file, or stdin for `-`; its size is known for a file only. @throws as Node does. */
  readonly openFile: (path: string) => OpenedFile;
  readonly readRateFile: RateLineReader;
  /** Writes a line to stdout. */
  readonly print: (text: string) => void;
  /** Writes a line to stderr. */
  readonly printError: (text: string) => void;
  /** Shows a line of progress in place of the last, where a person watches; "" removes it. */
  readonly showProgress: (text: string) => void;
}

/** A command could not do what it was asked: one line that says why and what to do. */
export class CommandError extends Error {
  /** 1: it did not work out; 2: it was used wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

export interface OutputOptions {
  readonly json?: boolean;
}
