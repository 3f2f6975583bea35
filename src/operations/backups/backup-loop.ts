import type { Cron } from "croner";
import { sleep } from "../../platform/async/sleep.ts";
import { type Clock, HOUR_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";

/** The longest time between two looks at the schedule: a clock may be set meanwhile. */
const CHECK_INTERVAL_MS = 60_000;

/** How long after a failed backup a server tries again. */
const RETRY_MS = 15 * 60_000;

/**
 * How much later another server's time may be: it read its clock after this one, or that is ahead.
 * Without this, a lease that it has just taken looks like one from before a clock was set back.
 */
const CLOCKS_DIFFER_MS = 60_000;

/** Longer than a backup with its verification takes. A killed server's is due again after it. */
const LEASE_MS = HOUR_MS;

/**
 * Takes backups by a schedule until the signal aborts: one is due at the first start and, when
 * servers were down at its time, at the next. Of several servers on one database one takes it.
 */
export async function runBackupLoop(
  uses: {
    readonly schedule: Cron;
    readonly clock: Clock;
    /** As `CleanupStore.claimJob`. */
    readonly claimJob: (
      name: string,
      now: string,
      nextAt: string,
      latest?: string,
    ) => Promise<boolean>;
    /** @throws when there is no good new backup. */
    readonly takeBackup: (signal: AbortSignal) => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { schedule, clock, claimJob, takeBackup, onError } = uses;
  const nextMs = (afterMs = clock.nowMs()) => {
    const next = schedule.nextRun(new Date(afterMs));
    if (next === null) throw new Error("the schedule of backups has no next run");
    return next.getTime();
  };

  const backUpWhenDue = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    const leasedUntil = timestamp(nowMs + LEASE_MS);
    const aheadMs = nowMs + CLOCKS_DIFFER_MS;
    const latest = timestamp(Math.max(nextMs(aheadMs), aheadMs + LEASE_MS));
    if (!(await claimJob("backup", timestamp(nowMs), leasedUntil, latest))) return;
    const endLease = (dueMs: number) => claimJob("backup", leasedUntil, timestamp(dueMs));
    try {
      await takeBackup(signal);
    } catch (error) {
      // One that a shutdown ended is due at the next start.
      await endLease(clock.nowMs() + (signal.aborted ? 0 : RETRY_MS));
      throw error;
    }
    await endLease(nextMs());
  };

  while (!signal.aborted) {
    await backUpWhenDue().catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    await sleep(Math.min(nextMs() - clock.nowMs(), CHECK_INTERVAL_MS), signal);
  }
}
