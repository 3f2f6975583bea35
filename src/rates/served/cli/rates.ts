import type { Command } from "commander";
import { type Pair, pairName } from "../rules/symbol.ts";
import { notStored, pairOf, type RateCommandDeps } from "./arguments.ts";

/** Adds `kurs rates`, to which every feature of rates adds its commands. */
export function rateGroup(program: Command): Command {
  return program
    .command("rates")
    .description("store, show, suspend and delete rates")
    .addHelpText("after", "\nExample:\n  $ kurs rates import rates.csv");
}

/** Adds `kurs rates suspend` and `kurs rates resume`. */
export function suspendCommands(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("suspend")
    .description("respond to reads of a pair with 503 until it is resumed; they are charged")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates suspend EUR USD")
    .action((base: string, quote: string) => setSuspended(deps, pairOf(base, quote), "suspend"));

  rates
    .command("resume")
    .description("serve a suspended pair again")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates resume EUR USD")
    .action((base: string, quote: string) => setSuspended(deps, pairOf(base, quote), "resume"));
}

async function setSuspended(
  { openStore, origin, print }: RateCommandDeps,
  pair: Pair,
  change: "suspend" | "resume",
): Promise<void> {
  await using store = await openStore();
  const name = pairName(pair);
  if (!(await store.rates[change](pair, origin()))) throw notStored(pair);
  print(change === "resume" ? `${name} is served again` : `${name} is suspended`);
}
