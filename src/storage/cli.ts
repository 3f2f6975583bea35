import type { Command } from "commander";
import type { CommandIo } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
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
