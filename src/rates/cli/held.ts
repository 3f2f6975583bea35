import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../cli/command.ts";
import { table } from "../../cli/output.ts";
import { heldRateJson } from "../json.ts";
import type { Pair } from "../rules/symbol.ts";
import { pairOf, type RateCommandUses } from "./arguments.ts";

/** Adds `kurs rates held`, `release` and `drop`. */
export function heldCommands(rates: Command, uses: RateCommandUses): void {
  rates
    .command("held")
    .description("show the rates that are held because they jumped too far")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates held\n  $ kurs rates held --json")
    .action((options: OutputOptions) => listHeld(uses, options));

  rates
    .command("release")
    .description("serve a held rate from now on")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates release BTC USD")
    .action((base: string, quote: string) => release(uses, pairOf(base, quote)));

  rates
    .command("drop")
    .description("delete a held rate; the stored rate stays")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates drop BTC USD")
    .action((base: string, quote: string) => drop(uses, pairOf(base, quote)));
}

async function listHeld({ openStore, print }: RateCommandUses, { json }: OutputOptions) {
  await using store = await openStore();
  const held = await store.rates.listHeld();
  if (json) return print(JSON.stringify(held.map(heldRateJson), undefined, 2));
  if (held.length === 0) return print("No rate is held.");
  const columns = [
    { heading: "PAIR" },
    { heading: "HELD", align: "right" },
    { heading: "SERVED", align: "right" },
    { heading: "AS OF" },
    { heading: "SOURCE" },
  ] as const;
  const rows = held.map(({ base, quote, rate, servedRate, asOf, source }) => [
    `${base}/${quote}`,
    rate,
    servedRate,
    asOf.replace(".000000000", ""),
    source,
  ]);
  print(table(columns, rows));
}

async function release({ openStore, print }: RateCommandUses, pair: Pair): Promise<void> {
  await using store = await openStore();
  const released = await store.rates.releaseHeld(pair);
  if (released === undefined) throw notHeld(pair);
  print(`${pair.base}/${pair.quote} is served at ${released.rate}`);
}

async function drop({ openStore, print }: RateCommandUses, pair: Pair): Promise<void> {
  await using store = await openStore();
  if (!(await store.rates.dropHeld(pair))) throw notHeld(pair);
  print(`the held rate of ${pair.base}/${pair.quote} is deleted`);
}

function notHeld({ base, quote }: Pair): CommandError {
  return new CommandError(`no rate of ${base}/${quote} is held: see kurs rates held`);
}
