import { inChunks } from "../async/in-chunks.ts";
import type { HeadersOf } from "../rates/headers.ts";
import type { HistoryStore, Publication } from "../rates/history.ts";
import { knownSymbols } from "../rates/rules/known-symbols.ts";
import { latestAsOf, parseQuotation, type Rate, type Rejection } from "../rates/rules/rate.ts";
import { type AssetSymbol, type Pair, pairName } from "../rates/rules/symbol.ts";
import {
  IMPORT_SOURCE,
  type SourcedRate,
  type UpdateDecision,
  type UpdatePolicy,
} from "../rates/rules/update-policy.ts";
import type { DecidedUpdate, RateStore } from "../rates/store.ts";
import type { Clock } from "../shared/clock.ts";
import type { FileDigest } from "../shared/file-digest.ts";
import { timestamp } from "../shared/instant.ts";
import type { Origin } from "../shared/origin.ts";
import type { StoreStatus } from "../shared/store.ts";
import type { RateLine } from "../sources/source.ts";
import { completeTime, type PublishedAt } from "./dates.ts";

/**
 * Rates per transaction while no other process writes: they share the sync at its end. A server
 * that begins to write waits for one of these.
 */
const RATES_AS_ONLY_WRITER = 2000;

/**
 * Rates per transaction while a server writes. Small, because waiting for the commit blocks the
 * server's event loop: 100 rates take about 1 ms.
 */
const RATES_WITH_OTHER_WRITERS = 100;

/**
 * Lines whose rates are sorted by pair before they are stored: a pair's history lies together, so
 * its next rates change the same pages. 400,000 lines of 10,000 pairs take 3.6 s of processor time
 * instead of 7.8 in the file's order. With 40,000 an import took up to 259 MiB instead of 230.
 */
const LINES_TOGETHER = 30_000;

/** The lines of a slow input wait no longer for further ones. */
const WAIT_MS = 1000;

/** Pause before the next transaction, in which other processes can write. */
const YIELD_MS = 8;

/** Of further unknown symbols only the rates are counted, so that memory use is constant. */
const UNKNOWN_SYMBOLS_MAX = 20;

export interface ImportCounts {
  readonly stored: number;
  /** Equal to the stored rate, its time and its source included. */
  readonly unchanged: number;
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
  readonly onRejected: (line: number, reason: string) => void;
  readonly onHeld: (line: number, rate: Rate) => void;
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
interface ImportedFile {
  readonly name: string;
  /** The time of day that a date alone means; unset: such a line is rejected. */
  readonly publishedAt?: PublishedAt | undefined;
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
  readonly policy: UpdatePolicy;
  readonly headersOf: HeadersOf;
  readonly sleep: (milliseconds: number) => Promise<void>;
}): StoreRateLines {
  const { store, clock, origin, policy, headersOf, sleep } = uses;

  return async (batches, file, reports) => {
    const tally = createTally(reports);
    const receivedAt = timestamp(clock.nowMs());
    let publication: Publication | number = {
      source: IMPORT_SOURCE,
      receivedAt,
      documents: [{ name: file.name, receivedAt, stored: undefined }],
    };
    let ratesPerTransaction = RATES_WITH_OTHER_WRITERS;

    /** @returns the decisions by line, without those to store. */
    const storeRates = async (rates: readonly ImportedRate[]) => {
      const others = new Map<number, UpdateDecision>();
      for (let start = 0; start < rates.length; ) {
        const some = rates.slice(start, start + ratesPerTransaction);
        start += some.length;
        const how = { policy, headersOf, publication, origin: origin() };
        const outcome = await store.rates.update(some, how);
        publication = outcome.publication;
        for (const [index, decision] of outcome.decisions.entries()) {
          if (decision !== "store") others.set(some[index]?.line ?? 0, decision);
        }
        const hasOtherWriters = await store.status.hasOtherWriters();
        ratesPerTransaction = hasOtherWriters ? RATES_WITH_OTHER_WRITERS : RATES_AS_ONLY_WRITER;
        if (hasOtherWriters) await sleep(YIELD_MS);
      }
      return others;
    };

    await importLines(parsedLines(batches, clock, file.publishedAt), storeRates, tally);
    const digest = file.digest();
    if (typeof publication === "number" && digest !== undefined) {
      await store.history.recordDigest(publication, digest);
    }
    return tally.counts();
  };
}

