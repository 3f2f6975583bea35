import type { Command } from "commander";
import { type BackfillCommandDeps, backfillCommand } from "./backfill/cli.ts";
import { listCommand } from "./coverage/cli.ts";
import { type ImportCommandDeps, importCommand } from "./import/cli.ts";
import { readRateFile } from "./import/files/read-rate-file.ts";
import type { SeriesCommandDeps } from "./series/cli/arguments.ts";
import { compareCommand, ownCommand } from "./series/cli/commands.ts";
import type { RateCommandDeps } from "./served/cli/arguments.ts";
import { deleteCommand, rateGroup, signCommand, suspendCommands } from "./served/cli/commands.ts";
import { type HeldCommandDeps, heldCommands } from "./served/cli/held.ts";
import { type SourceCommandDeps, sourceCommands } from "./sources/cli.ts";
import { packContent } from "./sources/fetching/content.ts";
import { documentSources } from "./sources/fetching/registry.ts";
import { createHeadersOf } from "./sources/headers.ts";
import type { RateSource } from "./sources/source.ts";

type Given = RateCommandDeps &
  HeldCommandDeps &
  SeriesCommandDeps &
  SourceCommandDeps &
  BackfillCommandDeps &
  ImportCommandDeps;

type Made = "headersOf" | "packContent" | "readRateFile" | "servedKindOf" | "documentSources";

export type CommandDepsOfRates = Omit<Given, Made> & {
  /** Every source, without settings. */
  readonly knownSources: () => readonly RateSource[];
};

/**
 * Adds `kurs rates`, to which another wing adds commands, too. The help lists them in the order in
 * which these functions are called.
 */
export function commandsOfRates(
  program: Command,
  deps: CommandDepsOfRates,
  setExitCode: (code: number) => void,
) {
  const rates = rateGroup(program);
  const headersOf = createHeadersOf(deps.knownSources(), () => deps.settings().signingKey);
  const servedKindOf = (source: string) =>
    deps.knownSources().find(({ key }) => key === source)?.servedKind ?? "middle";
  const all = { ...deps, headersOf, packContent, readRateFile, servedKindOf, documentSources };
  return {
    rates,
    addImport: () => importCommand(rates, all, setExitCode),
    addMost() {
      listCommand(rates, all);
      suspendCommands(rates, all);
      deleteCommand(rates, all);
      sourceCommands(rates, all, setExitCode);
      backfillCommand(rates, all, setExitCode);
      heldCommands(rates, all);
      ownCommand(rates, all, setExitCode);
      compareCommand(rates, all);
    },
    addSign: () => signCommand(rates, all),
  };
}
