import type { Command } from "commander";
import { CommandError, type CommandIo, type OutputOptions } from "../cli/command.ts";
import { type Column, progressBar, table } from "../cli/output.ts";
import { timestamp } from "../shared/instant.ts";
import type { Table } from "./columns.ts";
import type { TableTotals } from "./copy/tables.ts";
import { backupStore, copyStore, migrateStore, restoreStore } from "./maintenance.ts";
import {
  databaseOptionProblems,
  parseDatabaseUrl,
  redactDatabaseUrl,
  type StoreSettings,
} from "./settings.ts";
import type { BackupReport, DatabaseTotals, RestoreReport } from "./sqlite/backup/report.ts";

export interface StoreCommandDeps extends CommandIo {
  readonly version: string;
  /** @throws {ConfigError} */
  readonly settings: () => StoreSettings;
  /** What `kurs store copy` copies, each table after those that it references. */
  readonly tables: readonly Table[];
}

/** Adds `kurs migrate`, `kurs store …`, `kurs backup` and `kurs restore`. */
export function storeCommands(program: Command, deps: StoreCommandDeps): void {
  program
    .command("migrate")
    .description("migrate the store to this program's schema; a server does so at startup")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://localhost/kurs kurs migrate")
    .action(() => migrate(deps));

  program
    .command("store")
    .description("move the whole store")
    .addHelpText("after", copyExample)
    .command("copy")
    .description("copy all of an embedded database into an empty PostgreSQL database")
    .option("--from <source>", "sqlite:PATH of a data directory or file (default: DATA_DIR)")
    .option("--to <target>", "postgres://… (default: DATABASE_URL, which ps does not show)")
    .addHelpText("after", copyExample)
    .action((options: CopyOptions) => copy(deps, options));

  program
    .command("backup")
    .description("copy the embedded database as of one instant, also while a server runs")
    .argument("<file>", "the backup's name, or a directory where it is named after its time")
    .option("--force", "replace a file of that name")
    .option("--json", "print the report as JSON")
    .addHelpText("after", backupExamples)
    .action((file: string, options: BackupOptions) => backUp(deps, file, options));

  program
    .command("restore")
    .description("replace the embedded database with a backup; stop the server first")
    .argument("<file>", "a file written by kurs backup")
    .option("--revive-keys", "make keys valid again that were revoked after the backup")
    .option("--json", "print the report as JSON")
    .addHelpText("after", restoreExamples)
    .action((file: string, options: RestoreOptions) => restore(deps, file, options));
}

const copyExample = `
Stop the server first: the copy misses units that it charges later.

Example:
  $ kurs store copy --from sqlite:./data --to postgres://kurs@db.example.org/kurs`;

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

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
}

interface BackupOptions extends OutputOptions {
  readonly force?: boolean;
}

interface RestoreOptions extends OutputOptions {
  readonly reviveKeys?: boolean;
}

async function migrate({ settings, print }: StoreCommandDeps): Promise<void> {
  const { from, to } = await migrateStore(settings());
  print(
    from === to ? `the schema is ${to}: nothing to do` : `the schema was ${from} and is now ${to}`,
  );
}

async function copy(deps: StoreCommandDeps, { from, to }: CopyOptions): Promise<void> {
  const { settings, tables, print, showProgress } = deps;
  const path = /^sqlite:(.+)$/.exec(from ?? "")?.[1];
  if (from !== undefined && path === undefined) {
    throw new CommandError(`--from ${from}: want sqlite: and a path, such as sqlite:./data`, 2);
  }
  const { dataDirectory, database } = settings();
  const configured = database.engine === "postgres" ? database.hosts : undefined;
  const hosts = to === undefined ? configured : parseDatabaseUrl(to);
  const problems = databaseOptionProblems(to ?? "");
  if (hosts === undefined) problems.push("want an address such as postgres://localhost/kurs");
  if (hosts === undefined || problems.length > 0) {
    throw new CommandError(`--to or DATABASE_URL: ${problems.join("; ")}`, 2);
  }
  const report = await copyStore(path ?? dataDirectory, hosts, tables, (progress) => {
    const { table: name, copied, total } = progress;
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

async function backUp(deps: StoreCommandDeps, file: string, { force, json }: BackupOptions) {
  const { settings, clock, version, print } = deps;
  requireEmbedded(
    settings(),
    (address) =>
      "back it up with PostgreSQL's own tools, such as\n" +
      `  pg_dump --format=custom --file=kurs.dump --dbname='${address}'\n` +
      "(it asks for the password, or takes it from PGPASSWORD or ~/.pgpass)",
  );
  requireFileName(file);
  const note = { takenAt: timestamp(clock.nowMs()), program: version };
  const report = await backupStore(settings(), file, { note, mayReplace: force ?? false });
  print(json ? JSON.stringify(backupJson(report)) : formatBackup(report));
}

async function restore(deps: StoreCommandDeps, file: string, options: RestoreOptions) {
  const { settings, clock, print } = deps;
  const { reviveKeys = false, json } = options;
  requireEmbedded(
    settings(),
    (address) =>
      "restore it with PostgreSQL's own tools, such as\n" +
      `  pg_restore --clean --if-exists --single-transaction --dbname='${address}' ` +
      "kurs.dump\n(stop every node first; end all sessions after it: DELETE FROM sessions)",
  );
  requireFileName(file);
  const now = timestamp(clock.nowMs());
  const report = await restoreStore(settings(), file, { now, reviveKeys });
  print(json ? JSON.stringify(restoreJson(report)) : formatRestore(report, reviveKeys));
}

/** @throws {CommandError} with advice for PostgreSQL's address without its password. */
function requireEmbedded(
  { database }: StoreSettings,
  adviceFor: (address: string) => string,
): void {
  if (database.engine === "sqlite") return;
  const address = redactDatabaseUrl(database.hosts);
  throw new CommandError(`the store is on PostgreSQL: ${adviceFor(address)}`, 2);
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
