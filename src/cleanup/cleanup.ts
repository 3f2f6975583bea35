import { pause } from "../async/sleep.ts";
import type { Clock } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";

/** How often what has expired is removed; by one node, whoever comes first. */
const TIDY_INTERVAL_MS = 60 * 60_000;

/** How often a node looks whether it is time. */
const LOOK_INTERVAL_MS = 60_000;

/** Mails that were delivered or given up are kept this long for `kurs mail list`. */
const ENDED_MAILS_KEPT_MS = 30 * 24 * 60 * 60_000;

/** Removes expired sessions, tokens and windows and old mails, until it is aborted. */
export async function runCleanupLoop(
  uses: {
    readonly store: CleanupStore;
    readonly clock: Clock;
    readonly onError: (error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, onError } = uses;

  const cleanUpWhenDue = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    if (!(await store.claimJob("tidy", now, timestamp(nowMs + TIDY_INTERVAL_MS)))) return;
    await store.removeExpired(now);
    await store.removeEndedMails(timestamp(nowMs - ENDED_MAILS_KEPT_MS));
  };

  while (!signal.aborted) {
    await cleanUpWhenDue().catch(onError);
    await pause(LOOK_INTERVAL_MS, signal);
  }
}

/** What is done once for all nodes, to keep the store small. */
export interface CleanupStore {
  /** @returns whether this node is to do it now; the next time is then `nextAt`, for all nodes. */
  claimJob(name: string, now: string, nextAt: string): Promise<boolean>;
  /** Removes sessions, mail tokens and windows of the abuse limiter that are over at `now`. */
  removeExpired(now: string): Promise<void>;
  /** Removes mails that were delivered or given up before a moment. */
  removeEndedMails(before: string): Promise<void>;
}
