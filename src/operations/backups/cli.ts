import { join } from "node:path";
import type { Command } from "commander";
import { CommandError, type CommandIo, type OutputOptions } from "../../platform/cli/command.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { redactDatabaseUrl, type StoreSettings } from "../../platform/storage/settings.ts";
import { FILE_NAME, requireDatabase } from "../../platform/storage/sqlite/database-file.ts";
import { isDirectory } from "../../platform/storage/sqlite/private-files.ts";
import { backupSqlite, lockBackupDirectory } from "./backup.ts";
import {
  backupJson,
  formatBackup,
  formatRestore,
  formatVerification,
  restoreJson,
  verificationJson,
} from "./format.ts";
import type { Verification } from "./verify.ts";

export interface BackupCommandDeps extends CommandIo {
  readonly version: string;
  /** @throws {ConfigError} */
  readonly settings: () => StoreSettings;
}

/** Adds `kurs backup`, `kurs backup verify` and `kurs restore`. */
export function backupCommands(program: Command, deps: BackupCommandDeps): void {
  program
    .command("backup")
    .description("copy the embedded database as of one instant, also while a server runs")
    .argument("[file]", "the backup's name, or a directory where it is named after its time")
    .option("--force", "replace a file of that name")
    .option("--verify", "then restore it into a scratch directory and check it")
    .option("--keep <n>", "then remove all but the newest N backups of that directory")
    .option("--json", "print the report as JSON")
    .addHelpText("after", backupExamples)
    .action((file: string | undefined, options: BackupOptions) => backUp(deps, file, options))
    .command("verify")
    .description("restore a backup into a scratch directory beside it, and check it thoroughly")
    .argument("[file]", "a backup, or a directory whose newest one is meant (default: BACKUP_DIR)")
    .option("--json", "print the report as JSON")
    .addHelpText("after", verifyExamples)
    .action((file: string | undefined, options: OutputOptions) => verify(deps, file, options));

  program
    .command("restore")
    .description("replace the embedded database with a backup; stop the server first")
    .argument("<file>", "a file written by kurs backup")
    .option("--revive-keys", "make keys valid again that were revoked after the backup")
    .option("--json", "print the report as JSON")
    .addHelpText("after", restoreExamples)
    .action((file: string, options: RestoreOptions) => restore(deps, file, options));
}

const backupExamples = `
The copy is checked before it gets its name, so the file is either complete or missing. It contains
digests of all credentials and the waiting mails, and only its owner may read it. Without a name it
goes to BACKUP_DIR.

Examples:
  $ kurs backup /var/backups/kurs/
  $ kurs backup /var/backups/kurs/ --verify --keep 14
  $ kurs backup kurs.backup.db --force`;

const verifyExamples = `
The scratch directory needs the size of the database, and is removed. The exit code is 1 when
something is wrong with the backup.

Examples:
  $ kurs backup verify
  $ kurs backup verify /var/backups/kurs/kurs-2026-11-21T04-00-00.000Z.db`;

const restoreExamples = `
Changes made after the backup are lost: accounts, keys, changed passwords, units charged and
granted. Keys and grants revoked, accounts suspended or deleted, their own quotas and pairs
suspended since then stay so if the replaced database can still be read, and the audit log keeps its
events. All sessions end, and links in mails
become invalid. The replaced database is kept in the same directory.

Example:
  $ kurs restore /var/backups/kurs/kurs-2026-11-21T04-00-00.000Z.db`;

interface BackupOptions extends OutputOptions {
  readonly force?: boolean;
  readonly verify?: boolean;
  readonly keep?: string;
}

interface RestoreOptions extends OutputOptions {
  readonly reviveKeys?: boolean;
}

