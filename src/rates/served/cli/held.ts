import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { formatList } from "../../../platform/cli/output.ts";
import { heldRateJson } from "../json.ts";
import { type Pair, pairName } from "../rules/symbol.ts";
import { pairOf, type RateCommandDeps, shortAsOf } from "./arguments.ts";
import { warnOfMissingKey } from "./sign.ts";

/** Adds `kurs rates held`, `release` and `drop`. */
export function heldCommands(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("held")
    .description("show the rates that are held because they jumped too far")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates held\n  $ kurs rates held --json")
    .action((options: OutputOptions) => listHeld(deps, options));

  rates
    .command("release")
    .description("serve a held rate from now on")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates release BTC USD")
    .action((base: string, quote: string) => release(deps, pairOf(base, quote)));

  rates
    .command("drop")
    .description("delete a held rate; the stored rate stays")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates drop BTC USD")
    .action((base: string, quote: string) => drop(deps, pairOf(base, quote)));
}

async function listHeld({ openStore, print }: RateCommandDeps, options: OutputOptions) {
  await using store = await openStore();
  const text = formatList(await store.rates.listHeld(), options, {
    toJson: heldRateJson,
    columns: [
      ["PAIR", pairName],
      ["HELD", ({ rate }) => rate, "right"],
      ["SERVED", ({ servedRate }) => servedRate, "right"],
      ["AS OF", shortAsOf],
      ["SOURCE", ({ source }) => source],
    ],
    none: "No rate is held.",
  });
  print(text);
}

async function release(deps: RateCommandDeps, pair: Pair): Promise<void> {
  const { openStore, headersOf, origin, print } = deps;
  await using store = await openStore();
  await warnOfMissingKey(store, deps);
  const released = await store.rates.releaseHeld(pair, headersOf, origin());
  if (released === undefined) throw notHeld(pair);
  print(`${pairName(pair)} is served at ${released.rate}`);
}

async function drop({ openStore, origin, print }: RateCommandDeps, pair: Pair): Promise<void> {
  await using store = await openStore();
  if (!(await store.rates.dropHeld(pair, origin()))) throw notHeld(pair);
  print(`the held rate of ${pairName(pair)} is deleted`);
}

function notHeld(pair: Pair): CommandError {
  return new CommandError(`no rate of ${pairName(pair)} is held: see kurs rates held`);
}
