import { wholeSeconds } from "../../platform/shared/instant.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import type { Series, SeriesReads, StoredFigure } from "../../rates/series/store.ts";
import { explainEnd } from "../../rates/served/rules/ended-currencies.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import { isCalendarKnown, publicationsOf, type RateSource } from "../../rates/sources/source.ts";
import type { Restore } from "../provenance/served-at.ts";
import { findBeside, type Suspension } from "./beside.ts";
import {
  type Dates,
  datesPassedOver,
  daysAfter,
  explainDates,
  type KnownDates,
  LAST_DATE,
  lastDate,
  mayName,
  otherOfMonth,
  type RateRule,
  wholeMonth,
} from "./rules.ts";

// A law names one figure. Another one in its place, because the right one is not stored, would be a
// false statement: so every date that the rule passes over must be one without a publication.

/** Which figure of a series is asked for. */
export interface AskedRate {
  readonly rule: RateRule;
  /** The date that the rule counts from, such as 2026-03-13. */
  readonly date: string;
  /** How many dates that the publisher's calendar has, but the store has not, count as closed. */
  readonly mostGaps: number;
}

/** The figure that a rule names. */
export interface ApplicableRate extends AskedRate {
  readonly figure: StoredFigure;
  /** The dates without a stored figure that the calendar has and the operator took as closed. */
  readonly acceptedGaps: readonly string[];
  /** Whether the calendar of the source, or its document, tells which dates have no figure. */
  readonly isChecked: boolean;
}

interface FindUses {
  readonly reads: SeriesReads;
  readonly series: Series;
  /** Undefined for an import, and for a source that this version does not know. */
  readonly source: RateSource | undefined;
  /** The restores of the store: what was stored between a backup and its restore is lost. */
  readonly restores: readonly Restore[];
  readonly nowMs: number;
}

/** A search in a series, whose calendar may be known. */
interface Search extends FindUses, Pick<KnownDates, "publicationOf"> {}

/**
 * Finds the figure of a series that a rule names for a date.
 *
 * @returns without one why it is not known, and what to do.
 */
export async function findApplicableRate(
  uses: FindUses,
  asked: AskedRate,
): Promise<ApplicableRate | Rejection> {
  const found = await findByRule(uses, asked);
  const figureDate = "reason" in found ? undefined : found.figure.date;
  const ended = explainEnd(uses.series, asked.date, figureDate);
  return ended === undefined ? found : { reason: ended };
}

async function findByRule(uses: FindUses, asked: AskedRate): Promise<ApplicableRate | Rejection> {
  const { reads, series, source } = uses;
  const { rule, date } = asked;
  if (date > LAST_DATE) {
    return { reason: `${date} is after ${LAST_DATE}, the last date of the rules: check it` };
  }
  const search = { ...uses, publicationOf: source && publicationsOf(source, series) };
  if (rule === "month") return await figureOfMonth(search, asked);
  const last = lastDate(rule, date);
  const nearest = await (rule === "on-or-next"
    ? reads.figureOnOrAfter(series, date)
    : reads.figureOnOrBefore(series, last));
  const figure = nearest && mayName(rule, date, nearest) ? nearest : undefined;
  const passed = figure ? datesPassedOver(rule, date, figure) : { from: last, to: last };
  const unpublished = await unexplainedDates(search, passed);
  if ("since" in unpublished) return { reason: explainSuspension(series, unpublished) };
  if (figure === undefined) return absent(search, asked, unpublished);
  const { missing, isChecked } = unpublished;
  const lost = isChecked ? undefined : lostAfter(search, figure, asked);
  if (lost !== undefined) return lost;
  const isDue = dueLater(search, missing.at(-1)) !== undefined;
  if (missing.length > asked.mostGaps || isDue) {
    return missingFigures(search, missing, asked.mostGaps);
  }
  return { ...asked, figure, acceptedGaps: missing, isChecked };
}

