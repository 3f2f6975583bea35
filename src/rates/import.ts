import type { Clock } from "../shared/clock.ts";
import type { FileDigest } from "../shared/file-digest.ts";
import { type Instant, timestamp } from "../shared/instant.ts";
import type { Origin } from "../shared/origin.ts";
import { type StoreStatus, StoreUnavailable } from "../shared/store.ts";
import type { HeadersOf } from "./headers.ts";
import {
  type HistoryStore,
  type PackContent,
  type Publication,
  SNAPSHOT_SOURCE,
} from "./history.ts";
import { knownSymbols } from "./rules/known-symbols.ts";
import { latestAsOf, parseQuotation } from "./rules/rate.ts";
import { type AssetSymbol, type Pair, pairName } from "./rules/symbol.ts";
import {
  IMPORT_SOURCE,
  type ReceivedRate,
  type SourcedRate,
  type UpdateDecision,
  type UpdatePolicy,
} from "./rules/update-policy.ts";
import type { BundledPublication, RateLine, Snapshot } from "./source.ts";
import type { RateStore } from "./store.ts";
import { WaitingRates } from "./waiting-rates.ts";

/**
 * Rates that are sorted by pair before they are stored. A pair's history lies together, so its next
 * rates change the same pages: of 10,000 pairs, a rate takes 5 µs instead of 20.
 */
const SORTED_RATES_MAX = 100_000;

/** Rates of a slow input are not kept for longer. */
const SORTED_MS_MAX = 2000;

/**
 * Rates per transaction while no other process writes, at most: they share the sync at its end. A
 * server that begins to write waits for one of these. With 4,000 an import is as fast, and took 26
 * MB more in one of four runs.
 */
const RATES_AS_ONLY_WRITER = 2000;

/**
 * A transaction with more rates than 100 takes about this long, at most, also on a busy machine: a
 * server rejects reads that have waited for it for a second.
 */
const TRANSACTION_MS = 100;

/**
 * Rates per transaction while a server writes. Small, because waiting for the commit blocks the
 * server's event loop: 100 rates take about 1 ms.
 */
const RATES_WITH_OTHER_WRITERS = 100;

/** Pause before the next transaction, in which other processes can write. */
const YIELD_MS = 8;

/** Of further unknown symbols only the rates are counted, so that memory use is constant. */
const UNKNOWN_SYMBOLS_MAX = 20;

export interface ImportCounts {
  readonly stored: number;
  /** Held for the operator: `kurs rates held`. */
  readonly held: number;
  readonly rejected: number;
  /** The first symbols of stored rates that are on no list of currencies. */
  readonly unknownSymbols: readonly AssetSymbol[];
  /** Rates that were stored with further such symbols. */
  readonly furtherUnknown: number;
}

/** Called during an import with the lines of the file that the operator should look at. */
export interface ImportReports {
  /** A line was not stored. */
  readonly onRejected: (line: number, reason: string) => void;
  /** The line was stored, and is the first with this symbol, which is on no list of currencies. */
  readonly onUnknownSymbol: (line: number, symbol: AssetSymbol) => void;
}

/**
 * Validates and stores the lines of a rate file as they arrive. Reports each line that is not
 * stored, and continues. An unknown symbol may be a typing error, but is stored: there are more
 * assets than any list has. Memory use is constant.
 */
export type StoreRateLines = (
  lines: AsyncIterable<readonly RateLine[]>,
  file: ImportedFile,
  reports: ImportReports,
) => Promise<ImportCounts>;

/** The file whose lines are imported. */
export interface ImportedFile {
  readonly name: string;
  /** Its digest once it was read to its end; until then, and if it was not, undefined. */
  readonly digest: () => FileDigest | undefined;
}