async function backUp(deps: BackupCommandDeps, named: string | undefined, options: BackupOptions) {
  const { settings, clock, version, print, printError } = deps;
  const { force = false, verify: verifies = false, json } = options;
  requireEmbedded(
    settings(),
    (address) =>
      "back it up with PostgreSQL's own tools, such as\n" +
      `  pg_dump --format=custom --file=kurs.dump --dbname='${address}'\n` +
      "(it asks for the password, or takes it from PGPASSWORD or ~/.pgpass)",
  );
  if (named !== undefined) requireFileName(named);
  const keep =
    options.keep === undefined ? undefined : wholeNumber("--keep", options.keep, 1, 99_999);
  const isFile = named !== undefined && !isDirectory(named);
  if (keep !== undefined && isFile) {
    throw new CommandError(`--keep needs a directory of backups, and ${named} is not one`, 2);
  }
  const onWait = (message: string) => printError(`kurs: ${message}`);
  const { dataDirectory, backupDirectory } = settings();
  requireDatabase(dataDirectory);
  const target = named ?? backupDirectory;
  // Only backups that are named after their time are recorded and removed.
  using lock = isFile ? undefined : await lockBackupDirectory(target, onWait);
  const kept = await import("./kept.ts");
  const nowMs = clock.nowMs();
  const databaseId = lock && kept.databaseIdOfBackups(target, nowMs);
  const note = { takenAt: timestamp(nowMs), program: version };
  const live = join(dataDirectory, FILE_NAME);
  const taken = backupSqlite(live, target, { note, mayReplace: force, databaseId });
  const verification = verifies ? await verifyNew(taken.file, deps) : undefined;
  const isGood = verification === undefined || verification.problems.length === 0;
  const report = { ...taken, file: verification?.file ?? taken.file };
  // Older backups are the better ones when there is a problem with this one.
  const removed =
    keep === undefined || !isGood
      ? 0
      : await kept.removeOldBackups(target, {
          kept: keep,
          taken: report.file,
          nowMs: clock.nowMs(),
        });
  if (json) print(JSON.stringify(backupJson(report, verification, removed)));
  else {
    print(formatBackup(report));
    if (verification !== undefined && isGood) print(formatVerification(verification));
    if (removed > 0) print(`removed ${removed} older backups`);
  }
  if (!isGood) throw reportProblems(verification);
}

async function verify(deps: BackupCommandDeps, named: string | undefined, options: OutputOptions) {
  const { settings, clock, print, printError } = deps;
  requireEmbedded(settings(), () => "restore a dump into an empty database to verify it");
  if (named !== undefined) requireFileName(named);
  const kept = await import("./kept.ts");
  const place = named ?? settings().backupDirectory;
  using _lock = await kept.lockToVerify(kept.backupIn(place, clock.nowMs()), (message) =>
    printError(`kurs: ${message}`),
  );
  // A backup that this waited for may have removed the one that was the newest before.
  const verification = await verifyBackup(kept.backupIn(place, clock.nowMs()), deps);
  const isGood = verification.problems.length === 0;
  if (options.json) print(JSON.stringify(verificationJson(verification)));
  else if (isGood) print(formatVerification(verification));
  if (!isGood) throw reportProblems(verification);
}

async function verifyBackup(file: string, { clock }: BackupCommandDeps): Promise<Verification> {
  const { verifyBackup: restoreAndCheck } = await import("./verify.ts");
  return await restoreAndCheck(file, clock);
}

/** Verifies a new backup, and sets it aside if that fails. */
async function verifyNew(file: string, deps: BackupCommandDeps): Promise<Verification> {
  const { setAside } = await import("./kept.ts");
  let verification: Verification;
  try {
    verification = await verifyBackup(file, deps);
  } catch (error) {
    await setAside(file);
    throw error;
  }
  if (verification.problems.length === 0) return verification;
  return { ...verification, file: await setAside(file) };
}

async function restore(deps: BackupCommandDeps, file: string, options: RestoreOptions) {
  const { settings, origin, print } = deps;
  const { reviveKeys = false, json } = options;
  requireEmbedded(
    settings(),
    (address) =>
      "restore it with PostgreSQL's own tools, such as\n" +
      `  pg_restore --clean --if-exists --single-transaction --dbname='${address}' ` +
      "kurs.dump\n(stop every node first; after it, end all sessions and mailed links:\n" +
      "  DELETE FROM sessions; DELETE FROM mail_tokens)",
  );
  requireFileName(file);
  const { restoreSqlite } = await import("./restore.ts");
  const by = origin();
  const report = restoreSqlite(settings().dataDirectory, file, {
    now: by.at,
    reviveKeys,
    origin: by,
  });
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
  if (file === "") throw new CommandError("name a file or a directory, not an empty one", 2);
  if (file !== "-") return;
  throw new CommandError("name a file: a backup is checked completely, so it cannot use a pipe", 2);
}

function reportProblems(verification: Verification | undefined): CommandError {
  const { file = "", problems = [] } = verification ?? {};
  const reasons = problems.map((problem) => problem.replace(/\.$/, ""));
  return new CommandError(`the backup ${file} is not good: ${reasons.join("; ")}.`);
}
