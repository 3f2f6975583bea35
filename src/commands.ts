import { Command, CommanderError } from "commander";
import { type AccountCommandDeps, accountCommands } from "./accounts/cli.ts";
import { type AdministrationCommandDeps, administrationCommands } from "./administration/cli.ts";
import { type KeyCommandDeps, keyCommands } from "./api-keys/cli.ts";
import type { ApplicableRateDeps } from "./applicable-rates/cli/dependencies.ts";
import { forCommand } from "./applicable-rates/cli/for.ts";
import { presetsCommand } from "./applicable-rates/cli/presets.ts";
import { type AuditCommandDeps, auditCommands } from "./audit/cli.ts";
import { type BackfillCommandDeps, backfillCommand } from "./backfill/cli.ts";
import { type BackupCommandDeps, backupCommands } from "./backups/cli.ts";
import { type PlanCommandDeps, planCommands } from "./billing/cli.ts";
import { type UsageCommandDeps, usageCommands } from "./billing/usage-cli.ts";
import { type ClockCommandDeps, clockCommands } from "./cleanup/cli.ts";
import { CommandError } from "./cli/command.ts";
import { docsCommand } from "./cli/docs-command.ts";
import { listCommand } from "./coverage/cli.ts";
import { type DoctorCommandDeps, doctorCommands } from "./doctor/cli.ts";
import type { EvidenceDeps } from "./evidence/cli/dependencies.ts";
import { evidenceCommand } from "./evidence/cli/make.ts";
import { type ExportCommandDeps, exportCommand } from "./export/cli.ts";
import { type DocumentCommandDeps, documentCommand } from "./export/document-cli.ts";
import { type ImportCommandDeps, importCommand } from "./import/cli.ts";
import { type MailCommandDeps, mailCommands } from "./mail/cli.ts";
import { atCommand } from "./provenance/cli/at.ts";
import type { ProvenanceCommandDeps } from "./provenance/cli/dependencies.ts";
import { historyCommand } from "./provenance/cli/history.ts";
import { traceCommand } from "./provenance/cli/trace.ts";
import { verifyCommand } from "./provenance/cli/verify.ts";
import type { RateCommandDeps } from "./rates/cli/arguments.ts";
import { deleteCommand } from "./rates/cli/delete.ts";
import { heldCommands } from "./rates/cli/held.ts";
import { rateGroup, suspendCommands } from "./rates/cli/rates.ts";
import { signCommand } from "./rates/cli/sign.ts";
import { type InviteCommandDeps, inviteCommands } from "./registration/cli.ts";
import type { SeriesCommandDeps } from "./series/cli/arguments.ts";
import { compareCommand } from "./series/cli/compare.ts";
import { ownCommand } from "./series/cli/own.ts";
import { type SettingsCommandDeps, settingsCommand, settingsHelp } from "./settings-command.ts";
import { WRONG_USE } from "./shared/program/start-error.ts";
import { withoutSecrets } from "./shared/secrets.ts";
import { type SourceCommandDeps, sourceCommands } from "./sources/cli.ts";
import { type StoreCommandDeps, storeCommands } from "./storage/cli.ts";

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
