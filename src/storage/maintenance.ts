import { join } from "node:path";
import type { Table } from "./columns.ts";
import { openSqliteSource } from "./copy/from-sqlite.ts";
import type { CopyProgress, CopyReport } from "./copy/to-postgres.ts";
import type { MigrationReport } from "./migrations.ts";
import { commandTimeouts, type DatabaseHost, type StoreSettings } from "./settings.ts";
import {
  type BackupOptions,
  backupSqlite,
  lockBackupDirectory,
  makeBackupDirectory,
} from "./sqlite/backup/backup.ts";
import type { BackupReport, RestoreReport } from "./sqlite/backup/report.ts";
import type { RestoreOptions } from "./sqlite/backup/restore.ts";
import { FILE_NAME, requireDatabase } from "./sqlite/database-file.ts";
import { type OnWait, untilUnlocked } from "./sqlite/lock-file.ts";
import { migrateSqlite } from "./sqlite/open.ts";
import { isDirectory } from "./sqlite/private-files.ts";

/**
 * Migrates the configured store to the program's schema.
 * @returns the versions before and after.
 * @throws {StartupError}
 */
export async function migrateStore(
  { dataDirectory, database, backupDirectory }: StoreSettings,
  onWait: OnWait,
): Promise<MigrationReport> {
  if (database.engine === "sqlite") {
    const { busyTimeoutMs } = commandTimeouts;
    const work = () => migrateSqlite(dataDirectory, busyTimeoutMs, backupDirectory);
    return untilUnlocked(work, onWait);
  }
  const { migratePostgresStore } = await import("./postgres/open.ts");
  return migratePostgresStore(database.hosts);
}

/**
 * Copies the embedded database at a path into an empty PostgreSQL database.
 *
 * @param tables each after those that it references.
 * @throws {StartupError}
 */
export async function copyStore(
  path: string,
  hosts: readonly DatabaseHost[],
  tables: readonly Table[],
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const { copyToPostgres } = await import("./copy/to-postgres.ts");
  using source = openSqliteSource(path, tables);
  return await copyToPostgres(source, hosts, onProgress);
}

/**
 * Locks the directory that a backup goes to, until disposed, and waits for another backup in it.
 *
 * @param target a file or a directory; unset: the directory of backups, created where missing.
 * @returns undefined for a file: only backups named after their time are recorded and removed.
 * @throws {StartupError}
 */
export async function lockBackupTarget(
  { dataDirectory, backupDirectory }: StoreSettings,
  target: string | undefined,
  onWait: OnWait,
): Promise<Disposable | undefined> {
  requireDatabase(dataDirectory);
  if (target === undefined) makeBackupDirectory(backupDirectory);
  else if (!isDirectory(target)) return undefined;
  return await lockBackupDirectory(target ?? backupDirectory, onWait);
}

/**
 * Copies the embedded database as of one instant.
 *
 * @param target a file, or a directory under its lock.
 * @throws {StartupError}
 */
export function backupStore(
  { dataDirectory }: StoreSettings,
  target: string,
  options: BackupOptions,
): BackupReport {
  return backupSqlite(join(dataDirectory, FILE_NAME), target, options);
}

/**
 * Replaces the embedded database with a backup.
 *
 * @throws {StartupError} also when a program has it open.
 */
export async function restoreStore(
  { dataDirectory }: StoreSettings,
  file: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { restoreSqlite } = await import("./sqlite/backup/restore.ts");
  return restoreSqlite(dataDirectory, file, options);
}
