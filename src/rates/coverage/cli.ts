import type { Command } from "commander";
import type { OutputOptions } from "../../platform/cli/command.ts";
import { ageOf, formatList } from "../../platform/cli/output.ts";
import type { SeriesCommandDeps } from "../series/cli/arguments.ts";
import { listSeries } from "../series/cli/list.ts";
import { pairOf, shortAsOf, symbolOf } from "../served/cli/arguments.ts";
import { pairName } from "../served/rules/symbol.ts";
import type { StoredRate } from "../served/store.ts";
import { createOutlooks, type Outlook } from "../sources/outlook.ts";
import { listedRateJson } from "./json.ts";

/** Adds `kurs rates list`. */
export function listCommand(rates: Command, deps: SeriesCommandDeps): void {
  rates
    .command("list")
    .description("show the stored rates, all or of one base; of a pair, every source's newest")
    .argument("[base]", "such as EUR")
    .argument("[quote]", "such as USD: shows the newest figure of each source, served or not")
    .option("--json", "print them as JSON")
    .addHelpText("after", listExamples)
    .action((base: string | undefined, quote: string | undefined, options: OutputOptions) =>
      base === undefined || quote === undefined
        ? listRates(deps, base, options)
        : listSeries(deps, pairOf(base, quote), options),
    );
}

const listExamples = `
Of a pair it shows for each source and kind (middle, buying, selling) the newest figure by the
publisher's date, its revision (above 1 when it was amended) and its document, and whether it is
served, or held because it jumped too far. Exit code 1 when no source has a figure of the pair.

Examples:
  $ kurs rates list EUR
  $ kurs rates list EUR CZK
  $ kurs rates list --json`;

interface ListedRate extends StoredRate {
  readonly outlook: Outlook;
}

function stateOf({ outlook, suspendedAt }: ListedRate): string {
  const states = [outlook.isMissed ? "missed" : "", suspendedAt === undefined ? "" : "suspended"];
  return states.filter((state) => state !== "").join(", ");
}

async function listRates(
  { openStore, clock, sourcesOf, sourceKeys, print }: SeriesCommandDeps,
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
