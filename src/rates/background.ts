import type { Logger } from "pino";
import { runUntilDisposed } from "../platform/async/until-disposed.ts";
import { originNow } from "../platform/shared/origin.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import { createUpdatePolicy, type RateSettings } from "./served/rules/update-policy.ts";
import { packContent } from "./sources/fetching/content.ts";
import { createRefreshSource, type RefreshReport, type RefreshUses } from "./sources/refresh.ts";
import { runRefreshLoop } from "./sources/refresh-loop.ts";
import type { RateSource } from "./sources/source.ts";

interface RefreshDeps extends Pick<RefreshUses, "store" | "clock" | "headersOf" | "random"> {
  readonly secrets: Pick<Secrets, "uuid">;
  readonly log: Logger;
  /** The active sources, in order of precedence. */
  readonly sources: readonly RateSource[];
}

/**
 * Refreshes rates in the background; disposing stops it and aborts a running fetch.
 *
 * @param served what is served without a network, for the log: "the snapshot of 2026-11-20".
 */
export function startRateRefresh(
  settings: RateSettings,
  deps: RefreshDeps,
  served: string,
): AsyncDisposable {
  const { log } = deps;
  const { maxDisagreement } = settings;
  const how = { policy: createUpdatePolicy(settings), maxDisagreement };
  const origin = () => originNow({ kind: "service" }, deps);
  const refreshSource = createRefreshSource({ ...deps, ...how, packContent, origin });
  const onReports = createRefreshLogger(deps, served);
  const onError = (source: string, err: unknown) =>
    log.error({ source, err }, "rates could not be refreshed");
  return runUntilDisposed((signal) =>
    runRefreshLoop({ ...deps, refreshSource, onReports, onError }, signal),
  );
}

/** Logs what was fetched. Without a network one line replaces a warning for each attempt. */
function createRefreshLogger({ log, sources }: RefreshDeps, served: string) {
  let isOffline = false;
  return (reports: readonly RefreshReport[]): void => {
    const isUnreachable = reports.every((report) => report.isUnreachable);
    // Before, all sources failed together; now one at a time, since their retries are spread.
    if (isUnreachable && (isOffline || reports.length === sources.length)) {
      const named = { sources: reports.map(({ source }) => source), error: reports[0]?.error };
      if (isOffline) log.debug(named, "still offline");
      else log.warn(named, `offline: serving ${served} until the network is back`);
      isOffline = true;
      return;
    }
    if (reports.some(({ error }) => error === undefined)) isOffline = false;
    for (const report of reports) logReport(log, report);
  };
}

function logReport(log: Logger, { rejections, isUnreachable: _, ...report }: RefreshReport): void {
  if (report.error !== undefined) log.warn(report, "a source failed: serving what is stored");
  else log.info({ ...report, rejected: rejections.length }, "a source was fetched");
  for (const { reason } of rejections) log.warn({ source: report.source, reason }, "rejected");
  if (report.held > 0) log.warn(report, "rates are held: see kurs rates held");
}
