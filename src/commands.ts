import { Command, CommanderError } from "commander";
import { type AccountCommandUses, accountCommands } from "./accounts/cli.ts";
import { type PlanCommandUses, planCommands } from "./billing/cli.ts";
import { CommandError } from "./cli/command.ts";
import { type DoctorCommandUses, doctorCommand } from "./doctor/cli.ts";
import { type MailCommandUses, mailCommands } from "./mail/cli.ts";
import type { RateCommandUses } from "./rates/cli/arguments.ts";
import { rateCommands } from "./rates/cli/rates.ts";
import {
  type BackupCommandUses,
  backupCommands,
  type StoreCommandUses,
  storeCommands,
} from "./storage/cli.ts";

/** The dependencies of all commands together. */
export type CommandDeps = AccountCommandUses &
  PlanCommandUses &
  MailCommandUses &
  RateCommandUses &
  StoreCommandUses &
  BackupCommandUses &
  DoctorCommandUses & {
    /** Serves until a signal stops it. */
    readonly serve: () => Promise<void>;
  };

const WRONG_USE = 2;

/**
 * Runs one command of `kurs`.
 *
 * @returns the exit code: 0 success, 1 failure, 2 wrong use.
 */
export async function runCommandLine(args: readonly string[], uses: CommandDeps): Promise<number> {
  let exitCode = 0;
  const program = createProgram(uses, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
    if (!(error instanceof CommandError)) throw error;
    uses.printError(`kurs: ${error.message}`);
    return error.exitCode;
  }
}

function createProgram(uses: CommandDeps, setExitCode: (code: number) => void): Command {
  const program = new Command("kurs")
    .description("Serves exchange rates exactly as published, and counts every read.")
    .version(uses.version)
    .exitOverride()
    .showHelpAfterError("(add --help for the arguments and examples)")
    .configureOutput({ writeOut: trimmedTo(uses.print), writeErr: trimmedTo(uses.printError) })
    .addHelpText("after", examples);

  program
    .command("serve")
    .description("serve the API until SIGTERM; its environment variables: docs/settings.md")
    .addHelpText("after", "\nExample:\n  $ PORT=8080 DATA_DIR=/var/lib/kurs kurs serve")
    .action(() => uses.serve());
  rateCommands(program, uses, setExitCode);
  planCommands(program, uses);
  accountCommands(program, uses);
  mailCommands(program, uses);
  storeCommands(program, uses);
  backupCommands(program, uses);
  doctorCommand(program, uses, setExitCode);
  return program;
}

const trimmedTo = (print: (text: string) => void) => (text: string) => print(text.trimEnd());

const examples = `
Commands work on the store of DATABASE_URL or, without it, on the database in DATA_DIR, also while
servers run.

Examples:
  $ kurs serve
  $ kurs rates import rates.csv
  $ kurs rates list EUR
  $ kurs plans set pro 1000000
  $ kurs accounts plan ada@example.org pro`;
