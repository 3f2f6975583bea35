import type { Clock } from "../platform/shared/clock.ts";
import { type Finding, findingsOf } from "../platform/shared/finding.ts";
import type { Engine } from "../platform/storage/engine.ts";
import type { RateSettings } from "./settings.ts";
import { sourcesOf } from "./sources/fetching/registry.ts";
import { readSourceStatus, type SourceStatus } from "./sources/refresh.ts";
import { sourceStore } from "./sources/sql.ts";

export { createMissedCounts } from "./sources/outlook.ts";
export { readSourceStatus, type SourceStatus } from "./sources/refresh.ts";
export type { RateSource } from "./sources/source.ts";
export type { SourceStore } from "./sources/store.ts";

/** A publisher may stay closed for days that no calendar names, such as moved days off. */
const MISSED_AS_WARNING_MAX = 4;

/** A source without a response is tried 6 times in the first hour and 24 times a day after that. */
const FAILURES_OF_A_DAY = 30;

/** Finds the sources that are late or fail. What exactly they lack, kurs rates status says. */
export async function findInSources(
  engine: Engine,
  keys: readonly string[],
  uses: { readonly clock: Clock; readonly version: string } & Pick<RateSettings, "publishers">,
): Promise<readonly Finding[]> {
  const { clock } = uses;
  return checkSources(
    await readSourceStatus(sourceStore(engine), sourcesOf(keys, uses), clock.nowMs()),
  );
}

export function checkSources(states: readonly SourceStatus[]): readonly Finding[] {
  const { ok, warning, problem } = findingsOf("sources");
  if (states.length === 0) return [ok("none is switched on (RATE_SOURCES is empty)")];
  const names = (some: readonly SourceStatus[]) => some.map(({ source }) => source).join(", ");
  const isLate = ({ missedPublications, missedPairs, failures }: SourceStatus) =>
    missedPublications > 0 || missedPairs.count > 0 || failures > 0;
  const late = states.filter(isLate);
  if (late.length === 0) return [ok(`${names(states)} are fresh`)];
  const finding = late.some(isLong) ? problem : warning;
  const text = "late, or not fetched. See kurs rates status; to fetch now: kurs rates fetch.";
  return [finding(`${names(late)}: ${text}`)];
}

function isLong(state: SourceStatus): boolean {
  if (state.lastSuccessAt === undefined) return state.failures >= FAILURES_OF_A_DAY;
  const { missedPublications, missedPairs } = state;
  return Math.max(missedPublications, missedPairs.publications) > MISSED_AS_WARNING_MAX;
}
