import type { CoveredSource } from "./api/rates.ts";
import type { Coverage } from "./coverage.ts";
import { counted, formatDay, formatMinute, formatOld } from "./format.ts";

/** The most missed publications that the service counts. */
const MISSED_MAX = 99;

const IMPORT = "import:";

/** The name of the publisher of a pair; an import may have a name of its own. */
export function nameOfSource(key: string, sources: Coverage["sources"]): string {
  const own = key.startsWith(IMPORT) ? `: ${key.slice(IMPORT.length)}` : "";
  return sources.get(key)?.name ?? `Imported by the operator${own}`;
}

/** Since when the publisher keeps earlier figures that Kurs can fetch. */
export function archiveOf({ archive_since: since }: CoveredSource): string {
  return since === null ? "none that Kurs reads" : `since ${formatDay(since)}`;
}

/** Whether a publisher is up to date, has missed publications, or has left out some of its pairs. */
export function stateOf(missed: number, pairs: number): string {
  if (missed === 0) return pairs === 0 ? "up to date" : `${counted(pairs, "pair")} left out`;
  if (missed === 1) return "1 publication missed";
  return `${missed < MISSED_MAX ? missed : `${MISSED_MAX}+`} publications missed`;
}

/** The time and the age of a publisher's newest rates. */
export function newestOf({ newest_as_of: newest, pairs }: CoveredSource): string {
  if (newest === null || pairs === 0) return "none yet";
  return `${formatMinute(newest)}, ${formatOld(newest)}`;
}

/** When the next publication is expected. */
export function nextOf({ next_publication: next }: CoveredSource): string {
  return next === null ? "at any time" : formatMinute(next);
}

/** The dates that all rates of a publisher share. */
export function datesOf(source: CoveredSource): string {
  return `Newest rates: ${newestOf(source)}. Next publication: ${nextOf(source)}.`;
}

/** When a fetch last succeeded, or where the rates are from without one. */
export function fetchedOf({ last_success_at: time, pairs }: CoveredSource): string {
  if (time !== null) return formatMinute(time);
  return pairs === 0 ? "not yet" : "not yet: its rates came with Kurs or by an import";
}

/**
 * The first and the last of the newest times of publishers, if all of them are late and none was
 * reached on a later day.
 */
export function unreachedSince(
  sources: readonly CoveredSource[],
): readonly [first: string, last: string] | undefined {
  const times = sources.flatMap(({ newest_as_of: time }) => time ?? []).toSorted();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const isFine = ({ last_success_at: fetchedAt, missed_publications, pairs }: CoveredSource) =>
    (fetchedAt ?? "").slice(0, 10) > last.slice(0, 10) || (pairs > 0 && missed_publications === 0);
  return sources.some(isFine) ? undefined : [first, last];
}
