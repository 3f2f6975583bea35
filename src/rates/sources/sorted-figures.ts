import { DAY_MS } from "../../platform/shared/clock.ts";
import { instantAt } from "../../platform/shared/instant.ts";
import { type Figure, figureOf } from "../served/figures.ts";
import {
  latestAsOf,
  parseSourceLine,
  type Rejection,
  type SourceLine,
} from "../served/rules/rate.ts";
import { pairName } from "../served/rules/symbol.ts";
import type { SourcedRate } from "../served/rules/update-policy.ts";
import { type FetchedLines, type RateSource, SourceError } from "./source.ts";

/** How long before its beginning a table for a period may be published: HMRC's, two weeks. */
const ADVANCE_MS = 31 * DAY_MS;

/** A hundred years. */
const ANY_AGE_DAYS = 36_525;

/** Reads the figures of a publisher's lines, each validated by itself. */
export function readFigures(source: string, lines: readonly SourceLine[], nowMs: number) {
  const figures: Figure[] = [];
  const rejections: Rejection[] = [];
  const latest = latestAsOf(nowMs);
  const latestOfTables = latestAsOf(nowMs + ADVANCE_MS);
  for (const line of lines) {
    const { place = 0, date, kind, validUntil } = line;
    const parsed = parseSourceLine(line, validUntil === undefined ? latest : latestOfTables);
    if ("reason" in parsed) rejections.push(parsed);
    else figures.push(figureOf({ ...parsed, source, place, date, kind, validUntil }));
  }
  return { figures, rejections };
}

/** Reads the figures of a response. @throws {SourceError} there is none. */
export function validFigures({ key }: RateSource, { lines }: FetchedLines, nowMs: number) {
  const { figures, rejections } = readFigures(key, lines, nowMs);
  if (figures.length > 0) return { figures, rejections };
  throw new SourceError(`no rates in the response: ${rejections[0]?.reason ?? "it is empty"}`);
}

/** The figures of a publication by what becomes of them besides going to their series. */
interface SortedFigures {
  /** Of each pair the newest of the kind that is served. */
  readonly served: readonly SourcedRate[];
  /** Those of a table for a period that has not begun: served when it begins. */
  readonly waiting: readonly SourcedRate[];
  /** Those of another kind, of an earlier time, or of a currency that has ended. */
  readonly further: readonly SourcedRate[];
}

export function sortFigures(
  { servedKind = "middle", isServedAhead, endedAfterDays = ANY_AGE_DAYS }: RateSource,
  figures: readonly SourcedRate[],
  nowMs: number,
): SortedFigures {
  const now = instantAt(nowMs);
  const waits = ({ validUntil, asOf }: SourcedRate) =>
    validUntil !== undefined && asOf > now && !isServedAhead;
  const ofServedKind = figures.filter(({ kind }) => kind === servedKind);
  const waiting = ofServedKind.filter(waits);
  const newest = new Map<string, SourcedRate>();
  for (const rate of ofServedKind) {
    const { asOf = "" } = newest.get(pairName(rate)) ?? {};
    if (!waits(rate) && rate.asOf > asOf) newest.set(pairName(rate), rate);
  }
  const times = [...newest.values()].map(({ asOf }) => Date.parse(asOf));
  const oldest = instantAt(
    times.reduce((last, time) => Math.max(last, time), 0) - endedAfterDays * DAY_MS,
  );
  const served = [...newest.values()].filter(({ asOf }) => asOf >= oldest);
  const further = new Set(figures).difference(new Set([...served, ...waiting]));
  return { served, waiting, further: [...further] };
}
