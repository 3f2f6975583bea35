import { Command, CommanderError } from "commander";
import type { ApplicableRateDeps } from "../bookkeeping/applicable-rates/cli/arguments.ts";
import { forCommand } from "../bookkeeping/applicable-rates/cli/for.ts";
import { presetsCommand } from "../bookkeeping/applicable-rates/cli/presets.ts";
import { evidenceCommand } from "../bookkeeping/evidence/cli/make.ts";
import type { EvidenceDeps } from "../bookkeeping/evidence/cli/verify.ts";
import { type ExportCommandDeps, exportCommand } from "../bookkeeping/export/cli.ts";
import { type DocumentCommandDeps, documentCommand } from "../bookkeeping/export/document-cli.ts";
import type { ProvenanceCommandDeps } from "../bookkeeping/provenance/cli/arguments.ts";
import { atCommand } from "../bookkeeping/provenance/cli/at.ts";
import { historyCommand } from "../bookkeeping/provenance/cli/history.ts";
import { traceCommand } from "../bookkeeping/provenance/cli/trace.ts";
import { verifyCommand } from "../bookkeeping/provenance/cli/verify.ts";
import { type AccountCommandDeps, accountCommands } from "../customers/accounts/cli.ts";
import {
  type AdministrationCommandDeps,
  administrationCommands,
} from "../customers/administration/cli.ts";
import { type KeyCommandDeps, keyCommands } from "../customers/api-keys/cli.ts";
import {
  type PlanCommandDeps,
  planCommands,
  type UsageCommandDeps,
  usageCommands,
} from "../customers/billing/cli.ts";
import { type MailCommandDeps, mailCommands } from "../customers/mail/cli.ts";
import { type InviteCommandDeps, inviteCommands } from "../customers/registration/cli.ts";
import { type BackupCommandDeps, backupCommands } from "../operations/backups/cli.ts";
import { type ClockCommandDeps, clockCommands } from "../operations/cleanup/cli.ts";
import { type DoctorCommandDeps, doctorCommands } from "../operations/doctor/cli.ts";
import { type AuditCommandDeps, auditCommands } from "../platform/audit/cli.ts";
import { CommandError } from "../platform/cli/command.ts";
import { docsCommand } from "../platform/cli/docs-command.ts";
import { WRONG_USE } from "../platform/shared/program/start-error.ts";
import { withoutSecrets } from "../platform/shared/secrets.ts";
import { type StoreCommandDeps, storeCommands } from "../platform/storage/cli.ts";
import { type BackfillCommandDeps, backfillCommand } from "../rates/backfill/cli.ts";
import { listCommand } from "../rates/coverage/cli.ts";
import { type ImportCommandDeps, importCommand } from "../rates/import/cli.ts";
import type { SeriesCommandDeps } from "../rates/series/cli/arguments.ts";
import { compareCommand, ownCommand } from "../rates/series/cli/commands.ts";
import type { RateCommandDeps } from "../rates/served/cli/arguments.ts";
import {
  deleteCommand,
  heldCommands,
  rateGroup,
  signCommand,
  suspendCommands,
} from "../rates/served/cli/commands.ts";
import { type SourceCommandDeps, sourceCommands } from "../rates/sources/cli.ts";
import { type SettingsCommandDeps, settingsCommand, settingsHelp } from "./settings-command.ts";

/** The dependencies of all commands together. */
export type CommandDeps = AccountCommandDeps &
  InviteCommandDeps &
  AdministrationCommandDeps &
  KeyCommandDeps &
  PlanCommandDeps &
  AuditCommandDeps &
  UsageCommandDeps &
  MailCommandDeps &
  RateCommandDeps &
  SourceCommandDeps &
  BackfillCommandDeps &
  ImportCommandDeps &
  ExportCommandDeps &
  DocumentCommandDeps &
  ProvenanceCommandDeps &
  SeriesCommandDeps &
  ApplicableRateDeps &
  EvidenceDeps &
  StoreCommandDeps &
  BackupCommandDeps &
  ClockCommandDeps &
  DoctorCommandDeps &
  SettingsCommandDeps & {
    /** Serves until a signal stops it. */
    readonly serve: () => Promise<void>;
  };

/**
 * Runs one command of `kurs`.
 *
 * @returns the exit code: 0 success, 1 failure, 2 wrong use.
 */
export async function runCommandLine(args: readonly string[], deps: CommandDeps): Promise<number> {
  let exitCode = 0;
  const program = createProgram(deps, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
    if (!(error instanceof CommandError)) throw error;
    deps.printError(withoutSecrets(`kurs: ${error.message}`));
    return error.exitCode;
  }
}

/** Every command, with its help. */
export function createProgram(deps: CommandDeps, setExitCode: (code: number) => void): Command {
  const program = new Command("kurs")
    .description("Serves exchange rates exactly as published, and counts every read.")
    .version(deps.version)
    .exitOverride()
    // An option after a command's name belongs to that command: kurs backup verify --json.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for the arguments and examples)")
    .configureOutput({
      writeOut: trimmedTo(deps.print),
      writeErr: trimmedTo((text) => deps.printError(withoutSecrets(text))),
    })
    .addHelpText("after", examples);

  program
    .command("serve")
    .description("serve the API until SIGTERM")
    .addHelpText("after", () => `${settingsHelp()}\n\n${serveExample}`)
    .action(() => deps.serve());
  settingsCommand(program, deps);
  rateCommands(program, deps, setExitCode);
  planCommands(program, deps);
  usageCommands(program, deps);
  const accounts = accountCommands(program, deps);
  inviteCommands(accounts, deps);
  administrationCommands(accounts, deps);
  keyCommands(program, deps);
  auditCommands(program, deps);
  mailCommands(program, deps);
  storeCommands(program, deps);
  backupCommands(program, deps);
  clockCommands(program, deps);
  doctorCommands(program, deps, setExitCode);
  docsCommand(program, deps);
  return program;
}

/** Adds `kurs rates …`. The help lists the commands in this order. */
function rateCommands(
  program: Command,
  deps: CommandDeps,
  setExitCode: (code: number) => void,
): void {
  const rates = rateGroup(program);
  importCommand(rates, deps, setExitCode);
  exportCommand(rates, deps);
  listCommand(rates, deps);
  suspendCommands(rates, deps);
  deleteCommand(rates, deps);
  sourceCommands(rates, deps, setExitCode);
  backfillCommand(rates, deps, setExitCode);
  heldCommands(rates, deps);
  ownCommand(rates, deps, setExitCode);
  compareCommand(rates, deps);
  historyCommand(rates, deps);
  atCommand(rates, deps);
  traceCommand(rates, deps, setExitCode);
  verifyCommand(rates, deps, setExitCode);
  forCommand(rates, deps, setExitCode);
  presetsCommand(rates, deps);
  documentCommand(rates, deps);
  evidenceCommand(rates, deps, setExitCode);
  signCommand(rates, deps);
}

const trimmedTo = (print: (text: string) => void) => (text: string) => print(text.trimEnd());

const serveExample = `Example:
  $ PORT=8080 DATA_DIR=/var/lib/kurs kurs serve`;

const examples = `
Commands work on the store of DATABASE_URL or, without it, on the database in DATA_DIR, also while
servers run.

Examples:
  $ kurs serve
  $ kurs rates import rates.csv
  $ kurs rates list EUR
  $ kurs plans set pro 1000000
  $ kurs accounts plan ada@example.org pro`;
