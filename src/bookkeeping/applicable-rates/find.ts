import type { Series, SeriesReads, StoredFigure } from "../../rates/series/store.ts";
import { explainEnd } from "../../rates/served/rules/ended-currencies.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import { expectationsOf } from "../../rates/sources/source.ts";
import { readFigures } from "../provenance/figures.ts";
import { findBeside } from "./beside.ts";
import {
  absent,
  adviceToFetch,
  contradicted,
  explainHeld,
  explainSuspension,
  lostAfter,
  missingFigures,
  notNamed,
  type Unexplained,
} from "./not-known.ts";
import {
  type Dates,
  datesPassedOver,
  daysAfter,
  explainDates,
  findRival,
  hasDate,
  isValidOn,
  LAST_DATE,
  lastDate,
  mayName,
  otherOfMonth,
  wholeMonth,
} from "./rules.ts";
import {
  type ApplicableRate,
  type AskedRate,
  dueLater,
  type FindUses,
  readDocument,
  type Search,
} from "./search.ts";

// A law names one figure. Another one in its place, because the right one is not stored, would be a
// false statement: so every date that the rule passes over must be one without a publication.

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
  const last = asked.asked > asked.date ? asked.asked : asked.date;
  const ended = explainEnd(uses.series, last, figureDate);
  if (ended !== undefined) return { reason: ended };
  if ("reason" in found || uses.series.kind !== (uses.source?.servedKind ?? "middle")) return found;
  const why = await uses.reads.whyHeld(found.figure);
  if (why === undefined) return found;
  return { reason: `not known: ${explainHeld(found.figure, why)}` };
}

async function findByRule(uses: FindUses, asked: AskedRate): Promise<ApplicableRate | Rejection> {
  const { reads, series, source } = uses;
  const { rule, date } = asked;
  if (date > LAST_DATE) {
    return { reason: `${date} is after ${LAST_DATE}, the last date of the rules: check it` };
  }
  const search = { ...uses, publicationOf: source && expectationsOf(source, series) };
  if (rule === "month") return await figureOfMonth(search, asked);
  const last = lastDate(rule, date);
  const isNamed = (one: StoredFigure | undefined) => one && mayName(rule, date, one);
  const before = await lastBefore(reads, series, last);
  const isOfNext = hasDate(rule) && !isNamed(before);
  const after = isOfNext ? await reads.figureOnOrAfter(series, date) : undefined;
  const figure = [before, after].find(isNamed);
  const nearer = findContradicted(search, asked, figure);
  if (nearer !== undefined) return contradicted(search, nearer);
  const hasValidity = (before ?? after)?.validUntil !== undefined;
  const begin = () => (hasValidity || !hasDate(rule) ? lastExpected(search, last) : last);
  const passed = figure ? datesPassedOver(rule, date, figure) : { from: begin(), to: last };
  const unpublished = await unexplainedDates(search, passed, figure);
  if ("reason" in unpublished) return unpublished;
  if (figure === undefined) return absent(search, asked, unpublished, hasValidity);
  const { missing, unproven: unprovenGaps = [], isChecked } = unpublished;
  const lost = isChecked ? undefined : lostAfter(search, figure, asked, passed);
  if (lost !== undefined) return lost;
  const isDue = dueLater(search, missing.at(-1)) !== undefined;
  if (missing.length > asked.mostGaps || isDue) {
    return missingFigures(search, missing, asked.mostGaps);
  }
  return { ...asked, figure, acceptedGaps: missing, unprovenGaps, isChecked };
}

/** The date of the last publication on or before a date, whose figures are valid until the next. */
function lastExpected({ publicationOf }: Search, date: string): string {
  for (let days = 0; days < YEAR_DAYS; days += 1) {
    const earlier = daysAfter(date, -days);
    if (publicationOf?.(earlier) !== undefined) return earlier;
  }
  return date;
}

/** Finds a contradicted figure that the rule would name in place of another one, or of none. */
function findContradicted(
  { contradicted: others }: Search,
  { rule, date }: AskedRate,
  figure: StoredFigure | undefined,
) {
  if (figure !== undefined) {
    // A later document may contradict itself where an earlier one had stated this figure alone.
    const held = others.find((one) => one.date === figure.date && one.decision === "held");
    return held ?? findRival(rule, date, figure, others);
  }
  const named = others.filter((one) => mayName(rule, date, one));
  return rule === "on-or-next" ? named[0] : named.at(-1);
}

