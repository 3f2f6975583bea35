import { sleep } from "../../platform/async/sleep.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { RefreshReport, RefreshSource } from "./refresh.ts";
import type { RateSource } from "./source.ts";
import type { SourceState, SourceStore } from "./store.ts";

/** How often the loop looks for due sources: other nodes may have fetched in the meantime. */
const CHECK_INTERVAL_MS = 5_000;

/**
 * Refreshes rates in the background until the signal aborts. At the start, a source is due if it
 * was never fetched, if its last fetch failed or if a publication is waiting; later, at its next
 * attempt. Sources are fetched one after the other, in their order of precedence.
 */
export async function runRefreshLoop(
  uses: {
    readonly store: { readonly sources: SourceStore };
    readonly clock: Clock;
    readonly sources: readonly RateSource[];
    readonly refreshSource: RefreshSource;
    /** Called with the reports of the sources that were due together. */
    readonly onReports: (reports: readonly RefreshReport[]) => void;
    /** For errors that are not the source's fault: the loop continues. */
    readonly onError: (source: string, error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, sources, refreshSource, onReports, onError } = uses;

  const refreshDue = async (): Promise<void> => {
    const states = await store.sources.list();
    const now = timestamp(clock.nowMs());
    const reports: RefreshReport[] = [];
    for (const source of sources) {
      const state = states.find((known) => known.source === source.key);
      if (signal.aborted || (state !== undefined && !isDue(state, now))) continue;
      try {
        const report = await refreshSource(source, { signal, onlyWhenDue: true });
        if (report !== undefined) reports.push(report);
      } catch (error) {
        onError(source.key, error);
      }
    }
    if (reports.length > 0) onReports(reports);
  };

  try {
    for (const { key } of sources) await store.sources.add(key, timestamp(clock.nowMs()));
  } catch (error) {
    onError("all", error);
  }
  while (!signal.aborted) {
    try {
      await refreshDue();
    } catch (error) {
      onError("all", error);
    }
    await sleep(CHECK_INTERVAL_MS, signal);
  }
}

/**
 * A source that was never tried is due. So is one whose last attempt is in the future: the clock
 * has been set back since.
 */
function isDue({ nextAttemptAt, lastSuccessAt, lastErrorAt }: SourceState, now: string): boolean {
  const attempts = [lastSuccessAt, lastErrorAt].filter((at) => at !== undefined);
  return nextAttemptAt <= now || attempts.length === 0 || attempts.some((at) => at > now);
}
