import { type Backoff, backoffMs } from "../../platform/async/backoff.ts";
import { sleep } from "../../platform/async/sleep.ts";
import { chunksOf } from "../../platform/shared/chunks.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { type Instant, timestamp } from "../../platform/shared/instant.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { type FigureStore, figureOf } from "../served/figures.ts";
import type { HeadersOf } from "../served/headers.ts";
import type { PackContent, Publication } from "../served/history.ts";
import { findContradictions, holdContradictions } from "../served/rules/contradictions.ts";
import type { EndedCurrency } from "../served/rules/ended-currencies.ts";
import type { Rejection } from "../served/rules/rate.ts";
import { pairName } from "../served/rules/symbol.ts";
import { endOfRate, type SourcedRate } from "../served/rules/update-policy.ts";
import type { ContradictionStore, DecidedUpdate, HowToDecide, RateStore } from "../served/store.ts";
import { createMissedCounts } from "./outlook.ts";
import type { MissedPairs } from "./rules/missed.ts";
import { sortFigures, validFigures } from "./sorted-figures.ts";
import { type Fetched, packDocuments, type RateSource, SourceError } from "./source.ts";
import type { SourceState, SourceStore } from "./store.ts";

/** Longer than any fetch takes. A node that crashes keeps its source leased this long. */
const LEASE_MS = 90_000;

/** A publication that is due but not out yet is requested again after this time. */
const LATE_RETRY_MS = 15 * 60_000;

/** Of figures that are not served, in one transaction: about 1 ms, in which no read runs. */
const FIGURES_PER_TRANSACTION = 100;

/** Between two of these transactions: the first fetch of a whole archive has 200. */
const YIELD_MS = 8;

const BACKOFF: Backoff = { firstMs: 60_000, maxMs: 60 * 60_000 };

/** The outcome of fetching a source. */
export interface RefreshReport {
  readonly source: string;
  /** Why the fetch, or that of some of its documents, failed. The others are stored. */
  readonly error: string | undefined;
  /** Whether it failed because this machine found no way to the publisher's host. */
  readonly isUnreachable: boolean;
  readonly stored: number;
  /** Rates that jumped or disagree, and figures that their document contradicts. */
  readonly held: number;
  /**
   * Rates that are not served: unchanged, older than the stored ones, of a pair that another
   * source owns, of a table that has not begun, or of a currency that has ended. Their figures are
   * in their series.
   */
  readonly skipped: number;
  /** The currencies that had ended by the date of a figure. */
  readonly ended: readonly EndedCurrency[];
  /** Figures of earlier dates, or of kinds that are not served, that their series did not have. */
  readonly further: number;
  /** Lines that are not valid rates, each with its reason. */
  readonly rejections: readonly Rejection[];
}

export interface RefreshUses extends HowToDecide {
  readonly store: {
    readonly rates: RateStore;
    readonly figures: FigureStore;
    readonly contradictions: ContradictionStore;
    readonly sources: SourceStore;
  };
  readonly clock: Clock;
  /** @returns the origin of what a fetch stores now. */
  readonly origin: () => Origin;
  readonly headersOf: HeadersOf;
  readonly packContent: PackContent;
  /** A number from 0 to 1, for the jitter of the backoff. */
  readonly random: () => number;
}

/**
 * Fetches a source, validates and stores its rates, and records the outcome. Errors of the
 * publisher or the network are recorded and reported, not thrown.
 *
 * @returns `undefined` when another node fetches the source, or the signal has aborted.
 */
export type RefreshSource = (
  source: RateSource,
  how: {
    readonly signal: AbortSignal;
    /** Whether to skip a source whose next attempt is not due, as after another node's fetch. */
    readonly onlyWhenDue: boolean;
  },
) => Promise<RefreshReport | undefined>;

