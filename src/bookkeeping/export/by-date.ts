import { chunksOf } from "../../platform/shared/chunks.ts";
import type { Decimal } from "../../platform/shared/decimal.ts";
import type { AssetSymbol } from "../../rates/served/rules/symbol.ts";
import type { RatesOfDay } from "./format.ts";
import type { DateRange, ExportedFigure, PairSpan } from "./store.ts";

/** The base of the European Central Bank's figures. */
export const EURO = "EUR";

/**
 * The most rates that are in memory together, some 30 MB. The 30 currencies of the European Central
 * Bank since 1999 are two windows of dates.
 */
const RATES_MAX = 200_000;

/** Days of one text. */
const DAYS_PER_PAGE = 250;

/**
 * Turns figures by pair into days, the newest first: reads them in windows of dates, from the last
 * to the first, each of them so short that no more rates than a limit are in memory.
 *
 * @param read the figures of some dates, by pair; of each pair and date one.
 * @param spans the dates of every pair.
 */
export async function* byDate(
  read: (dates: DateRange) => AsyncIterable<readonly ExportedFigure[]>,
  spans: readonly PairSpan[],
  ratesMax = RATES_MAX,
): AsyncGenerator<readonly RatesOfDay[]> {
  const first = spans.map((span) => span.first).sort()[0];
  let to = spans
    .map((span) => span.last)
    .sort()
    .at(-1);
  if (first === undefined || to === undefined) return;
  const days = Math.max(Math.floor(ratesMax / spans.length), 1);
  for (;;) {
    const earlier = daysBefore(to, days - 1);
    const from: string = earlier > first ? earlier : first;
    yield* chunksOf(await ratesByDay(read({ from, to })), DAYS_PER_PAGE);
    if (from === first) return;
    to = daysBefore(from, 1);
  }
}

async function ratesByDay(
  pages: AsyncIterable<readonly ExportedFigure[]>,
): Promise<readonly RatesOfDay[]> {
  const byDay = new Map<string, Map<AssetSymbol, Decimal>>();
  for await (const page of pages) {
    for (const { date, quote, rate } of page) {
      const rates = byDay.get(date) ?? new Map<AssetSymbol, Decimal>();
      byDay.set(date, rates.set(quote, rate));
    }
  }
  const dates = [...byDay.keys()].sort().reverse();
  return dates.map((date) => ({ date, rates: byDay.get(date) ?? new Map() }));
}

/** A date before the year 0 counts as the first one: no publisher has such a date. */
function daysBefore(date: string, days: number): string {
  const earlier = Temporal.PlainDate.from(date).subtract({ days });
  return earlier.year < 0 ? "" : earlier.toString();
}
