import { chunksOf } from "../../platform/shared/chunks.ts";
import type { Decimal } from "../../platform/shared/decimal.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { DateRange, FigurePlace } from "../../rates/series/store.ts";
import { type AssetSymbol, type Pair, pairName } from "../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../rates/served/rules/update-policy.ts";
import {
  type DayFormat,
  EURO,
  type Format,
  type FormatOptions,
  type RecordFormat,
} from "./format.ts";
import type { ExportedFigure, ExportReads, PairRange, SelectedSeries } from "./store.ts";

/** Rows of a page: 200,000 figures take 1.0 s, and 1.2 s in pages of 200. */
const PAGE_ROWS = 1000;

/** Days of one text. */
const DAYS_PER_PAGE = 250;

/** What an export writes. */
export interface ExportQuery extends SelectedSeries, DateRange, FormatOptions {
  /** In their order, each once; empty: all. */
  readonly pairs: readonly Pair[];
}

export interface ExportPorts {
  readonly store: {
    readonly exports: ExportReads;
    /** Every held rate: its figure is in its series, and may be wrong. */
    readonly held: readonly SourcedRate[];
  };
  /** Resolves when the text is written. */
  readonly write: (text: string) => Promise<void>;
}

/** What an export wrote, and what it left out. */
export interface ExportCounts {
  readonly written: number;
  /** Figures of pairs that the format cannot state. */
  readonly unstated: number;
  /** Figures that are held. */
  readonly held: number;
  /** Pairs of another base than the format's. */
  readonly otherBases: number;
}

/**
 * Writes one figure for each pair and date: of several times the last one, and of an amended figure
 * the last revision. A held figure is left out.
 */
export function exportFigures(
  format: Format,
  query: ExportQuery,
  ports: ExportPorts,
): Promise<ExportCounts> {
  return format.order === "by pair"
    ? writeRecords(format, query, ports)
    : writeDays(format, query, ports);
}

async function writeRecords(
  format: RecordFormat,
  query: ExportQuery,
  { store, write }: ExportPorts,
): Promise<ExportCounts> {
  const counts = { written: 0, unstated: 0, held: 0, otherBases: 0 };
  const { head, textOf, end } = format.begin(query);
  const includes = format.limit?.includes ?? (() => true);
  const writeText = async (text: string) => {
    if (text !== "") await write(text);
  };
  await writeText(head);
  const reading = createReader(store, counts);
  for (const pairs of pairRanges(query.pairs)) {
    for await (const page of reading(query, pairs)) {
      const stated = page.filter((figure) => includes(figure, query));
      counts.written += stated.length;
      counts.unstated += page.length - stated.length;
      await writeText(textOf(stated));
    }
  }
  await writeText(end());
  return counts;
}

/**
 * Writes days, the newest first, while figures are stored by pair: all rates are in memory. The 30
 * currencies of the European Central Bank since 1999 take some 30 MB.
 */
async function writeDays(
  format: DayFormat,
  query: ExportQuery,
  { store, write }: ExportPorts,
): Promise<ExportCounts> {
  const counts = { written: 0, unstated: 0, held: 0, otherBases: 0 };
  const ranges = pairRanges(query.pairs);
  const all: Pair[] = [];
  for (const pairs of ranges) all.push(...(await store.exports.pairs({ ...query, pairs })));
  const ofEuro = all.filter(({ base }) => base === EURO);
  counts.otherBases = all.length - ofEuro.length;
  const { head, textOf, tail } = format.begin(ofEuro.map(({ quote }) => quote));
  await write(head);
  const euro = { first: { base: EURO, quote: "" }, last: { base: EURO, quote: "~" } };
  const reading = createReader(store, counts);
  const ratesByDate = new Map<string, Map<AssetSymbol, Decimal>>();
  for (const pairs of query.pairs.length === 0 ? [euro] : ranges) {
    for await (const page of reading(query, pairs)) {
      counts.written += page.length;
      for (const { date, quote, rate } of page) {
        ratesByDate.getOrInsertComputed(date, () => new Map()).set(quote, rate);
      }
    }
  }
  const days = [...ratesByDate].map(([date, rates]) => ({ date, rates }));
  days.sort((one, other) => (one.date < other.date ? 1 : -1));
  for (const some of chunksOf(days, DAYS_PER_PAGE)) await write(some.map(textOf).join(""));
  if (tail !== "") await write(tail);
  return counts;
}

const EVERY_PAIR: PairRange = { first: { base: "", quote: "" }, last: { base: "~", quote: "~" } };

const pairRanges = (pairs: readonly Pair[]): readonly PairRange[] =>
  pairs.length === 0 ? [EVERY_PAIR] : pairs.map((pair) => ({ first: pair, last: pair }));

/** @param counts gets the number of held figures. */
function createReader({ exports, held }: ExportPorts["store"], counts: { held: number }) {
  const heldKeys = new Set(held.map(figureKey));
  return async function* (
    query: SelectedSeries & DateRange,
    pairs: PairRange,
  ): AsyncGenerator<readonly ExportedFigure[]> {
    const selected = { ...query, pairs };
    const start = { ...pairs.first, source: "", kind: "", date: "", asOf: "", revision: 0 };
    const read = (after: FigurePlace, limit: number) => exports.figures(selected, after, limit);
    let last: ExportedFigure | undefined;
    for await (const page of pagesOf<ExportedFigure, FigurePlace>(start, read, same, PAGE_ROWS)) {
      const finals: ExportedFigure[] = [];
      for (const figure of page) {
        if (heldKeys.size > 0 && heldKeys.has(figureKey(figure))) {
          counts.held += 1;
          continue;
        }
        if (last !== undefined && !isOfSameDate(last, figure)) finals.push(last);
        last = figure;
      }
      yield finals;
    }
    if (last !== undefined) yield [last];
  };
}

const same = <Figure>(figure: Figure) => figure;

const figureKey = (rate: SourcedRate | ExportedFigure) =>
  `${pairName(rate)} ${rate.source} ${rate.asOf} ${rate.rate}`;

const isOfSameDate = (left: ExportedFigure, right: ExportedFigure) =>
  left.date === right.date && left.quote === right.quote && left.base === right.base;
