import type { Command } from "commander";
import type { OutputOptions } from "../../platform/cli/command.ts";
import {
  ageOf,
  type Column,
  formatJson,
  formatList,
  shortHash,
  table,
} from "../../platform/cli/output.ts";
import { instantAt } from "../../platform/shared/instant.ts";
import { noSeries, type SeriesCommandDeps, servedKindOf } from "../series/cli/arguments.ts";
import { figureJson } from "../series/json.ts";
import { NEWEST } from "../series/rules.ts";
import type { StoredFigure } from "../series/store.ts";
import { requirePair, requireSymbol, shortAsOf, sourcedText } from "../served/cli/arguments.ts";
import { describeEnd, type EndedCurrency, endOf } from "../served/rules/ended-currencies.ts";
import { type Pair, pairName } from "../served/rules/symbol.ts";
import { endOfRate, type SourcedRate } from "../served/rules/update-policy.ts";
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
        : listSeries(deps, requirePair(base, quote), options),
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
  readonly ended: EndedCurrency | undefined;
}

function stateOf({ outlook, suspendedAt, ended }: ListedRate): string {
  const states = [
    ended === undefined ? "" : "ended",
    outlook.isMissed ? "missed" : "",
    suspendedAt === undefined ? "" : "suspended",
  ];
  return states.filter((state) => state !== "").join(", ");
}

async function listRates(
  { openStore, clock, sourcesOf, sourceKeys, print }: SeriesCommandDeps,
  base: string | undefined,
  options: OutputOptions,
): Promise<void> {
  const symbol = base === undefined ? undefined : requireSymbol("base", base);
  await using store = await openStore();
  const nowMs = clock.nowMs();
  const today = instantAt(nowMs).slice(0, 10);
  const outlookOf = createOutlooks(sourcesOf(sourceKeys));
  const rates = (await store.rates.list(symbol)).map((rate): ListedRate => {
    const outlook = outlookOf(rate.source, rate.asOf, nowMs, rate);
    return { ...rate, outlook, ended: endOf(rate, today) };
  });
  const text = formatList(rates, options, {
    toJson: ({ outlook, ended: _, ...rate }) => listedRateJson(rate, outlook),
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

/** The newest figure of a series, and what its pair does with it. */
interface ListedFigure {
  readonly figure: StoredFigure;
  readonly state: "served" | "suspended" | "held" | "waits" | "ended" | "";
}

/** Shows the newest figure of every series of a pair, and which one is served. */
async function listSeries(
  { openStore, sourcesOf, clock, print }: SeriesCommandDeps,
  pair: Pair,
  { json }: OutputOptions,
): Promise<void> {
  await using store = await openStore();
  const served = (await store.rates.list(pair.base)).find(({ quote }) => quote === pair.quote);
  const held = (await store.rates.listHeld()).find((one) => pairName(one) === pairName(pair));
  const isOf = (rate: SourcedRate | undefined, figure: StoredFigure) =>
    rate?.source === figure.source &&
    figure.kind === servedKindOf(figure.source, sourcesOf) &&
    rate.asOf === figure.asOf &&
    rate.rate === figure.rate;
  const listed: ListedFigure[] = [];
  for (const series of await store.series.seriesOf(pair)) {
    const figure = await store.series.figureOnOrBefore(series, NEWEST);
    if (figure === undefined) continue;
    const now = served?.suspendedAt === undefined ? "served" : "suspended";
    const waits = figure.validUntil !== undefined && figure.asOf > instantAt(clock.nowMs());
    const alone = endOfRate(figure) !== undefined ? "ended" : waits ? "waits" : "";
    const state = isOf(served, figure) ? now : isOf(held, figure) ? "held" : alone;
    listed.push({ figure, state });
  }
  if (listed.length === 0) throw noSeries(pair);
  if (json) {
    print(formatJson(listed.map(({ figure, state }) => ({ ...figureJson(figure), state }))));
    return;
  }
  print(table(columns, listed));
  const ended = endOf(pair, instantAt(clock.nowMs()).slice(0, 10));
  if (ended !== undefined) print(describeEnd(ended));
  if (!listed.some(({ state }) => state === "served" || state === "suspended")) {
    print(describeServed(pair, served));
  }
}

const columns: readonly Column<ListedFigure>[] = [
  ["SOURCE", ({ figure }) => figure.source],
  ["KIND", ({ figure }) => figure.kind],
  ["DATE", ({ figure }) => figure.date],
  ["RATE", ({ figure }) => figure.rate, "right"],
  ["AS OF", ({ figure }) => shortAsOf(figure)],
  ["REVISION", ({ figure }) => figure.revision, "right"],
  ["DOCUMENT", ({ figure }) => shortHash(figure.hash)],
  ["STATE", ({ state }) => state],
];

/** Where no series' newest figure is served: it is held, or the pair was deleted. */
function describeServed(pair: Pair, served: StoredRate | undefined): string {
  if (served === undefined) return `${pairName(pair)} is not served: it is not stored`;
  const is = served.suspendedAt === undefined ? "is served at" : "is suspended at";
  return `${pairName(pair)} ${is} ${sourcedText(served)}`;
}
