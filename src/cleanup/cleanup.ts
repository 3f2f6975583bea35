import { sleep } from "../async/sleep.ts";
import { type Clock, DAY_MS, HOUR_MS } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";

/** How often expired rows are removed, by the first node that claims the job. */
const CLEANUP_INTERVAL_MS = HOUR_MS;

/** How often a node checks whether the job is due. */
const CHECK_INTERVAL_MS = 60_000;

/** Pause between the steps that remove history, in which the process serves requests. */
const PAUSE_MS = 10;

/** Delivered and given-up mails are kept this long for `kurs mail list`. */
const ENDED_MAILS_KEPT_MS = 30 * DAY_MS;

/** Removes what has expired, and old mails and events, until it is aborted. */
export async function runCleanupLoop(
  uses: {
    readonly store: { readonly cleanup: CleanupStore; readonly history: OldHistory };
    readonly clock: Clock;
    /** How long events of the audit log are kept. */
    readonly auditDays: number;
    /** How long the history of rates is kept; undefined: forever. */
    readonly historyDays: number | undefined;
    readonly onError: (error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { clock, auditDays, historyDays, onError } = uses;
  const { cleanup, history } = uses.store;

  const cleanUpWhenDue = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    if (!(await cleanup.claimJob("tidy", now, timestamp(nowMs + CLEANUP_INTERVAL_MS)))) return;
    await cleanup.removeExpired(now);
    await cleanup.removeEndedMails(timestamp(nowMs - ENDED_MAILS_KEPT_MS));
    await cleanup.removeEvents(timestamp(nowMs - auditDays * DAY_MS));
    if (historyDays === undefined) return;
    const steps = history.removeBefore(timestamp(nowMs - historyDays * DAY_MS));
    for await (const _ of steps) {
      await sleep(PAUSE_MS, signal);
      if (signal.aborted) return;
    }
  };

  while (!signal.aborted) {
    await cleanUpWhenDue().catch(onError);
    await sleep(CHECK_INTERVAL_MS, signal);
  }
}

/** The work that one node does for all, to keep the store small. */
export interface CleanupStore {
  /**
   * @param latest a job that is due later was claimed before the clock was set back; by default
   *   `nextAt`. A lease ends before the job's usual next time, which this then is.
   * @returns whether this node must run the job now; for all nodes it is next due at `nextAt`.
   */
  claimJob(name: string, now: string, nextAt: string, latest?: string): Promise<boolean>;
  /**
   * Removes sessions, mail tokens, invitations and windows of the auth limiter that have ended by
   * `now`.
   */
  removeExpired(now: string): Promise<void>;
  /** Removes mails that were delivered or given up before a time. */
  removeEndedMails(before: string): Promise<void>;
  /** Removes events of the audit log before a time, except those of pairs: they are history. */
  removeEvents(before: string): Promise<void>;
}

/** The history of rates, as far as this work needs it. */
interface OldHistory {
  /** Removes what was replaced before a time, in steps of a few milliseconds. */
  removeBefore(before: string): AsyncIterable<void>;
}
