import { wholeSeconds } from "../../platform/shared/instant.ts";
import type { Series, SeriesReads, StoredFigure } from "../../rates/series/store.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import { type RateSource, scheduleOf } from "../../rates/sources/source.ts";
import type { Restore } from "../provenance/served-at.ts";
import { daysAfter, LAST_DATE, monthOf, type RateRule } from "./rules.ts";

// A law names one figure. Another one in its place, because the right one is not stored, would be a
// false statement: so every date between the figure and the date that the rule counts from must be
// one without a publication.

/** Which figure of a series is asked for. */
export interface AskedRate {
  readonly rule: RateRule;
  /** The date that the rule counts from, such as 2026-03-13. */
  readonly date: string;
  /** Whether dates that the publisher's calendar has, but the store has not, count as closed. */
  readonly acceptsGaps: boolean;
}

/** The figure that a rule names. */
export interface ApplicableRate extends AskedRate {
  readonly figure: StoredFigure;
  /** The dates without a stored figure that the calendar has and the operator took as closed. */
  readonly acceptedGaps: readonly string[];
  /** Whether the calendar of the source, or its document, tells which dates have no figure. */
  readonly isChecked: boolean;
}

/** Why it is not known which figure a rule names, and what to do. */
export interface NotKnown {
  readonly reason: string;
}

export interface FindUses {
  readonly series: SeriesReads;
  /** Undefined for an import, and for a source that this version does not know. */
  readonly source: RateSource | undefined;
  /** The restores of the store: what was stored between a backup and its restore is lost. */
  readonly restores: readonly Restore[];
  readonly nowMs: number;
}

/** Finds the figure of a series that a rule names for a date. */
export async function findApplicableRate(
  uses: FindUses,
  series: Series,
  asked: AskedRate,
): Promise<ApplicableRate | NotKnown> {
  if (asked.date > LAST_DATE) {
    return { reason: `${asked.date} is after ${LAST_DATE}, the last date of the rules: check it` };
  }
  if (asked.rule === "month") return await figureOfMonth(uses, series, asked);
  const { figure, from, to } = await candidateOf(uses.series, series, asked);
  const unpublished = await unexplainedDates(uses, series, figure, { from, to });
  if (figure === undefined) return absent(uses, series, asked, unpublished);
  const { missing, isChecked } = unpublished;
  const [first] = missing;
  const lost = isChecked ? undefined : lostAfter(uses, figure, asked);
  if (lost !== undefined) return lost;
  if (first !== undefined && (!asked.acceptsGaps || isDue(uses, series, missing.at(-1)))) {
    return missingFigures(uses, series, missing);
  }
  return { ...asked, figure, acceptedGaps: missing, isChecked };
}

/** Dates, both included; none where the first is after the last. */
interface Dates {
  readonly from: string;
  readonly to: string;
}

/** The nearest stored figure, and the dates that must be without one. */
async function candidateOf(
  reads: SeriesReads,
  series: Series,
  { rule, date }: AskedRate,
): Promise<Dates & { readonly figure: StoredFigure | undefined }> {
  if (rule === "on-or-next") {
    const figure = await reads.figureOnOrAfter(series, date);
    return {
      figure,
      from: date,
      to: daysAfter(figure?.date ?? date, figure === undefined ? 0 : -1),
    };
  }
  const last = rule === "before" ? daysAfter(date, -1) : date;
  const nearest = await reads.figureOnOrBefore(series, last);
  if (nearest === undefined) return { figure: undefined, from: last, to: last };
  const isCovered = nearest.validUntil !== undefined && nearest.validUntil >= last;
  if (rule === "on") {
    const figure = nearest.date === date || isCovered ? nearest : undefined;
    return { figure, from: date, to: figure === undefined ? date : daysAfter(date, -1) };
  }
  const known = isCovered ? last : (nearest.validUntil ?? nearest.date);
  return { figure: nearest, from: daysAfter(known, 1), to: last };
}

interface Unexplained {
  /** The dates that the calendar has and the store has not; if the last is to come, it alone. */
  readonly missing: readonly string[];
  /** Whether a calendar or a document tells that all others have none. */
  readonly isChecked: boolean;
}

async function unexplainedDates(
  { series: reads, source, nowMs }: FindUses,
  series: Series,
  figure: StoredFigure | undefined,
  { from, to }: Dates,
): Promise<Unexplained> {
  if (from > to && figure !== undefined) return { missing: [], isChecked: true };
  if (source === undefined) return { missing: [], isChecked: false };
  // A document with the figures on both sides, such as an archive, has all between them.
  const before = await reads.figureOnOrBefore(series, daysAfter(from, -1));
  const after = await reads.figureOnOrAfter(series, daysAfter(to, 1));
  if (before?.hash !== undefined && before.hash === after?.hash) {
    return { missing: [], isChecked: true };
  }
  const { publicationOf } = scheduleOf(source, series);
  if (publicationOf === undefined) return { missing: [], isChecked: false };
  const missing: string[] = [];
  for (let date = to; date >= from; date = daysAfter(date, -1)) {
    const dueMs = publicationOf(date);
    if (dueMs !== undefined) missing.push(date);
    // Nothing is known before that: the dates between today and then make no difference.
    if (dueMs !== undefined && dueMs > nowMs) break;
  }
  return { missing: missing.reverse(), isChecked: true };
}

