import type { Dates } from "../sources/rules/archive-ranges.ts";
import type { ArchivedSource, BackfillReport } from "./backfill.ts";

export function backfillReportJson(source: string, { from, to }: Dates, report: BackfillReport) {
  const { stored, unchanged, rejected, held, dates, completedBefore, failed, remaining } = report;
  return {
    source,
    from,
    to,
    stored,
    unchanged,
    rejected,
    held,
    dates,
    completed_before: completedBefore,
    failed,
    remaining: remaining ?? null,
  };
}

/** An archive as a person chooses it. */
export interface ListedArchive extends Pick<ArchivedSource, "key" | "archive"> {
  readonly name: string;
  /** For all of its dates. */
  readonly requests: number;
}

export function archiveJson({ key, name, archive, requests }: ListedArchive) {
  const { since, paceMs } = archive;
  return {
    source: key,
    name,
    since,
    requests,
    seconds_between: paceMs / 1000,
    seconds_at_least: secondsOf(requests, paceMs),
  };
}

/** @returns how long the pauses between requests take. */
export function secondsOf(requests: number, paceMs: number): number {
  return Math.ceil((Math.max(requests - 1, 0) * paceMs) / 1000);
}