export function createRefreshSource(uses: RefreshUses): RefreshSource {
  const { store, clock, random } = uses;

  return async (source, { signal, onlyWhenDue }) => {
    const { key } = source;
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    await store.sources.add(key, now);
    const lease = { now, until: timestamp(nowMs + LEASE_MS), onlyWhenDue };
    if (!(await store.sources.lease(key, lease))) return undefined;
    const state = (await store.sources.list()).find((known) => known.source === key);
    const recordFailure = async (reason: string, latestMs: number, newestAsOf?: Instant) => {
      const retryMs = nowMs + backoffMs(BACKOFF, state?.failures ?? 0, random);
      const nextAttemptAt = timestamp(Math.min(retryMs, latestMs));
      await store.sources.recordFailure(key, { at: now, reason, nextAttemptAt, newestAsOf });
    };
    try {
      const fetched = await source.fetch(state?.validators, signal);
      const { served, waiting, ...counts } =
        fetched === "unchanged" ? NOTHING : await storeFetched(uses, source, fetched, signal);
      const newestAsOf = newestOf(served, state?.newestAsOf);
      const nextMs = nextAttemptMs(source, newestAsOf, waiting, nowMs);
      const error = fetched === "unchanged" ? undefined : fetched.failure?.message;
      if (error === undefined) {
        const nextAttemptAt = timestamp(nextMs);
        await store.sources.recordSuccess(key, { at: now, newestAsOf, nextAttemptAt });
      } else await recordFailure(error, nextMs, newestAsOf);
      return { source: key, error, isUnreachable: false, ...counts };
    } catch (error) {
      if (signal.aborted) {
        await store.sources.release(key);
        return undefined;
      }
      const reason = error instanceof Error ? error.message : String(error);
      await recordFailure(reason, Number.POSITIVE_INFINITY);
      // Any other error is not the publisher's fault: rethrown, so that the log gets it in full.
      if (!(error instanceof SourceError)) throw error;
      const { served: _, waiting: __, ...counts } = NOTHING;
      return { source: key, error: reason, isUnreachable: error.isUnreachable, ...counts };
    }
  };
}

const NOTHING = {
  ...{ served: [], waiting: [], stored: 0, held: 0, skipped: 0, ended: [] },
  ...{ further: 0, rejections: [] },
};

/** Stores the figures that are not served, then those that are, with the validators. */
async function storeFetched(
  { store, clock, origin, policy, maxDisagreement, headersOf, packContent }: RefreshUses,
  source: RateSource,
  fetched: Exclude<Fetched, "unchanged">,
  signal: AbortSignal,
) {
  const nowMs = clock.nowMs();
  const { figures: stated, rejections } = validFigures(source, fetched, nowMs);
  const received = await createPublication(source, fetched, nowMs, packContent);
  const kept = await holdContradictions(store.contradictions, stated, received, origin());
  const { served, waiting, further } = sortFigures(source, kept.figures, nowMs);
  let { publication } = kept;
  let added = 0;
  for (const some of chunksOf([...further, ...waiting].map(figureOf), FIGURES_PER_TRANSACTION)) {
    const outcome = await store.figures.addFigures(some, publication, timestamp(nowMs));
    publication = outcome.publication;
    added += outcome.isNew.filter(Boolean).length;
    if (some.length === FIGURES_PER_TRANSACTION) await sleep(YIELD_MS, signal);
    signal.throwIfAborted();
  }
  // Without validators the next fetch gets the table again, to serve it.
  const validators = waiting.length === 0 ? fetched.validators : undefined;
  const how = { policy, maxDisagreement, headersOf, origin: origin(), publication, validators };
  const { decisions } = await store.rates.update(served, how);
  const stored = decisions.filter((decision) => decision === "store").length;
  const jumps = decisions.filter((decision) => decision === "hold").length;
  const skipped = decisions.length - stored - jumps + waiting.length;
  const held = jumps + kept.held.length;
  const ended = [...new Set(served.flatMap((rate) => endOfRate(rate) ?? []))];
  return { served, waiting, stored, held, skipped, ended, further: added, rejections };
}

/** What storing the rates of a source would change. */
export interface PreviewedSource {
  readonly decided: readonly DecidedUpdate[];
  /** How many figures of earlier dates or of other kinds their series do not have. */
  readonly further: number;
  /** How many figures are of a table that has not begun. */
  readonly waiting: number;
  /** How many figures the document contradicts: they would be held. */
  readonly contradictions: number;
}

