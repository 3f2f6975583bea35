import type { Command } from "commander";
import { CommandError, type CommandIo, type OutputOptions } from "../cli/command.ts";
import { type Column, progressBar, table } from "../cli/output.ts";
import type { TableTotals } from "./copy/tables.ts";
import type { CopyProgress, CopyReport } from "./copy/to-postgres.ts";
import type { BackupReport, DatabaseTotals, RestoreReport } from "./sqlite/backup/report.ts";

export interface BackupCommandUses extends CommandIo {
  readonly settings: () => {
    /** PostgreSQL's address without the password; undefined: the store is embedded. */
    readonly databaseAddress: string | undefined;
  };
  /** Copies the embedded database to a file or into a directory. @throws {StartupError} */
  readonly backupStore: (
    target: string,
    options: { readonly mayReplace: boolean },
  ) => Promise<BackupReport>;
  /** Replaces the embedded database with a backup. @throws {StartupError} */
  readonly restoreStore: (
    file: string,
    options: { readonly reviveKeys: boolean },
  ) => Promise<RestoreReport>;
}

/** Adds `kurs backup` and `kurs restore`. */
export function backupCommands(program: Command, uses: BackupCommandUses): void {
  program
    .command("backup")
    .description("copy the embedded database as of one instant, also while a server runs")
    .argument("<file>", "the backup's name, or a directory where it is named after its time")
    .option("--force", "replace a file of that name")
    .option("--json", "print the report as JSON")
    .addHelpText("after", backupExamples)
    .action((file: string, options: BackupOptions) => backUp(uses, file, options));

  program
    .command("restore")
    .description("replace the embedded database with a backup; stop the server first")
    .argument("<file>", "a file written by kurs backup")
    .option("--revive-keys", "make keys valid again that were revoked after the backup")
    .option("--json", "print the report as JSON")
    .addHelpText("after", restoreExamples)
    .action((file: string, options: RestoreOptions) => restore(uses, file, options));
}

const backupExamples = `
The copy is checked before it gets its name, so the file is either complete or missing. It contains
digests of all credentials and the waiting mails, and only its owner may read it.

Examples:
  $ kurs backup /var/backups/kurs/
  $ kurs backup kurs.backup.db --force`;

const restoreExamples = `
Changes made after the backup are lost: accounts, keys, changed passwords, units charged. Keys
revoked since then stay revoked if the replaced database can still be read. All sessions end, and
links in mails become invalid. The replaced database is kept in the same directory.

Example:
  $ kurs restore /var/backups/kurs/kurs-2026-11-21T04-00-00.000Z.db`;

interface BackupOptions extends OutputOptions {
  readonly force?: boolean;
}

interface RestoreOptions extends OutputOptions {
  readonly reviveKeys?: boolean;
}

async function backUp(uses: BackupCommandUses, file: string, { force, json }: BackupOptions) {
  const { databaseAddress } = uses.settings();
  if (databaseAddress !== undefined) {
    throw new CommandError(
      "the store is on PostgreSQL: back it up with PostgreSQL's own tools, such as\n" +
        `  pg_dump --format=custom --file=kurs.dump --dbname='${databaseAddress}'\n` +
        "(it asks for the password, or takes it from PGPASSWORD or ~/.pgpass)",
      2,
    );
  }
  requireFileName(file);
  const report = await uses.backupStore(file, { mayReplace: force ?? false });
  uses.print(json ? JSON.stringify(backupJson(report)) : formatBackup(report));
}

async function restore(
  uses: BackupCommandUses,
  file: string,
  { reviveKeys, json }: RestoreOptions,
) {
  const { databaseAddress } = uses.settings();
  if (databaseAddress !== undefined) {
    throw new CommandError(
      "the store is on PostgreSQL: restore it with PostgreSQL's own tools, such as\n" +
        `  pg_restore --clean --if-exists --single-transaction --dbname='${databaseAddress}' ` +
        "kurs.dump\n(stop every node first; end all sessions after it: DELETE FROM sessions)",
      2,
    );
  }
  requireFileName(file);
  const revive = reviveKeys ?? false;
  const report = await uses.restoreStore(file, { reviveKeys: revive });
  uses.print(json ? JSON.stringify(restoreJson(report)) : formatRestore(report, revive));
}

function requireFileName(file: string): void {
  if (file !== "-") return;
  throw new CommandError("name a file: a backup is checked completely, so it cannot use a pipe", 2);
}

function formatBackup(report: BackupReport): string {
  const { file, sizeBytes, takenAt, schema } = report;
  const size = `${Math.ceil(sizeBytes / 1024)} KiB`;
  return `backed up to ${file} (${size}, schema ${schema}) as of ${takenAt}: ${totalsOf(report)}`;
}

