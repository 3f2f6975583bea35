import type { OutputOptions } from "../../../platform/cli/command.ts";
import { type Column, formatJson, shortHash, table } from "../../../platform/cli/output.ts";
import { instantAt } from "../../../platform/shared/instant.ts";
import { shortAsOf, sourcedText } from "../../served/cli/arguments.ts";
import { type Pair, pairName } from "../../served/rules/symbol.ts";
import type { SourcedRate } from "../../served/rules/update-policy.ts";
import type { StoredRate } from "../../served/store.ts";
import { figureJson } from "../json.ts";
import { NEWEST } from "../rules.ts";
import type { StoredFigure } from "../store.ts";
import { noSeries, type SeriesCommandDeps, servedKindOf } from "./arguments.ts";

/** The newest figure of a series, and what its pair does with it. */
interface ListedFigure {
  readonly figure: StoredFigure;
  readonly state: "served" | "suspended" | "held" | "waits" | "";
}

/** Shows the newest figure of every series of a pair, and which one is served. */
export async function listSeries(
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
    const state = isOf(served, figure) ? now : isOf(held, figure) ? "held" : waits ? "waits" : "";
    listed.push({ figure, state });
  }
  if (listed.length === 0) throw noSeries(pair);
  if (json) {
    print(formatJson(listed.map(({ figure, state }) => ({ ...figureJson(figure), state }))));
    return;
  }
  print(table(columns, listed));
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
