import type { Clock } from "../shared/clock.ts";
import { type Instant, timestamp } from "../shared/instant.ts";
import type { StoreStatus } from "../shared/store.ts";
import { latestAsOf, parseQuotation } from "./rules/rate.ts";
import { IMPORT_SOURCE, type SourcedRate, type UpdatePolicy } from "./rules/update-policy.ts";
import type { Publication, RateLine } from "./source.ts";
import type { RateStore } from "./store.ts";

/** Rates in one transaction while nobody else writes: the sync at its end is shared by all. */
const RATES_ALONE = 5000;

/**
 * Rates in one transaction beside a server that writes. Small, because the server waits for the
 * commit, and it waits with its event loop: 100 rates take about 1 ms.
 */
const RATES_BESIDE_OTHERS = 100;

/** Left to the others before the next transaction. */
const GIVE_WAY_MS = 8;

export interface ImportCounts {
  readonly stored: number;
  /** Held for the operator: `kurs rates held`. */
  readonly held: number;
  readonly rejected: number;
}

/**
 * Judges and stores the lines of a rate file as they come. A line that is not stored is told to
 * `onRefused` and the rest goes on; memory stays constant.
 */
export type StoreRateLines = (
  lines: AsyncIterable<readonly RateLine[]>,
  onRefused: (line: number, reason: string) => void,
) => Promise<ImportCounts>;

export function createRateImport(uses: {
  readonly store: RateStore & StoreStatus;
  readonly clock: Clock;
  readonly judge: UpdatePolicy;
  readonly pause: (milliseconds: number) => Promise<void>;
}): StoreRateLines {
  const { store, clock, judge, pause } = uses;

  return async (bunches, onRefused) => {
    const count = { stored: 0, held: 0, rejected: 0 };
    const reject = (line: number, reason: string) => {
      count.rejected += 1;
      onRefused(line, reason);
    };
    let ratesPerTransaction = RATES_BESIDE_OTHERS;
    let waiting: { line: number; rate: SourcedRate }[] = [];
    const flush = async () => {
      const rates = waiting.map(({ rate }) => rate);
      const verdicts = await store.storeRates(rates, judge, timestamp(clock.nowMs()));
      for (const [index, { line, rate }] of waiting.entries()) {
        const verdict = verdicts[index];
        if (verdict === "hold") {
          count.held += 1;
          onRefused(line, heldReason(rate));
        } else if (typeof verdict === "object") reject(line, verdict.reason);
        else count.stored += 1;
      }
      waiting = [];
      const beside = await store.hasOtherWriters();
      ratesPerTransaction = beside ? RATES_BESIDE_OTHERS : RATES_ALONE;
      if (beside) await pause(GIVE_WAY_MS);
    };

    for await (const bunch of bunches) {
      const latest = latestAsOf(clock.nowMs());
      for (const entry of bunch) {
        const judged = "reason" in entry ? entry : parseQuotation(entry, latest);
        if ("reason" in judged) reject(entry.line, judged.reason);
        else waiting.push({ line: entry.line, rate: { ...judged, source: IMPORT_SOURCE } });
        if (waiting.length >= ratesPerTransaction) await flush();
      }
    }
    if (waiting.length > 0) await flush();
    return count;
  };
}

function heldReason({ base, quote, rate }: SourcedRate): string {
  const release = `kurs rates release ${base} ${quote}`;
  return `${base}/${quote} at ${rate} is too far from the stored rate: held, see ${release}`;
}

/** The bundled figures are known to be good: a clock that is behind them refuses none. */
const ANY_TIME = "9999-12-31T23:59:59.999999999Z" as Instant;

/**
 * Fills a store without any rate from the bundled publications. Where two publish the same pair,
 * the earlier one serves it.
 *
 * @returns the publications that were stored, or `undefined` when the store had rates already.
 */
export async function seedFromSnapshot(
  store: RateStore,
  clock: Clock,
  loadSnapshot: () => Promise<readonly Publication[]>,
): Promise<readonly Publication[] | undefined> {
  if (await store.hasRates()) return undefined;
  const publications = await loadSnapshot();
  const nowMs = clock.nowMs();
  const rates = new Map<string, SourcedRate>();
  for (const { source, quotations } of publications) {
    for (const quotation of quotations) {
      const judged = parseQuotation(quotation, ANY_TIME);
      if ("reason" in judged) throw new Error(`bundled snapshot, ${source}: ${judged.reason}`);
      const pair = `${judged.base}/${judged.quote}`;
      if (!rates.has(pair)) rates.set(pair, { ...judged, source });
    }
  }
  // Whatever another node or an import has stored in the meantime stands.
  const judge: UpdatePolicy = (standing) => (standing === undefined ? "store" : "unchanged");
  await store.storeRates([...rates.values()], judge, timestamp(nowMs));
  return publications;
}
