import { Command, CommanderError } from "commander";
import {
  type BookkeepingCommandDeps,
  bookkeepingCommands,
  exportCommand,
} from "../bookkeeping/commands.ts";
import {
  type CustomerCommandDeps,
  customerCommands,
  type OutboxCommandDeps,
  outboxCommands,
} from "../customers/commands.ts";
import { type OperationCommandDeps, operationCommands } from "../operations/commands.ts";
import { CommandError } from "../platform/cli/command.ts";
import {
  type AuditCommandDeps,
  auditCommands,
  docsCommand,
  type StoreCommandDeps,
  storeCommands,
} from "../platform/commands.ts";
import { WRONG_USE } from "../platform/shared/program/start-error.ts";
import { withoutSecrets } from "../platform/shared/text/credentials.ts";
import { type CommandDepsOfRates, commandsOfRates } from "../rates/commands.ts";
import { type SettingsCommandDeps, settingsCommand, settingsHelp } from "./settings-command.ts";

/** The dependencies of all commands together. */
export type CommandDeps = CustomerCommandDeps &
  OutboxCommandDeps &
  CommandDepsOfRates &
  BookkeepingCommandDeps &
  OperationCommandDeps &
  AuditCommandDeps &
  StoreCommandDeps &
  SettingsCommandDeps & {
    /** Serves until a signal stops it. */
    readonly serve: () => Promise<void>;
  };

/**
 * Runs one command of `kurs`.
 *
 * @returns the exit code: 0 success, 1 failure, 2 wrong use, 3 not proven.
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

/** Every command, with its help, which lists them in this order. */
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
  const ofRates = commandsOfRates(program, deps, setExitCode);
  ofRates.addImport();
  exportCommand(ofRates.rates, deps);
  ofRates.addMost();
  bookkeepingCommands(ofRates.rates, deps, setExitCode);
  ofRates.addSign();
  customerCommands(program, deps);
  auditCommands(program, deps);
  outboxCommands(program, deps);
  storeCommands(program, deps);
  operationCommands(program, deps, setExitCode);
  docsCommand(program, deps);
  return program;
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
