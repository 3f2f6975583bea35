import type { CoveredSource } from "./api/rates.ts";
import { counted, formatDay, formatMinute } from "./format.ts";

/** The most missed publications that the service counts. */
const MISSED_MAX = 99;

/** Since when the publisher keeps earlier figures that Kurs can fetch. */
export function archiveOf({ archive_since: since }: CoveredSource): string {
  return since === null ? "none that Kurs reads" : `since ${formatDay(since)}`;
}

/** Whether a source is up to date, or has left out publications, or some of its pairs. */
export function stateOf(missed: number, pairs: number): string {
  if (missed === 0) return pairs === 0 ? "up to date" : `${counted(pairs, "pair")} left out`;
  if (missed === 1) return "1 publication missed";
  return `${missed < MISSED_MAX ? missed : `${MISSED_MAX} or more`} publications missed`;
}

/** How new the figures are, and whether a fetch brought them. */
export function figuresIn({ newest_as_of: newest, last_success_at, pairs }: CoveredSource): string {
  if (newest === null || pairs === 0) return "none yet";
  const origin =
    last_success_at === null
      ? "; they came with the program or by an import: no fetch has succeeded"
      : "";
  return `the newest are of ${formatMinute(newest)}${origin}`;
}
