import { sleep } from "../../platform/async/sleep.ts";
import { type Clock, DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";

/** How often expired rows are removed, by the first node that claims the job. */
const CLEANUP_INTERVAL_MS = HOUR_MS;

/** How often a node checks whether the job is due. */
const CHECK_INTERVAL_MS = 60_000;

/**
 * Pause between two steps, in which the process serves requests. On the embedded database a step
 * blocks the event loop, and awaiting it yields only microtasks.
 */
const PAUSE_MS = 10;

/** Delivered and given-up mails are kept this long for `kurs mail list`. */
const ENDED_MAILS_KEPT_MS = 30 * DAY_MS;

interface CleanupUses {
  readonly store: {
    readonly cleanup: CleanupStore;
    readonly history: OldHistory;
  };
  readonly clock: Clock;
  /** How long events of the audit log are kept. */
  readonly auditDays: number;
  /** How long the history of rates is kept; undefined: forever. */
  readonly historyDays: number | undefined;
  /** Called when nothing is removed because the clock is ahead of the trusted time. */
  readonly onClockAhead: (trusted: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Removes what has expired, and old mails and events, until it is aborted. */
export async function runCleanupLoop(uses: CleanupUses, signal: AbortSignal): Promise<void> {
  const { store, clock, onClockAhead, onError } = uses;
  let reported: string | undefined;

  const cleanUpWhenDue = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    const nextAt = timestamp(nowMs + CLEANUP_INTERVAL_MS);
    const claim = await store.cleanup.claimCleanup(nowMs, nextAt);
    if (claim.kind === "clock_ahead") {
      // Once for each trusted time: the other nodes renew it every hour.
      if (claim.trusted !== reported) onClockAhead(claim.trusted);
      reported = claim.trusted;
    }
    if (claim.kind !== "claimed") return;
    for await (const _ of cleanUp(uses, claim.byMs)) {
      await sleep(PAUSE_MS, signal);
      if (signal.aborted) return;
    }
  };

  while (!signal.aborted) {
    await cleanUpWhenDue().catch(onError);
    await sleep(CHECK_INTERVAL_MS, signal);
  }
}

/** Removes everything that is too old at a time, in steps of a few milliseconds. */
async function* cleanUp(uses: CleanupUses, byMs: number): AsyncGenerator<void> {
  const { store, auditDays, historyDays } = uses;
  const daysBefore = (days: number) => timestamp(byMs - days * DAY_MS);
  yield* store.cleanup.removeExpired(timestamp(byMs));
  yield* store.cleanup.removeEndedMails(timestamp(byMs - ENDED_MAILS_KEPT_MS));
  yield* store.cleanup.removeEvents(daysBefore(auditDays));
  if (historyDays !== undefined) yield* store.history.removeBefore(daysBefore(historyDays));
}

export type CleanupClaim =
  | { readonly kind: "not_due" }
  /** The clock is so far ahead of the trusted time that it may be wrong: nothing was claimed. */
  | { readonly kind: "clock_ahead"; readonly trusted: string }
  /**
   * This node must remove what is too old at `byMs`: by the time of the cleanup before, so that a
   * clock that is ahead for a moment removes nothing.
   */
  | { readonly kind: "claimed"; readonly byMs: number };

/** The work that one node does for all, to keep the store small. Each removal goes in steps. */
export interface CleanupStore {
  /**
   * @param latest a job that is due later was claimed before the clock was set back; by default
   *   `nextAt`. A lease ends before the job's usual next time, which this then is.
   * @returns whether this node must run the job now; for all nodes it is next due at `nextAt`.
   */
  claimJob(name: string, now: string, nextAt: string, latest?: string): Promise<boolean>;
  /** Claims the cleanup, as `claimJob`, and trusts its time from now on. */
  claimCleanup(nowMs: number, nextAt: string): Promise<CleanupClaim>;
  /**
   * Removes sessions, mail tokens, invitations and windows of the auth limiter that have ended by
   * `now`.
   */
  removeExpired(now: string): AsyncIterable<void>;
  /** Removes mails that were delivered or given up before a time. */
  removeEndedMails(before: string): AsyncIterable<void>;
  /** Removes events of the audit log before a time, except those of pairs: they are history. */
  removeEvents(before: string): AsyncIterable<void>;
}

/** The history of rates, as far as this work needs it. */
interface OldHistory {
  /** Removes what was replaced before a time, in steps of a few milliseconds. */
  removeBefore(before: string): AsyncIterable<void>;
}
