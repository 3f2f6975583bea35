import { judgeQuotation } from "../domain/rate.ts";
import type { Clock, Publication, RateLine, RateStore, SourcedRate } from "./ports.ts";

/**
 * Rates in one transaction. Small, because a server beside an import waits for it to commit, and
 * it waits with its event loop: 500 rates take about 5 ms.
 */
const RATES_PER_TRANSACTION = 500;

/** The source of a rate that an operator imported. */
export const IMPORT_SOURCE = "import";

export interface StoredCount {
  readonly stored: number;
  readonly rejected: number;
}

/**
 * Judges and stores the lines of a rate file as they come. A line that is refused is told to
 * `onRejected` and the rest goes on; memory stays constant.
 */
export type StoreRateLines = (
  lines: AsyncIterable<readonly RateLine[]>,
  onRejected: (line: number, reason: string) => void,
) => Promise<StoredCount>;

export function createStoreRateLines(uses: {
  readonly store: RateStore;
  readonly clock: Clock;
}): StoreRateLines {
  const { store, clock } = uses;

  return async (bunches, onRejected) => {
    const count = { stored: 0, rejected: 0 };
    const reject = (line: number, reason: string) => {
      count.rejected += 1;
      onRejected(line, reason);
    };
    let waiting: { line: number; rate: SourcedRate }[] = [];
    const flush = async () => {
      const standing = await store.storeRates(waiting.map(({ rate }) => rate));
      for (const [index, { line, rate }] of waiting.entries()) {
        const newer = standing[index];
        if (newer === undefined) count.stored += 1;
        else reject(line, `${rate.base}/${rate.quote} is stored as of ${newer}, which is newer`);
      }
      waiting = [];
    };

    for await (const bunch of bunches) {
      for (const entry of bunch) {
        const judged = "reason" in entry ? entry : judgeQuotation(entry, clock.nowMs());
        if ("reason" in judged) reject(entry.line, judged.reason);
        else waiting.push({ line: entry.line, rate: { ...judged, source: IMPORT_SOURCE } });
        if (waiting.length === RATES_PER_TRANSACTION) await flush();
      }
    }
    if (waiting.length > 0) await flush();
    return count;
  };
}

/**
 * Fills a store without any rate from the bundled publications. Where two publish the same pair,
 * the earlier one serves it.
 *
 * @returns the publications that were stored, or `undefined` when the store had rates already.
 */
export async function storeSnapshot(
  store: RateStore,
  clock: Clock,
  loadSnapshot: () => Promise<readonly Publication[]>,
): Promise<readonly Publication[] | undefined> {
  if (await store.hasRates()) return undefined;
  const publications = await loadSnapshot();
  const rates = new Map<string, SourcedRate>();
  for (const { source, quotations } of publications) {
    for (const quotation of quotations) {
      const judged = judgeQuotation(quotation, clock.nowMs());
      if ("reason" in judged) throw new Error(`bundled snapshot, ${source}: ${judged.reason}`);
      const pair = `${judged.base}/${judged.quote}`;
      if (!rates.has(pair)) rates.set(pair, { ...judged, source });
    }
  }
  await store.storeRates([...rates.values()]);
  return publications;
}