/** Whether a date's figures are not published yet. */
function isDue({ source, nowMs }: FindUses, series: Series, date: string | undefined): boolean {
  if (source === undefined || date === undefined) return false;
  const dueMs = scheduleOf(source, series).publicationOf?.(date);
  return dueMs !== undefined && dueMs > nowMs;
}

/** Why no figure is stored that the rule could name. */
function absent(
  uses: FindUses,
  series: Series,
  { rule, date }: AskedRate,
  { missing, isChecked }: Unexplained,
): NotKnown {
  const { source } = series;
  const name = pairName(series);
  if (rule === "on-or-next") {
    const next = nextPublication(uses, series, date);
    if (next === undefined) {
      return { reason: `${source} has no figure of ${name} on or after ${date}: import it` };
    }
    return missingFigures(uses, series, [next]);
  }
  if (missing.length > 0) return missingFigures(uses, series, missing);
  const none = `${source} has no figure of ${name}`;
  if (rule !== "on")
    return { reason: `${none} ${rule === "before" ? "" : "on or "}before ${date}` };
  if (!isChecked) return { reason: `${none} for ${date}` };
  const rules = "--rule on-or-before, before or on-or-next names another date's";
  return { reason: `${none} for ${date}: it publishes none for this ${weekdayOf(date)}; ${rules}` };
}

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const weekdayOf = (date: string): string =>
  WEEKDAYS[Temporal.PlainDate.from(date).dayOfWeek - 1] ?? "";

/** Longer than any holidays in a row. */
const SEARCHED_DAYS = 31;

function nextPublication({ source }: FindUses, series: Series, date: string): string | undefined {
  const publicationOf = source && scheduleOf(source, series).publicationOf;
  for (let days = 0; days < SEARCHED_DAYS; days += 1) {
    const next = daysAfter(date, days);
    if (publicationOf?.(next) !== undefined) return next;
  }
  return undefined;
}

/** What to do about figures that the calendar has and the store has not. */
function missingFigures(
  { source, restores, nowMs }: FindUses,
  series: Series,
  missing: readonly string[],
): NotKnown {
  const [first = ""] = missing;
  const last = missing.at(-1) ?? first;
  const name = pairName(series);
  const dueMs = source && scheduleOf(source, series).publicationOf?.(last);
  if (dueMs !== undefined && dueMs > nowMs) {
    const when = wholeSeconds(dueMs);
    const what = `${series.source}'s figure of ${name} for ${last}`;
    return { reason: `not known yet: ${what} is due at ${when}` };
  }
  const dates = missing.length === 1 ? first : `${first} and ${missing.length - 1} later dates`;
  const lost = restores.find((one) => isWithin(one, first));
  const why =
    lost === undefined
      ? ` ${series.source} was due to publish ${name} for ${dates}, and no such figure is stored`
      : ` ${series.source}'s figure for ${dates} is not stored, and ${lossOf(lost)}`;
  const fetch =
    source?.archive === undefined
      ? "import the figures"
      : `kurs rates backfill ${series.source} --from ${first} --to ${last} fetches it`;
  return { reason: `not known:${why}: ${fetch}, or pass --accept-gaps if it did not publish` };
}

const isWithin = ({ takenAt, at }: Restore, date: string) =>
  takenAt.slice(0, 10) <= date && date <= at.slice(0, 10);

const lossOf = ({ takenAt, at }: Restore) =>
  `what was stored between ${takenAt === "" ? "a copy" : `the backup of ${takenAt}`} and its ` +
  `restore at ${at} is lost`;

/** Of a source without a calendar nothing tells whether a restore has lost a nearer figure. */
function lostAfter(
  { restores }: FindUses,
  figure: StoredFigure,
  { rule, date }: AskedRate,
): NotKnown | undefined {
  if (figure.date === date || rule === "on") return undefined;
  const lost = restores.find((one) => one.takenAt >= figure.storedAt || one.takenAt === "");
  if (lost === undefined) return undefined;
  const exact = `--rule on names the figure of one date, such as ${figure.date}`;
  return { reason: `not known: ${lossOf(lost)}, and ${figure.source} has no calendar; ${exact}` };
}

/** The figure that is valid on the date or, of a table without a validity, the month's only one. */
async function figureOfMonth(
  { series: reads, source }: FindUses,
  series: Series,
  asked: AskedRate,
): Promise<ApplicableRate | NotKnown> {
  const found = { ...asked, acceptedGaps: [], isChecked: true };
  const nearest = await reads.figureOnOrBefore(series, asked.date);
  const name = `${series.source} has no table of ${pairName(series)}`;
  if (nearest?.validUntil !== undefined) {
    if (nearest.validUntil >= asked.date) return { ...found, figure: nearest };
    const newest = `the last one before it was valid until ${nearest.validUntil}`;
    return { reason: `${name} that is valid on ${asked.date}: ${newest}` };
  }
  const month = asked.date.slice(0, 7);
  const place = { date: "", asOf: "", revision: 0 };
  const figures = await reads.figures(series, { ...monthOf(asked.date), after: place, limit: 100 });
  const figure = figures.at(-1);
  if (figure === undefined) {
    const how = isImport(series.source) ? "import it" : `see kurs rates fetch ${source?.key ?? ""}`;
    return { reason: `${name} for ${month}: ${how.trimEnd()}` };
  }
  if (figures.some((one) => one.date !== figure.date)) {
    const several = `has figures of ${pairName(series)} for several dates of ${month}`;
    return { reason: `${series.source} ${several}: pass another --rule than month` };
  }
  return { ...found, figure };
}