interface Unexplained {
  /** The dates that the calendar has and the store has not; if the last is to come, it alone. */
  readonly missing: readonly string[];
  /** Whether a calendar or a document tells that all others have none. */
  readonly isChecked: boolean;
}

async function unexplainedDates(search: Search, dates: Dates): Promise<Unexplained | Suspension> {
  const { reads, series, source, publicationOf } = search;
  // An import tells only of the dates that it has.
  const stated = source && (await datesOfOneDocument(reads, series, dates));
  // A polled source has figures of what was traded.
  const hasDays = source?.schedule.isKnown !== undefined;
  const beside = hasDays ? await findBeside(reads, series, dates) : undefined;
  const others = beside === undefined ? [] : [beside.other.date];
  const explained = explainDates(dates, { publicationOf, stated, others });
  if (explained.by === "suspension" && beside !== undefined) return beside;
  if (explained.by !== "calendar") return { missing: [], isChecked: explained.by !== "nothing" };
  const missing: string[] = [];
  for (let date = dates.to; date >= dates.from; date = daysAfter(date, -1)) {
    if (explained.publicationOf(date) !== undefined) missing.unshift(date);
    // Nothing is known before that: the dates between today and then make no difference.
    if (dueLater(search, date) !== undefined) break;
  }
  return { missing, isChecked: true };
}

/** The stored dates on both sides of some dates, if they are of one document. */
async function datesOfOneDocument(
  reads: SeriesReads,
  series: Series,
  { from, to }: Dates,
): Promise<KnownDates["stated"]> {
  if (from > to) return undefined;
  const before = await reads.figureOnOrBefore(series, daysAfter(from, -1));
  const after = await reads.figureOnOrAfter(series, daysAfter(to, 1));
  const isOne = before?.hash !== undefined && before.hash === after?.hash;
  return isOne ? [[before.date, after.date]] : undefined;
}

/** When a date's figures are due, if that is to come. */
function dueLater({ publicationOf, nowMs }: Search, date: string | undefined): number | undefined {
  const dueMs = date === undefined ? undefined : publicationOf?.(date);
  return dueMs !== undefined && dueMs > nowMs ? dueMs : undefined;
}

/** Why no figure is stored that the rule could name. */
function absent(
  search: Search,
  { rule, date }: AskedRate,
  { missing, isChecked }: Unexplained,
): Rejection {
  const { series } = search;
  const none = `${series.source} has no figure of ${pairName(series)}`;
  if (rule === "on-or-next") {
    const next = nextPublication(search, date);
    if (next === undefined) return { reason: `${none} on or after ${date}: import it` };
    const ended = explainEnd(series, next);
    return ended === undefined ? missingFigures(search, [next], 0) : { reason: ended };
  }
  if (missing.length > 0) return missingFigures(search, missing, 0);
  if (rule !== "on") {
    return { reason: `${none} ${rule === "before" ? "" : "on or "}before ${date}` };
  }
  if (!isChecked) return { reason: `${none} for ${date}` };
  const weekday = Temporal.PlainDate.from(date).toLocaleString("en-US", { weekday: "long" });
  const rules = "--rule on-or-before, before or on-or-next names another date's";
  return { reason: `${none} for ${date}: it publishes none for this ${weekday}; ${rules}` };
}

/** Longer than any holidays in a row. */
const SEARCHED_DAYS = 31;

function nextPublication({ publicationOf }: Search, date: string): string | undefined {
  for (let days = 0; days < SEARCHED_DAYS; days += 1) {
    const next = daysAfter(date, days);
    if (publicationOf?.(next) !== undefined) return next;
  }
  return undefined;
}

