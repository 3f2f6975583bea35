import { type Backoff, backoffMs } from "../../platform/async/backoff.ts";
import { type Clock, DAY_MS } from "../../platform/shared/clock.ts";
import { type Instant, instantAt, timestamp } from "../../platform/shared/instant.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { HeadersOf } from "../served/headers.ts";
import type { PackContent, Publication } from "../served/history.ts";
import { latestAsOf, parseSourceLine, type Rejection } from "../served/rules/rate.ts";
import { pairName } from "../served/rules/symbol.ts";
import type { SourcedRate, UpdateDecision, UpdatePolicy } from "../served/rules/update-policy.ts";
import type { DecidedUpdate, RateStore } from "../served/store.ts";
import { createMissedCounts } from "./outlook.ts";
import type { MissedPairs } from "./rules/missed.ts";
import { type Fetched, packDocuments, type RateSource, SourceError } from "./source.ts";
import type { SourceState, SourceStore } from "./store.ts";

/** Longer than any fetch takes. A node that crashes keeps its source leased this long. */
const LEASE_MS = 90_000;

/** A publication that is due but not out yet is requested again after this time. */
const LATE_RETRY_MS = 15 * 60_000;

/** How long before its beginning a table for a period may be published: HMRC's, two weeks. */
const ADVANCE_MS = 31 * DAY_MS;

const BACKOFF: Backoff = { firstMs: 60_000, maxMs: 60 * 60_000 };

/** The outcome of fetching a source. */
export interface RefreshReport {
  readonly source: string;
  /** Why the fetch failed. Nothing was stored then. */
  readonly error: string | undefined;
  /** Whether it failed because this machine found no way to the publisher's host. */
  readonly isUnreachable: boolean;
  readonly stored: number;
  readonly held: number;
  /**
   * Rates that are not served: unchanged, older than the stored ones, of a pair that another
   * source owns, or of a table that has not begun. Their figures are in their series.
   */
  readonly skipped: number;
  /** Lines that are not valid rates, each with its reason. */
  readonly rejections: readonly Rejection[];
}

export interface RefreshUses {
  readonly store: { readonly rates: RateStore; readonly sources: SourceStore };
  readonly clock: Clock;
  /** @returns the origin of what a fetch stores now. */
  readonly origin: () => Origin;
  readonly policy: UpdatePolicy;
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
  const { store, clock, origin, policy, headersOf, packContent, random } = uses;

  return async (source, { signal, onlyWhenDue }) => {
    const { key } = source;
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    await store.sources.add(key, now);
    const lease = { now, until: timestamp(nowMs + LEASE_MS), onlyWhenDue };
    if (!(await store.sources.lease(key, lease))) return undefined;
    const state = (await store.sources.list()).find((known) => known.source === key);
    try {
      const fetched = await source.fetch(state?.validators, signal);
      const { rates, waiting, further, rejections } = ratesOf(source, fetched, nowMs);
      let decisions: readonly UpdateDecision[] = [];
      if (fetched !== "unchanged") {
        const publication = await createPublication(source, fetched, now, packContent);
        const how = {
          policy,
          headersOf,
          origin: origin(),
          further: [...further, ...waiting],
          // Without validators the next fetch gets the table again, to serve it.
          publication:
            waiting.length === 0 ? publication : { ...publication, validators: undefined },
        };
        decisions = (await store.rates.update(rates, how)).decisions;
      }
      const newestAsOf = newestOf(rates, state?.newestAsOf);
      await store.sources.recordSuccess(key, {
        at: now,
        newestAsOf,
        nextAttemptAt: timestamp(nextAttemptMs(source, newestAsOf, waiting, nowMs)),
      });
      const stored = decisions.filter((decision) => decision === "store").length;
      const held = decisions.filter((decision) => decision === "hold").length;
      const skipped = decisions.length - stored - held + waiting.length;
      const counts = { stored, held, skipped, rejections };
      return { source: key, error: undefined, isUnreachable: false, ...counts };
    } catch (error) {
      if (signal.aborted) {
        await store.sources.release(key);
        return undefined;
      }
      const reason = error instanceof Error ? error.message : String(error);
      const nextAttemptAt = timestamp(nowMs + backoffMs(BACKOFF, state?.failures ?? 0, random));
      await store.sources.recordFailure(key, { at: now, reason, nextAttemptAt });
      // Any other error is not the publisher's fault: rethrown, so that the log gets it in full.
      if (!(error instanceof SourceError)) throw error;
      const counts = { stored: 0, held: 0, skipped: 0, rejections: [] };
      return { source: key, error: reason, isUnreachable: error.isUnreachable, ...counts };
    }
  };
}

/** What storing the rates of a source would change. */
export interface PreviewedSource {
  readonly decided: readonly DecidedUpdate[];
  /** How many figures are of a table that has not begun. */
  readonly waiting: number;
}

/**
 * Fetches a source and returns what storing its rates would change, without storing or recording
 * anything.
 *
 * @throws {SourceError}
 */
export async function previewSource(
  { store, clock, policy }: Pick<RefreshUses, "store" | "clock" | "policy">,
  source: RateSource,
  signal: AbortSignal,
): Promise<PreviewedSource> {
  const fetched = await source.fetch(undefined, signal);
  const { rates, waiting } = ratesOf(source, fetched, clock.nowMs());
  return { decided: await store.rates.previewUpdate(rates, policy), waiting: waiting.length };
}

async function createPublication(
  { key, schedule }: RateSource,
  { documents, validators }: Exclude<Fetched, "unchanged">,
  receivedAt: string,
  packContent: PackContent,
): Promise<Publication> {
  const packed = await packDocuments(documents, packContent);
  const isPolled = schedule.following(Date.parse(receivedAt)) === undefined;
  return { source: key, receivedAt, documents: packed, isPolled, validators };
}

/** What a response states, each line validated by itself. */
interface ValidatedLines {
  readonly rates: readonly SourcedRate[];
  /** Those of a table for a period that has not begun: served when it begins. */
  readonly waiting: readonly SourcedRate[];
  /** Those of a kind that is not served. */
  readonly further: readonly SourcedRate[];
  readonly rejections: readonly Rejection[];
}

/** @throws {SourceError} there is no rate that is or will be served. */
function ratesOf(source: RateSource, fetched: Fetched, nowMs: number): ValidatedLines {
  const rates: SourcedRate[] = [];
  const waiting: SourcedRate[] = [];
  const further: SourcedRate[] = [];
  const rejections: Rejection[] = [];
  const lines = { rates, waiting, further, rejections };
  if (fetched === "unchanged") return lines;
  const { key, servedKind = "middle" } = source;
  const now = instantAt(nowMs);
  const latest = latestAsOf(nowMs);
  const latestOfTables = latestAsOf(nowMs + ADVANCE_MS);
  for (const line of fetched.lines) {
    const { place = 0, date, kind = "middle", validUntil } = line;
    const isTable = validUntil !== undefined;
    const parsed = parseSourceLine(line, isTable ? latestOfTables : latest);
    if ("reason" in parsed) {
      rejections.push(parsed);
      continue;
    }
    const served = isTable && parsed.asOf > now ? waiting : rates;
    const rate = { ...parsed, source: key, place, date, kind, validUntil };
    (kind === servedKind ? served : further).push(rate);
  }
  if (rates.length === 0 && waiting.length === 0) {
    throw new SourceError(`no rates in the response: ${rejections[0]?.reason ?? "it is empty"}`);
  }
  return lines;
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
