import { DAY_MS } from "../../platform/shared/clock.ts";
import { instantAt } from "../../platform/shared/instant.ts";
import type { SeriesReads } from "../../rates/series/store.ts";
import { type Figure, figureOf } from "../../rates/served/figures.ts";
import { SNAPSHOT_SOURCE } from "../../rates/served/history.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import type { StatedFigures } from "./document-reader.ts";
import { readFigures } from "./figures.ts";
import type { StoredPublication } from "./observations.ts";

/** Figures of a source that its stored documents state and the store lacks. */
export interface Unstored {
  readonly source: string;
  /** Each counts once, however many documents state it. */
  readonly keys: Set<string>;
  from: string;
  to: string;
}

/** What places a figure in the series of its source. */
export const placeKey = ({ base, quote, kind, date, asOf }: Figure) =>
  `${base}/${quote} ${kind} ${date} ${asOf}`;

/**
 * Finds what a publication states and no publication has stored, such as the dates of an archive
 * that a backfill was not asked for. Figures that contradict each other are held, and jumps may be
 * dropped: these are not lacking.
 *
 * @param brought the places of the figures that it has stored.
 */
export async function addUnstored(
  series: SeriesReads,
  { source, receivedAt }: StoredPublication,
  stated: StatedFigures,
  brought: ReadonlySet<string>,
  all: Map<string, Unstored>,
): Promise<void> {
  // Of the snapshot only the pairs of the sources that were switched on are stored.
  if (source === SNAPSHOT_SOURCE) return;
  const latest = instantAt(Date.parse(receivedAt) + DAY_MS);
  const others = stated
    .all()
    .map(figureOf)
    .filter((figure) => !brought.has(placeKey(figure)) && figure.asOf <= latest);
  const bySeries = Map.groupBy(others, (one) => `${one.source} ${pairName(one)} ${one.kind}`);
  for (const figures of bySeries.values()) {
    const dates = figures.map(({ date }) => date).sort();
    const [first] = figures;
    if (first === undefined) continue;
    const stored = new Set<string>();
    for await (const page of readFigures(series, first, { from: dates[0], to: dates.at(-1) })) {
      for (const one of page) stored.add(`${one.asOf} ${one.rate}`);
    }
    const contradicted = (await series.contradicted(first)).map(({ date, rate }) => [date, rate]);
    const dropped = new Set(contradicted.map(String));
    for (const { asOf, date, rate } of figures) {
      if (stored.has(`${asOf} ${rate}`) || dropped.has(String([date, rate]))) continue;
      const none = { source, keys: new Set<string>(), from: date, to: date };
      const unstored = all.get(source) ?? none;
      all.set(source, unstored);
      unstored.keys.add(`${pairName(first)} ${first.kind} ${asOf} ${rate}`);
      if (date < unstored.from) unstored.from = date;
      if (date > unstored.to) unstored.to = date;
    }
  }
}