function formatRestore(report: RestoreReport, reviveKeys: boolean): string {
  const { note, database, schema, sessionsEnded, kept, forgotten } = report;
  const made = note === undefined ? "a copy" : `the backup of ${note.takenAt} (${note.program})`;
  const lines = [`restored ${made} to ${database}, schema ${schema}: ${totalsOf(report)}`];
  if (kept !== undefined) lines.push(`the replaced database is kept: ${kept}`);
  if (forgotten !== undefined) {
    const { accounts, keys, units, passwords, revocations } = forgotten;
    lines.push(
      `lost since then: ${accounts} accounts, ${keys} keys, ${units} units charged, ` +
        `${passwords} changed passwords`,
      `${revocations} keys revoked since then ${reviveKeys ? "are valid again" : "stay revoked"}`,
    );
  } else if (kept !== undefined) {
    lines.push(
      "it cannot be read: keys revoked and passwords changed since then are as in the backup",
    );
  } else lines.push("keys revoked and passwords changed since then are as in the backup");
  lines.push(`${sessionsEnded} sessions were ended, and links in earlier mails are invalid`);
  return lines.join("\n");
}

function totalsOf({ accounts, activeKeys, units }: DatabaseTotals): string {
  return `${accounts} accounts, ${activeKeys} active keys, ${units} units`;
}

function backupJson({ takenAt, sizeBytes, activeKeys, ...rest }: BackupReport) {
  return { ...rest, taken_at: takenAt, size_bytes: sizeBytes, active_keys: activeKeys };
}

function restoreJson({ note, activeKeys, sessionsEnded, kept, forgotten, ...rest }: RestoreReport) {
  return {
    ...rest,
    active_keys: activeKeys,
    taken_at: note?.takenAt ?? null,
    program: note?.program ?? null,
    sessions_ended: sessionsEnded,
    kept: kept ?? null,
    forgotten: forgotten ?? null,
  };
}

export interface StoreCommandUses extends CommandIo {
  /** Migrates the configured store to the program's schema. @throws {StartupError} */
  readonly migrateStore: () => Promise<{ readonly from: number; readonly to: number }>;
  /**
   * Copies an embedded database into a PostgreSQL database.
   *
   * @param ends the databases; unset ones come from the configuration.
   * @returns rows and sums by table.
   * @throws {StartupError}
   */
  readonly copyStore: (
    ends: { readonly from: string | undefined; readonly to: string | undefined },
    onProgress: (progress: CopyProgress) => void,
  ) => Promise<CopyReport>;
}

/** Adds `kurs store …` and `kurs migrate`. */
export function storeCommands(program: Command, uses: StoreCommandUses): void {
  program
    .command("migrate")
    .description("migrate the store to this program's schema; a server does so at startup")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://localhost/kurs kurs migrate")
    .action(() => migrate(uses));

  const store = program
    .command("store")
    .description("move the whole store")
    .addHelpText("after", copyExample);

  store
    .command("copy")
    .description("copy all of an embedded database into an empty PostgreSQL database")
    .option("--from <source>", "sqlite:PATH of a data directory or file (default: DATA_DIR)")
    .option("--to <target>", "postgres://… (default: DATABASE_URL, which ps does not show)")
    .addHelpText("after", copyExample)
    .action((options: CopyOptions) => copy(uses, options));
}

const copyExample = `
Stop the server first: the copy misses units that it charges later.

Example:
  $ kurs store copy --from sqlite:./data --to postgres://kurs@db.example.org/kurs`;

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
}

async function migrate({ migrateStore, print }: StoreCommandUses): Promise<void> {
  const { from, to } = await migrateStore();
  print(
    from === to ? `the schema is ${to}: nothing to do` : `the schema was ${from} and is now ${to}`,
  );
}

async function copy(uses: StoreCommandUses, { from, to }: CopyOptions): Promise<void> {
  const { copyStore, print, showProgress } = uses;
  const path = /^sqlite:(.+)$/.exec(from ?? "")?.[1];
  if (from !== undefined && path === undefined) {
    throw new CommandError(`--from ${from}: want sqlite: and a path, such as sqlite:./data`, 2);
  }
  const report = await copyStore({ from: path, to }, ({ table: name, copied, total }) => {
    showProgress(`${progressBar(total === 0 ? 1 : copied / total)} ${name}`);
  });
  const columns: readonly Column<[string, TableTotals]>[] = [
    ["TABLE", ([name]) => name],
    ["ROWS", ([, { rows }]) => rows, "right"],
    ["SUM", ([, { units }]) => units, "right"],
  ];
  print(table(columns, [...report]));
  print("copied and compared: counts and sums agree");
}
