import { inChunks } from "../../platform/async/in-chunks.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { FileDigest } from "../../platform/shared/file-digest.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { StoreStatus } from "../../platform/shared/store.ts";
import type { HeadersOf } from "../served/headers.ts";
import type { HistoryStore, Publication } from "../served/history.ts";
import { findContradictions, holdContradictions } from "../served/rules/contradictions.ts";
import { dateStatedBy, latestAsOf, parseQuotation, type Rejection } from "../served/rules/rate.ts";
import { byPair, pairName } from "../served/rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "../served/rules/update-policy.ts";
import type { ContradictionStore, DecidedUpdate, RateStore } from "../served/store.ts";
import type { RateLine } from "../sources/source.ts";
import { completeTime, type PublishedAt } from "./dates.ts";
import {
  createTally,
  type ImportCounts,
  type ImportedRate,
  type ImportReports,
  type LineDecision,
  type Tally,
} from "./tally.ts";

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

/** How the lines of a file are read. */
export interface LineReading {
  /** The source of its rates: `import`, or that of a series of the import's own. */
  readonly source: string;
  /** The time of day that a date alone means; unset: such a line is rejected. */
  readonly publishedAt?: PublishedAt | undefined;
}

/** The file whose lines are imported. */
interface ImportedFile extends LineReading {
  readonly name: string;
  /** Its digest once it was read to its end; until then, and if it was not, undefined. */
  readonly digest: () => FileDigest | undefined;
}

export function createRateImport(uses: {
  readonly store: {
    readonly rates: RateStore;
    readonly contradictions: ContradictionStore;
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
      source: file.source,
      receivedAt,
      documents: [{ name: file.name, receivedAt, stored: undefined }],
    };
    let ratesPerTransaction = RATES_WITH_OTHER_WRITERS;

    /** @returns the decisions by line, without those to store. */
    const storeRates = async (stated: readonly ImportedRate[]) => {
      const others = new Map<number, LineDecision>();
      const kept = await holdContradictions(store.contradictions, stated, publication, origin());
      ({ publication } = kept);
      for (const { line } of kept.held) others.set(line, "contradicts");
      for (const { line } of kept.dropped) others.set(line, "unchanged");
      const rates = stated.filter(({ line }) => !others.has(line));
      for (let start = 0; start < rates.length; ) {
        const some = rates.slice(start, start + ratesPerTransaction);
        start += some.length;
        const how = { policy, headersOf, publication, origin: origin() };
        const outcome = await store.rates.update(some, how);
        publication = outcome.publication;
        reports.onStored?.(some.length);
        for (const [index, decision] of outcome.decisions.entries()) {
          if (decision === "store") continue;
          others.set(some[index]?.line ?? 0, lineDecision(decision, outcome.isNew[index]));
        }
        const hasOtherWriters = await store.status.hasOtherWriters();
        ratesPerTransaction = hasOtherWriters ? RATES_WITH_OTHER_WRITERS : RATES_AS_ONLY_WRITER;
        if (hasOtherWriters) await sleep(YIELD_MS);
      }
      return others;
    };

    await importLines(parsedLines(batches, clock, file), storeRates, tally);
    const digest = file.digest();
    if (typeof publication === "number" && digest !== undefined) {
      await store.history.recordDigest(publication, digest);
      for await (const _ of store.rates.addDocuments())
        if (await store.status.hasOtherWriters()) await sleep(YIELD_MS);
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
    readonly reading: LineReading;
    readonly reports: ImportReports;
    readonly show: (updates: readonly DecidedUpdate[]) => void;
  },
): Promise<ImportCounts> {
  const { store, clock, policy, reading, reports, show } = uses;
  const tally = createTally(reports);
  /** What would be stored by then: a file may have a pair in many lines. */
  const stored = new Map<string, SourcedRate>();
  const previewRates = async (stated: readonly ImportedRate[]) => {
    const { contradictions } = findContradictions(stated);
    const others = new Map<number, LineDecision>(
      contradictions.map(({ line }) => [line, "contradicts"]),
    );
    const rates = stated.filter(({ line }) => !others.has(line));
    const replaced: (SourcedRate | undefined)[] = [];
    const decided = await store.rates.previewUpdate(rates, (inStore, next) => {
      const current = stored.get(pairName(next)) ?? inStore;
      const decision = policy(current, next);
      if (decision === "store") stored.set(pairName(next), next);
      replaced.push(current);
      return decision;
    });
    const updates = decided.map((update, index): DecidedUpdate => {
      const decision = lineDecision(update.decision, update.isNew);
      if (decision !== "store") others.set(update.next.line ?? 0, decision);
      return { ...update, current: replaced[index], decision };
    });
    show(updates.filter(({ decision }) => decision === "store" || isForSeries(decision)));
    return others;
  };
  await importLines(parsedLines(batches, clock, reading), previewRates, tally);
  return tally.counts();
}

/** A figure that is not served, and that its series has already, changes nothing. */
function lineDecision(decision: UpdateDecision, isNew: boolean | undefined): UpdateDecision {
  return isForSeries(decision) && isNew !== true ? "unchanged" : decision;
}

/** Whether a figure goes into its series, and is not served. */
const isForSeries = (decision: LineDecision) => decision === "older" || decision === "ended";

/**
 * Has the valid rates of a file stored, and counts what became of its lines.
 *
 * @param storeRates returns the decisions by line, without those to store.
 */
async function importLines(
  lines: AsyncIterable<readonly (ImportedRate | RejectedLine)[]>,
  storeRates: (rates: readonly ImportedRate[]) => Promise<ReadonlyMap<number, LineDecision>>,
  tally: Tally,
): Promise<void> {
  for await (const chunk of inChunks(lines, { size: LINES_TOGETHER, waitMs: WAIT_MS })) {
    // A sort keeps the order of a pair's rates.
    const others = await storeRates(chunk.filter(isValid).sort(byPair));
    for (const line of chunk) {
      if (isValid(line)) tally.add(line, others.get(line.line) ?? "store");
      else tally.reject(line.line, line.reason);
    }
  }
}

type RejectedLine = Rejection & { readonly line: number };

function isValid(line: ImportedRate | RejectedLine): line is ImportedRate {
  return !("reason" in line);
}

/** Validates each line by itself. */
async function* parsedLines(
  batches: AsyncIterable<readonly RateLine[]>,
  clock: Clock,
  { source, publishedAt }: LineReading,
): AsyncGenerator<readonly (ImportedRate | RejectedLine)[]> {
  for await (const batch of batches) {
    const latest = latestAsOf(clock.nowMs());
    yield batch.map((entry) => {
      const { line } = entry;
      if ("reason" in entry) return { line, reason: entry.reason };
      const complete = completeTime(entry, publishedAt);
      const parsed = "reason" in complete ? complete : parseQuotation(complete, latest);
      if ("reason" in parsed) return { line, reason: parsed.reason };
      return { ...parsed, date: dateStatedBy(entry), source, place: 0, line };
    });
  }
}
