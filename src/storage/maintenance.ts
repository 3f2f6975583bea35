import type { Examination } from "../doctor/facts.ts";
import type { ObserveBatch } from "../metering/batch/batcher.ts";
import type { Store } from "../store.ts";
import { openSqliteSource } from "./copy/from-sqlite.ts";
import type { CopyProgress, CopyReport } from "./copy/to-postgres.ts";
import type { DatabaseHost, StoreSettings } from "./settings.ts";
import type { BackupNote, BackupReport, RestoreReport } from "./sqlite/backup/report.ts";
import { FILE_NAME, migrateSqlite, openSqliteStore } from "./sqlite/open.ts";

/** The embedded database's name in the data directory; its other files begin with it. */
export const databaseName = FILE_NAME;

/** How a process waits for its store. */
export interface Patience {
  /** How long to wait, blocking, while another process writes to the embedded database. */
  readonly busyTimeoutMs: number;
  /** Whether the embedded database is readied for a server: checked whole, its log at its size. */
  readonly isServer: boolean;
  /** Whether an embedded database is made where there is none. */
  readonly makesStore: boolean;
  /** Connections to PostgreSQL. */
  readonly connectionsMax: number;
  /** How long a statement may take on PostgreSQL; 0: as long as it needs. */
  readonly statementTimeoutMs: number;
}

/** For a server: no answer is held up for longer than two seconds. */
export const serverPatience: Patience = {
  busyTimeoutMs: 1000,
  isServer: true,
  makesStore: true,
  connectionsMax: 10,
  statementTimeoutMs: 1500,
};

/** For a command, which waits its turn beside a busy server. */
export const commandPatience: Patience = {
  busyTimeoutMs: 30_000,
  isServer: false,
  makesStore: false,
  connectionsMax: 2,
  statementTimeoutMs: 0,
};

/**
 * Opens the store that is configured, making it where it may be made and migrating it where needed.
 *
 * @param observeBatch is told of each batch of metered reads.
 * @throws {StartError}
 */
export async function openStore(
  { dataDirectory, databaseHosts }: StoreSettings,
  patience: Patience,
  observeBatch?: ObserveBatch,
): Promise<Store> {
  if (databaseHosts === undefined) {
    const { busyTimeoutMs, isServer, makesStore } = patience;
    const options = { isServer, observeBatch, mustExist: !makesStore };
    return openSqliteStore(dataDirectory, busyTimeoutMs, options);
  }
  // Who has one file need not load what talks to a cluster.
  const { openPostgresStore } = await import("./postgres/open.ts");
  return openPostgresStore(databaseHosts, patience, observeBatch);
}

/**
 * Brings the configured store up to the program's schema.
 *
 * @returns the versions before and after.
 * @throws {StartError}
 */
export async function migrateStore({ dataDirectory, databaseHosts }: StoreSettings) {
  if (databaseHosts === undefined) {
    return migrateSqlite(dataDirectory, commandPatience.busyTimeoutMs);
  }
  const { migratePostgresStore } = await import("./postgres/open.ts");
  return migratePostgresStore(databaseHosts);
}

/**
 * Copies the embedded database at a path into an empty PostgreSQL database.
 *
 * @throws {StartError}
 */
export async function copyStore(
  path: string,
  hosts: readonly DatabaseHost[],
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const { fillPostgres } = await import("./copy/to-postgres.ts");
  using source = openSqliteSource(path);
  return await fillPostgres(source, hosts, onProgress);
}

/**
 * Copies the embedded database as it stands at one instant.
 *
 * @throws {StartError}
 */
export async function backupStore(
  { dataDirectory }: StoreSettings,
  target: string,
  options: { readonly note: BackupNote; readonly mayReplace: boolean },
): Promise<BackupReport> {
  const { backupSqlite } = await import("./sqlite/backup/backup.ts");
  return backupSqlite(dataDirectory, target, options);
}

/**
 * Puts a backup in the place of the embedded database.
 *
 * @throws {StartError} also when a program has it open.
 */
export async function restoreStore(
  { dataDirectory }: StoreSettings,
  file: string,
  options: { readonly now: string; readonly reviveKeys: boolean },
): Promise<RestoreReport> {
  const { restoreSqlite } = await import("./sqlite/backup/restore.ts");
  return restoreSqlite(dataDirectory, file, options);
}

/** Looks at the configured store, and changes nothing. */
export async function examineStore(
  { dataDirectory, databaseHosts }: StoreSettings,
  isThorough: boolean,
): Promise<Examination> {
  if (databaseHosts !== undefined) {
    const { examinePostgres } = await import("../doctor/postgres.ts");
    return await examinePostgres(databaseHosts);
  }
  const { examineSqlite } = await import("../doctor/sqlite.ts");
  return await examineSqlite(dataDirectory, isThorough);
}