/**
 * Fetches a source and returns what storing its rates would change, without storing or recording
 * anything.
 *
 * @throws {SourceError}
 */
export async function previewSource(
  { store, clock, policy, maxDisagreement }: Pick<RefreshUses, "store" | "clock"> & HowToDecide,
  source: RateSource,
  signal: AbortSignal,
): Promise<PreviewedSource> {
  const fetched = await source.fetch(undefined, signal);
  if (fetched === "unchanged") return { decided: [], further: 0, waiting: 0, contradictions: 0 };
  const nowMs = clock.nowMs();
  const stated = findContradictions(validFigures(source, fetched, nowMs).figures);
  const { served, waiting, further } = sortFigures(source, stated.agreed, nowMs);
  const decided = await store.rates.previewUpdate(served, policy, maxDisagreement);
  const others = await store.rates.previewUpdate(further, () => "older");
  const isNew = others.filter((other) => other.isNew).length;
  const contradictions = stated.contradictions.length;
  return { decided, further: isNew, waiting: waiting.length, contradictions };
}

async function createPublication(
  { key, schedule }: RateSource,
  { documents }: Exclude<Fetched, "unchanged">,
  nowMs: number,
  packContent: PackContent,
): Promise<Publication> {
  const packed = await packDocuments(documents, packContent);
  const isPolled = schedule.following(nowMs) === undefined;
  return { source: key, receivedAt: timestamp(nowMs), documents: packed, isPolled };
}

/** The newest time of the rates or the known one: an older file does not move it back. */
function newestOf(rates: readonly SourcedRate[], known: Instant | undefined): Instant | undefined {
  return rates.reduce(
    (newest, { asOf }) => (newest === undefined || asOf > newest ? asOf : newest),
    known,
  );
}

/**
 * The time of the next publication, or sooner: when a table begins, and while a publication that is
 * due has not come out.
 */
function nextAttemptMs(
  source: RateSource,
  newest: Instant | undefined,
  waiting: readonly SourcedRate[],
  nowMs: number,
): number {
  const beginnings = waiting.map(({ asOf }) => Date.parse(asOf));
  const nextMs = Math.min(source.schedule.nextFetch(nowMs), ...beginnings);
  const newestMs = newest === undefined ? undefined : Date.parse(newest);
  const isAwaited = source.schedule.isAwaited(newestMs, nowMs);
  return isAwaited ? Math.min(nextMs, nowMs + LATE_RETRY_MS) : nextMs;
}

/** The state of a source, for monitoring. */
export interface SourceStatus extends SourceState {
  readonly missedPublications: number;
  readonly missedPairs: MissedPairs;
}

/** The status of each given source. One that was never fetched has missed a publication. */
export async function readSourceStatus(
  store: Pick<SourceStore, "list" | "pairsBehind">,
  sources: readonly RateSource[],
  nowMs: number,
  missedBy = createMissedCounts(sources),
): Promise<readonly SourceStatus[]> {
  const states = new Map((await store.list()).map((state) => [state.source, state]));
  const behind = (await store.pairsBehind()).map((pair) => {
    return { ...pair, missed: missedBy(pair.source, pair.asOf, nowMs, pair) };
  });
  return sources.map(({ key }) => {
    const state = states.get(key) ?? neverFetched(key, nowMs);
    const pairs = behind.filter(({ source, missed }) => source === key && missed > 0);
    const missedPairs = {
      count: pairs.length,
      names: pairs.slice(0, 10).map(pairName),
      publications: Math.max(0, ...pairs.map(({ missed }) => missed)),
    };
    return { ...state, missedPublications: missedBy(key, state.newestAsOf, nowMs), missedPairs };
  });
}

function neverFetched(source: string, nowMs: number): SourceState {
  return {
    source,
    lastSuccessAt: undefined,
    lastErrorAt: undefined,
    lastError: undefined,
    failures: 0,
    newestAsOf: undefined,
    nextAttemptAt: timestamp(nowMs),
    validators: undefined,
    pairs: 0,
  };
}