/** @param figure the one that is named; the dates are on one side of it. */
async function unexplainedDates(
  search: Search,
  dates: Dates,
  figure: StoredFigure | undefined,
): Promise<Unexplained | Rejection> {
  const { reads, series, source, publicationOf } = search;
  if (dates.from > dates.to) return { missing: [], isChecked: true };
  // A polled source has figures of what was traded.
  const hasDays = source?.schedule.isKnown !== undefined;
  const beside = hasDays ? await findBeside(reads, series, dates) : undefined;
  const neighbor = figure ?? (await reads.figureOnOrBefore(series, dates.from));
  // An import tells only of the dates that it has.
  const document = source && neighbor && (await readDocument(search, neighbor));
  const others = [
    ...((hasDays && document?.others) || []),
    ...(beside === undefined ? [] : [beside.other.date]),
  ];
  const explained = explainDates(dates, {
    publicationOf,
    stated: document?.stated,
    others,
    unread: document?.unread,
  });
  switch (explained.by) {
    case "suspension":
      return { reason: explainSuspension(series, beside, explained.date) };
    case "nearer figure":
    case "unread line":
      // Without a figure to name, the calendar tells what is missing.
      if (figure !== undefined) return notNamed(search, figure, explained.by, explained.date);
      return { missing: [explained.date], isChecked: true };
    case "calendar":
      return { missing: expectedDates(search, dates, explained.publicationOf), isChecked: true };
    case "document": {
      const unproven = publicationOf ? expectedDates(search, dates, publicationOf) : [];
      return { missing: [], unproven, isChecked: true };
    }
    default:
      return { missing: [], isChecked: explained.by !== "nothing" };
  }
}

function expectedDates(
  search: Search,
  { from, to }: Dates,
  publicationOf: (date: string) => number | undefined,
): readonly string[] {
  const expected: string[] = [];
  for (let date = to; date >= from; date = daysAfter(date, -1)) {
    if (publicationOf(date) !== undefined) expected.unshift(date);
    // Nothing is known before that: the dates between today and then make no difference.
    if (dueLater(search, date) !== undefined) break;
  }
  return expected;
}

/** The figure that is valid on the date or, of a table without a validity, the month's only one. */
async function figureOfMonth(
  search: Search,
  asked: AskedRate,
): Promise<ApplicableRate | Rejection> {
  const { reads, series, source, publicationOf } = search;
  const { from, to } = wholeMonth(asked.date);
  const nearest = await reads.figureOnOrBefore(series, asked.date);
  const hasValidity = nearest?.validUntil !== undefined;
  // A table for a quarter began in another month; none is valid for more than a year.
  const dates = { from: hasValidity ? daysAfter(from, -YEAR_DAYS) : from, to };
  const figures = (await lastRevisions(reads, series, dates)).filter((one) =>
    mayName("month", asked.date, one),
  );
  const figure = figures.at(-1);
  const nearer = findContradicted(search, asked, figure);
  if (nearer !== undefined) return contradicted(search, nearer);
  const none = `${series.source} has no table of ${pairName(series)}`;
  const month = asked.date.slice(0, 7);
  if (figure === undefined) {
    const begun = lastExpected(search, asked.date);
    if (dueLater(search, begun) !== undefined) return missingFigures(search, [begun], 0);
    const last = `and the last one was until ${nearest?.validUntil}`;
    const which = hasValidity ? `that is valid on ${asked.date}, ${last}` : `for ${month}`;
    return { reason: `${none} ${which}: ${adviceToFetch(source, from, to, search.nowMs)}` };
  }
  const isRival = findRival("month", asked.date, figure, figures) !== undefined;
  if (isRival || otherOfMonth(figure, publicationOf) !== undefined) {
    const several = `has figures of ${pairName(series)} for several dates of ${month}`;
    return { reason: `${series.source} ${several}: pass another --rule than month` };
  }
  const document = source && (await readDocument(search, figure));
  const rival = findRival("month", asked.date, figure, document?.series ?? []);
  if (rival !== undefined) return notNamed(search, figure, "nearer figure", rival.date);
  const isUnread = (date: string | undefined) =>
    date !== undefined && mayName("month", asked.date, { ...figure, date }) && date !== figure.date;
  const unread = document?.unread.find(isUnread);
  if (unread !== undefined) return notNamed(search, figure, "unread line", unread);
  return { ...asked, figure, acceptedGaps: [], unprovenGaps: [], isChecked: true };
}

/** The last figure on or before a date; of those with a validity one that is valid on it. */
async function lastBefore(reads: SeriesReads, series: Series, to: string) {
  const last = await reads.figureOnOrBefore(series, to);
  if (last?.validUntil === undefined || isValidOn(to, last)) return last;
  const figures = await lastRevisions(reads, series, { from: daysAfter(to, -YEAR_DAYS), to });
  return figures.findLast((one) => isValidOn(to, one)) ?? last;
}

const YEAR_DAYS = 366;

/** The last revision of each date. */
async function lastRevisions(
  reads: SeriesReads,
  series: Series,
  dates: Dates,
): Promise<readonly StoredFigure[]> {
  const figures = (await Array.fromAsync(readFigures(reads, series, dates))).flat();
  return [...new Map(figures.map((figure) => [figure.date, figure])).values()];
}