export function createRateImport(uses: {
  readonly store: {
    readonly rates: RateStore;
    readonly history: Pick<HistoryStore, "recordDigest">;
    readonly status: StoreStatus;
  };
  readonly clock: Clock;
  readonly origin: () => Origin;
  readonly judge: UpdatePolicy;
  readonly headersOf: HeadersOf;
  readonly sleep: (milliseconds: number) => Promise<void>;
}): StoreRateLines {
  const { store, clock, origin, judge, headersOf, sleep } = uses;

  return async (batches, file, { onRejected, onUnknownSymbol }) => {
    const count = { stored: 0, held: 0, rejected: 0 };
    const unknown = findUnknown(onUnknownSymbol);
    const reject = (line: number, reason: string) => {
      count.rejected += 1;
      onRejected(line, reason);
    };
    const waiting = new WaitingRates(SORTED_RATES_MAX);
    const report = (index: number, verdict: UpdateDecision | undefined) => {
      const line = waiting.lineOf(index);
      if (verdict === "hold") {
        count.held += 1;
        onRejected(line, heldReason(waiting.at(index)));
      } else if (typeof verdict === "object") reject(line, verdict.reason);
      else {
        count.stored += 1;
        unknown.check(line, waiting.pairOf(index));
      }
    };
    let ratesPerTransaction = RATES_WITH_OTHER_WRITERS;
    const receivedAt = timestamp(clock.nowMs());
    let publication: Publication | number = {
      source: IMPORT_SOURCE,
      receivedAt,
      documents: [{ name: file.name, receivedAt, stored: undefined }],
    };
    let sinceMs = clock.nowMs();
    const flush = async () => {
      const sorted = waiting.sorted();
      const refused = new Map<number, UpdateDecision>();
      for (let start = 0; start < sorted.length; ) {
        const some = sorted.subarray(start, start + ratesPerTransaction);
        const rates = Array.from(some, (index) => waiting.at(index));
        const how = { judge, headersOf, publication, origin: origin() };
        const startedMs = clock.nowMs();
        const outcome = await store.rates.update(rates, how);
        publication = outcome.publication;
        for (const [place, verdict] of outcome.verdicts.entries()) {
          const index = some[place];
          if (isRefusal(verdict) && index !== undefined) refused.set(index, verdict);
        }
        const tookMs = clock.nowMs() - startedMs;
        start += some.length;
        const hasOtherWriters = await store.status.hasOtherWriters();
        ratesPerTransaction = hasOtherWriters
          ? RATES_WITH_OTHER_WRITERS
          : ratesWithin(TRANSACTION_MS, some.length, tookMs);
        if (hasOtherWriters) await sleep(YIELD_MS);
      }
      for (let index = 0; index < waiting.count; index += 1) report(index, refused.get(index));
      waiting.clear();
      sinceMs = clock.nowMs();
    };

    for await (const batch of batches) {
      const nowMs = clock.nowMs();
      const latest = latestAsOf(nowMs);
      for (const entry of batch) {
        const judged = "reason" in entry ? entry : parseQuotation(entry, latest);
        if ("reason" in judged) reject(entry.line, judged.reason);
        else waiting.add(judged, entry.line);
        if (waiting.isFull) await flush();
      }
      if (nowMs - sinceMs >= SORTED_MS_MAX) await flush();
    }
    await flush();
    const digest = file.digest();
    if (typeof publication === "number" && digest !== undefined) {
      await store.history.recordDigest(publication, digest);
    }
    return { ...count, ...unknown.found() };
  };
}

/** The rates of the next transaction, from the time that the last one took. */
function ratesWithin(milliseconds: number, lastRates: number, lastMs: number): number {
  const rates = Math.floor((lastRates * milliseconds) / Math.max(lastMs, 1));
  return Math.min(Math.max(rates, RATES_WITH_OTHER_WRITERS), RATES_AS_ONLY_WRITER);
}

function isRefusal(verdict: UpdateDecision): boolean {
  return verdict === "hold" || typeof verdict === "object";
}

/** Collects the symbols of stored rates that are on no list of currencies. */
function findUnknown(onUnknownSymbol: ImportReports["onUnknownSymbol"]) {
  const symbols = new Set<AssetSymbol>();
  let furtherUnknown = 0;
  const isNew = (symbol: AssetSymbol) => !knownSymbols.has(symbol) && !symbols.has(symbol);
  return {
    check(line: number, { base, quote }: Pair): void {
      let isFurther = false;
      for (const symbol of [base, quote]) {
        if (!isNew(symbol)) continue;
        if (symbols.size < UNKNOWN_SYMBOLS_MAX) {
          symbols.add(symbol);
          onUnknownSymbol(line, symbol);
        } else isFurther = true;
      }
      if (isFurther) furtherUnknown += 1;
    },
    found: () => ({ unknownSymbols: [...symbols], furtherUnknown }),
  };
}

function heldReason({ base, quote, rate }: SourcedRate): string {
  const release = `kurs rates release ${base} ${quote}`;
  return `${base}/${quote} at ${rate} is too far from the stored rate: held, see ${release}`;
}

/** The bundled rates are known to be good, so a clock behind their times rejects none. */
export const ANY_TIME = "9999-12-31T23:59:59.999999999Z" as Instant;

/**
 * Stores the bundled publications in a store without any rate. Where two have the same pair, the
 * earlier one in the list provides it.
 *
 * @returns the publications that were stored, or `undefined` when the store had rates already.
 */
export async function seedFromSnapshot(
  store: RateStore,
  uses: {
    readonly origin: Origin;
    readonly headersOf: HeadersOf;
    readonly packContent: PackContent;
  },
  loadSnapshot: () => Snapshot,
): Promise<readonly BundledPublication[] | undefined> {
  if (await store.hasAny()) return undefined;
  const { origin, headersOf, packContent } = uses;
  const { publications, fileName, content } = loadSnapshot();
  const rates = new Map<string, ReceivedRate>();
  for (const { source, quotations } of publications) {
    for (const quotation of quotations) {
      const judged = parseQuotation(quotation, ANY_TIME);
      if ("reason" in judged) throw new Error(`bundled snapshot, ${source}: ${judged.reason}`);
      const pair = pairName(judged);
      if (!rates.has(pair)) rates.set(pair, { ...judged, source, place: 0 });
    }
  }
  const receivedAt = origin.at;
  const document = { name: fileName, receivedAt, stored: await packContent(content) };
  const publication = { source: SNAPSHOT_SOURCE, receivedAt, documents: [document] };
  try {
    const how = { judge: () => "store" as const, headersOf, publication, origin };
    if (!(await store.seed([...rates.values()], how))) return undefined;
  } catch (error) {
    // Many nodes that start at once on an empty store wait for each other, some for too long.
    if (!(error instanceof StoreUnavailable) || !(await store.hasAny())) throw error;
    return undefined;
  }
  return publications;
}
