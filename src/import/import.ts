import { inChunks } from "../async/in-chunks.ts";
import type { HeadersOf } from "../rates/headers.ts";
import {
  type HistoryStore,
  type PackContent,
  type Publication,
  SNAPSHOT_SOURCE,
} from "../rates/history.ts";
import { knownSymbols } from "../rates/rules/known-symbols.ts";
import { latestAsOf, parseQuotation, type Rate, type Rejection } from "../rates/rules/rate.ts";
import { type AssetSymbol, type Pair, pairName } from "../rates/rules/symbol.ts";
import {
  IMPORT_SOURCE,
  type ReceivedRate,
  type UpdateDecision,
  type UpdatePolicy,
} from "../rates/rules/update-policy.ts";
import type { RateStore } from "../rates/store.ts";
import type { Clock } from "../shared/clock.ts";
import type { FileDigest } from "../shared/file-digest.ts";
import { type Instant, timestamp } from "../shared/instant.ts";
import type { Origin } from "../shared/origin.ts";
import { type StoreStatus, StoreUnavailable } from "../shared/store.ts";
import type { BundledPublication, RateLine, Snapshot } from "../sources/source.ts";

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
        const how = { judge, headersOf, publication, origin: origin() };
        const outcome = await store.rates.update(some, how);
        publication = outcome.publication;
        for (const [index, verdict] of outcome.verdicts.entries()) {
          if (verdict !== "store") others.set(some[index]?.line ?? 0, verdict);
        }
        const hasOtherWriters = await store.status.hasOtherWriters();
        ratesPerTransaction = hasOtherWriters ? RATES_WITH_OTHER_WRITERS : RATES_AS_ONLY_WRITER;
        if (hasOtherWriters) await sleep(YIELD_MS);
      }
      return others;
    };

    const lines = judgedLines(batches, clock);
    for await (const chunk of inChunks(lines, { size: LINES_TOGETHER, waitMs: WAIT_MS })) {
      const others = await storeRates(chunk.filter(isValid).sort(byPair));
      for (const line of chunk) {
        if (isValid(line)) tally.add(line, others.get(line.line) ?? "store");
        else tally.reject(line.line, line.reason);
      }
    }
    const digest = file.digest();
    if (typeof publication === "number" && digest !== undefined) {
      await store.history.recordDigest(publication, digest);
    }
    return tally.counts();
  };
}

/** Counts what became of the lines, and reports those that the operator should look at. */
function createTally({ onRejected, onUnknownSymbol }: ImportReports) {
  const count = { stored: 0, unchanged: 0, held: 0, rejected: 0 };
  const unknown = findUnknown(onUnknownSymbol);
  const reject = (line: number, reason: string) => {
    count.rejected += 1;
    onRejected(line, reason);
  };
  return {
    reject,
    add(rate: ImportedRate, verdict: UpdateDecision): void {
      if (verdict === "store") {
        count.stored += 1;
        unknown.check(rate.line, rate);
      } else if (verdict === "unchanged") count.unchanged += 1;
      else if (verdict === "hold") {
        count.held += 1;
        onRejected(rate.line, heldReason(rate));
      } else reject(rate.line, verdict.reason);
    },
    counts: (): ImportCounts => ({ ...count, ...unknown.found() }),
  };
}

/** A valid rate of a file. */
type ImportedRate = ReceivedRate & { readonly line: number };

type RejectedLine = Rejection & { readonly line: number };

function isValid(line: ImportedRate | RejectedLine): line is ImportedRate {
  return !("reason" in line);
}

/** Validates each line by itself. */
async function* judgedLines(
  batches: AsyncIterable<readonly RateLine[]>,
  clock: Clock,
): AsyncGenerator<readonly (ImportedRate | RejectedLine)[]> {
  for await (const batch of batches) {
    const latest = latestAsOf(clock.nowMs());
    yield batch.map((entry) => {
      const { line } = entry;
      const judged = "reason" in entry ? entry : parseQuotation(entry, latest);
      if ("reason" in judged) return { line, reason: judged.reason };
      return { ...judged, source: IMPORT_SOURCE, place: 0, line };
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

function heldReason({ base, quote, rate }: Rate): string {
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