/**
 * Decides on the lines of a file as an import does, and stores nothing. Memory use grows with the
 * number of pairs, not with that of the lines.
 *
 * @param show gets what would be stored, in the order of pairs, some lines at a time.
 */
export async function previewImport(
  batches: AsyncIterable<readonly RateLine[]>,
  uses: {
    readonly store: { readonly rates: Pick<RateStore, "previewUpdate"> };
    readonly clock: Clock;
    readonly policy: UpdatePolicy;
    readonly publishedAt: PublishedAt | undefined;
    readonly reports: ImportReports;
    readonly show: (updates: readonly DecidedUpdate[]) => void;
  },
): Promise<ImportCounts> {
  const { store, clock, policy, publishedAt, reports, show } = uses;
  const tally = createTally(reports);
  /** What would be stored by then: a file may have a pair in many lines. */
  const stored = new Map<string, SourcedRate>();
  const previewRates = async (rates: readonly ImportedRate[]) => {
    const others = new Map<number, UpdateDecision>();
    const updates: DecidedUpdate[] = [];
    await store.rates.previewUpdate(rates, (inStore, next) => {
      const current = stored.get(pairName(next)) ?? inStore;
      const decision = policy(current, next);
      if (decision === "store") {
        stored.set(pairName(next), next);
        updates.push({ next, current, decision });
      } else others.set(next.line ?? 0, decision);
      return decision;
    });
    show(updates);
    return others;
  };
  await importLines(parsedLines(batches, clock, publishedAt), previewRates, tally);
  return tally.counts();
}

/**
 * Has the valid rates of a file stored, and counts what became of its lines.
 *
 * @param storeRates returns the decisions by line, without those to store.
 */
async function importLines(
  lines: AsyncIterable<readonly (ImportedRate | RejectedLine)[]>,
  storeRates: (rates: readonly ImportedRate[]) => Promise<ReadonlyMap<number, UpdateDecision>>,
  tally: ReturnType<typeof createTally>,
): Promise<void> {
  for await (const chunk of inChunks(lines, { size: LINES_TOGETHER, waitMs: WAIT_MS })) {
    const others = await storeRates(chunk.filter(isValid).sort(byPair));
    for (const line of chunk) {
      if (isValid(line)) tally.add(line, others.get(line.line) ?? "store");
      else tally.reject(line.line, line.reason);
    }
  }
}

/** Counts what became of the lines, and reports those that the operator should look at. */
function createTally({ onRejected, onHeld, onUnknownSymbol }: ImportReports) {
  const count = { stored: 0, unchanged: 0, held: 0, rejected: 0 };
  const unknown = findUnknown(onUnknownSymbol);
  const reject = (line: number, reason: string) => {
    count.rejected += 1;
    onRejected(line, reason);
  };
  return {
    reject,
    add(rate: ImportedRate, decision: UpdateDecision): void {
      if (decision === "store") {
        count.stored += 1;
        unknown.check(rate.line, rate);
      } else if (decision === "unchanged") count.unchanged += 1;
      else if (decision === "hold") {
        count.held += 1;
        onHeld(rate.line, rate);
      } else reject(rate.line, decision.reason);
    },
    counts: (): ImportCounts => ({ ...count, ...unknown.found() }),
  };
}

/** A valid rate of a file. */
type ImportedRate = SourcedRate & { readonly line: number };

type RejectedLine = Rejection & { readonly line: number };

function isValid(line: ImportedRate | RejectedLine): line is ImportedRate {
  return !("reason" in line);
}

/** Validates each line by itself. */
async function* parsedLines(
  batches: AsyncIterable<readonly RateLine[]>,
  clock: Clock,
  publishedAt: PublishedAt | undefined,
): AsyncGenerator<readonly (ImportedRate | RejectedLine)[]> {
  for await (const batch of batches) {
    const latest = latestAsOf(clock.nowMs());
    yield batch.map((entry) => {
      const { line } = entry;
      const complete = "reason" in entry ? entry : completeTime(entry, publishedAt);
      const parsed = "reason" in complete ? complete : parseQuotation(complete, latest);
      if ("reason" in parsed) return { line, reason: parsed.reason };
      return { ...parsed, source: IMPORT_SOURCE, place: 0, line };
    });
  }
}

/** Keeps the order of a pair's rates, as every sort does. */
function byPair(left: Pair, right: Pair): number {
  if (left.base !== right.base) return left.base < right.base ? -1 : 1;
  return left.quote === right.quote ? 0 : left.quote < right.quote ? -1 : 1;
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