/** What to do about figures that the calendar has and the store has not. */
function missingFigures(search: Search, missing: readonly string[], mostGaps: number): Rejection {
  const { series, source, restores } = search;
  const [first = ""] = missing;
  const last = missing.at(-1) ?? first;
  const name = pairName(series);
  const dueMs = dueLater(search, last);
  if (dueMs !== undefined) {
    const what = `${series.source}'s figure of ${name} for ${last}`;
    return { reason: `not known yet: ${what} is due at ${wholeSeconds(dueMs)}` };
  }
  const dates = missing.length === 1 ? first : `${first} and ${missing.length - 1} later dates`;
  const lost = restores.find(
    ({ takenAt, at }) => takenAt.slice(0, 10) <= first && first <= at.slice(0, 10),
  );
  const isUnknown = source !== undefined && isCalendarKnown(source, series, first) === false;
  const was = isUnknown ? "may have published" : "was due to publish";
  const why =
    lost === undefined
      ? `${series.source} ${was} ${name} for ${dates}, and no such figure is stored`
      : `${series.source}'s figure for ${dates} is not stored, and ${lossBy(lost)}`;
  const fetch =
    source?.archive === undefined
      ? "import the figures"
      : `kurs rates backfill ${series.source} --from ${first} --to ${last} fetches it`;
  const accept =
    mostGaps === 0
      ? "or pass --accept-gaps if it did not publish"
      : `and --accept-gaps accepts ${counted(mostGaps, "day")}, not ${missing.length}`;
  return { reason: `not known: ${why}: ${fetch}, ${accept}` };
}

function explainSuspension(series: Series, { since, other, next }: Suspension): string {
  const when = since === undefined ? "" : ` since ${since}`;
  const again = next === undefined ? "" : `; the next is of ${next}`;
  const beside = `though ${pairName(other)} for ${other.date}`;
  return `${series.source} has not published ${pairName(series)}${when}, ${beside}${again}`;
}

const lossBy = ({ takenAt, at }: Restore) =>
  `what was stored between ${takenAt === "" ? "a copy" : `the backup of ${takenAt}`} and its ` +
  `restore at ${at} is lost`;

/** Of a source without a calendar nothing tells whether a restore has lost a nearer figure. */
function lostAfter(
  { restores }: Search,
  figure: StoredFigure,
  { rule, date }: AskedRate,
): Rejection | undefined {
  if (figure.date === date || rule === "on") return undefined;
  const lost = restores.find((one) => one.takenAt >= figure.storedAt || one.takenAt === "");
  if (lost === undefined) return undefined;
  const exact = `--rule on names the figure of one date, such as ${figure.date}`;
  return { reason: `not known: ${lossBy(lost)}, and ${figure.source} has no calendar; ${exact}` };
}

/** The figure that is valid on the date or, of a table without a validity, the month's only one. */
async function figureOfMonth(
  { reads, series, source, publicationOf }: Search,
  asked: AskedRate,
): Promise<ApplicableRate | Rejection> {
  const found = { ...asked, acceptedGaps: [], isChecked: true };
  const nearest = await reads.figureOnOrBefore(series, asked.date);
  const none = `${series.source} has no table of ${pairName(series)}`;
  if (nearest?.validUntil !== undefined) {
    if (mayName("month", asked.date, nearest)) return { ...found, figure: nearest };
    const newest = `the last one before it was valid until ${nearest.validUntil}`;
    return { reason: `${none} that is valid on ${asked.date}: ${newest}` };
  }
  const month = asked.date.slice(0, 7);
  const after = { date: "", asOf: "", revision: 0 };
  const figures = await reads.figures(series, { ...wholeMonth(asked.date), after, limit: 100 });
  const figure = figures.at(-1);
  if (figure === undefined) {
    const how = isImport(series.source) ? "import it" : `see kurs rates fetch ${source?.key ?? ""}`;
    return { reason: `${none} for ${month}: ${how.trimEnd()}` };
  }
  const isOnly = figures.every((one) => one.date === figure.date);
  if (!isOnly || otherOfMonth(figure, publicationOf) !== undefined) {
    const several = `has figures of ${pairName(series)} for several dates of ${month}`;
    return { reason: `${series.source} ${several}: pass another --rule than month` };
  }
  return { ...found, figure };
}
