import type { Command } from "commander";
import type { CommandIo, OpenStore, OutputOptions } from "../cli/command.ts";
import { ageOf, formatList } from "../cli/output.ts";
import { shortAsOf, symbolOf } from "../rates/cli/arguments.ts";
import { pairName } from "../rates/rules/symbol.ts";
import type { RateStore, StoredRate } from "../rates/store.ts";
import { createOutlooks, type Outlook } from "../sources/outlook.ts";
import type { RateSource } from "../sources/source.ts";
import { listedRateJson } from "./json.ts";

export interface ListCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly rates: RateStore }>;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** The keys of all sources. */
  readonly sourceKeys: readonly string[];
}

/** Adds `kurs rates list`. */
export function listCommand(rates: Command, deps: ListCommandDeps): void {
  rates
    .command("list")
    .description("show the stored rates, all or those of one base")
    .argument("[base]", "such as EUR")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates list EUR\n  $ kurs rates list --json")
    .action((base: string | undefined, options: OutputOptions) => listRates(deps, base, options));
}

interface ListedRate extends StoredRate {
  readonly outlook: Outlook;
}

function stateOf({ outlook, suspendedAt }: ListedRate): string {
  const states = [outlook.isMissed ? "missed" : "", suspendedAt === undefined ? "" : "suspended"];
  return states.filter((state) => state !== "").join(", ");
}

async function listRates(
  { openStore, clock, sourcesOf, sourceKeys, print }: ListCommandDeps,
  base: string | undefined,
  options: OutputOptions,
): Promise<void> {
  const symbol = base === undefined ? undefined : symbolOf("base", base);
  await using store = await openStore();
  const nowMs = clock.nowMs();
  const outlookOf = createOutlooks(sourcesOf(sourceKeys));
  const rates = (await store.rates.list(symbol)).map((rate): ListedRate => {
    return { ...rate, outlook: outlookOf(rate.source, rate.asOf, nowMs, rate) };
  });
  const text = formatList(rates, options, {
    toJson: ({ outlook, ...rate }) => listedRateJson(rate, outlook),
    columns: [
      ["PAIR", pairName],
      ["RATE", ({ rate }) => rate, "right"],
      ["AS OF", shortAsOf],
      ["AGE", ({ asOf }) => ageOf(asOf, nowMs), "right"],
      ["SOURCE", ({ source }) => source],
      ["NEXT", ({ outlook }) => outlook.nextPublication ?? ""],
      ["STATE", stateOf],
    ],
    none:
      symbol === undefined
        ? "No rates are stored. Import some: kurs rates import FILE"
        : `No rate with base ${symbol} is stored: see kurs rates list`,
  });
  print(text);
}
