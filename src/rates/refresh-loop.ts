import { pause } from "../async/sleep.ts";
import type { Clock } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import type { RefreshReport, RefreshSource } from "./refresh.ts";
import type { RateSource } from "./source.ts";
import type { SourceState, SourceStore } from "./store.ts";

/** How often the loop looks for what is due: other nodes may have fetched in the meantime. */
const LOOK_INTERVAL_MS = 5_000;

/**
 * Keeps rates fresh in the background until it is aborted. At the start every source is due that
 * was never fetched, failed last or has a publication waiting; then each at its next attempt. One
 * source is fetched after the other, in their order of precedence.
 */
export async function runRefreshLoop(
  uses: {
    readonly store: SourceStore;
    readonly clock: Clock;
    readonly sources: readonly RateSource[];
    readonly refreshSource: RefreshSource;
    readonly onReport: (report: RefreshReport) => void;
    /** For what is no fault of a source: the loop goes on. */
    readonly onError: (source: string, error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, sources, refreshSource, onReport, onError } = uses;

  const refreshDue = async (): Promise<void> => {
    const states = await store.listSources();
    const now = timestamp(clock.nowMs());
    for (const source of sources) {
      const state = states.find((known) => known.source === source.key);
      if (signal.aborted || (state !== undefined && !isDue(state, now))) continue;
      try {
        const report = await refreshSource(source, { signal, onlyWhenDue: true });
        if (report !== undefined) onReport(report);
      } catch (error) {
        onError(source.key, error);
      }
    }
  };

  try {
    for (const { key } of sources) await store.addSource(key, timestamp(clock.nowMs()));
  } catch (error) {
    onError("all", error);
  }
  while (!signal.aborted) {
    try {
      await refreshDue();
    } catch (error) {
      onError("all", error);
    }
    await pause(LOOK_INTERVAL_MS, signal);
  }
}

/**
 * One that was never tried is due; one whose last attempt lies ahead was put off by a clock that
 * has been set back since.
 */
function isDue({ nextAttemptAt, lastSuccessAt, lastErrorAt }: SourceState, now: string): boolean {
  const attempts = [lastSuccessAt, lastErrorAt].filter((at) => at !== undefined);
  return nextAttemptAt <= now || attempts.length === 0 || attempts.some((at) => at > now);
}
