import { DAY_MS } from "../../platform/shared/clock.ts";
import { wholeSeconds } from "../../platform/shared/instant.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import type { Series, StoredFigure } from "../../rates/series/store.ts";
import { type Disagreement, describeDisagreement } from "../../rates/served/rules/disagreement.ts";
import { explainEnd } from "../../rates/served/rules/ended-currencies.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";
import { isoCodeOf, type Pair, pairName } from "../../rates/served/rules/symbol.ts";
import { isCalendarKnown, type RateSource } from "../../rates/sources/source.ts";
import type { Restore } from "../provenance/served-at.ts";
import type { Suspension } from "./beside.ts";
import {
  type DatedFigure,
  type Dates,
  daysAfter,
  GAPS,
  hasDate,
  type RateRule,
  wholeMonth,
} from "./rules.ts";
import { type AskedRate, dueLater, type Search } from "./search.ts";

// Why a figure is not known, and what to do: sentences for a person.

/** What is not known of dates without a stored figure. */
export interface Unexplained {
  /** The dates that the calendar has and the store has not; if the last is to come, it alone. */
  readonly missing: readonly string[];
  /** Those of which the document tells that they have none. */
  readonly unproven?: readonly string[];
  /** Whether a calendar or a document tells that all others have none. */
  readonly isChecked: boolean;
}

/** Why a figure is not named whose document has another one, nearer to what is asked for. */
export function notNamed(
  { series, source }: Search,
  figure: StoredFigure,
  by: "nearer figure" | "unread line",
  date: string,
): Rejection {
  const named = `${series.source}'s figure of ${pairName(series)} for ${figure.date}`;
  const has = `not known: the document with ${named} has`;
  if (by === "unread line") {
    const advice = "import that figure, and pass --source import";
    return { reason: `${has} a line for ${date} that cannot be read: ${advice}` };
  }
  const fetch = adviceToFetch(source, date, date);
  return { reason: `${has} one for ${date}, too, and that one is not stored: ${fetch}` };
}

/** Why no figure is named where a document states several for one date. */
export function contradicted({ series, contradicted: all }: Search, { date }: DatedFigure) {
  const figures = all.filter((one) => one.date === date);
  const held = figures.filter(({ decision }) => decision === "held");
  const rates = (held.length > 0 ? held : figures).map(({ rate }) => rate);
  const { base, quote, source } = series;
  const name = `${pairName(series)} for ${date}`;
  const isOne = rates.length === 1;
  const [it, none] = isOne ? ["it", "does not"] : ["the first", "takes none"];
  const release = `kurs rates release ${base} ${quote} ${rates[0]} --date ${date} takes ${it}`;
  const advice =
    held.length > 0
      ? `held: ${release}, and kurs rates drop ${base} ${quote} ${none}`
      : "dropped: import the right one, and pass --source import";
  const states = isOne
    ? `${rates[0]} of ${name}, and it is`
    : `${rates.length} figures of ${name}, ${rates.join(" and ")}, and they are`;
  return { reason: `not known: ${source} states ${states} ${advice}` };
}

/** @param why the served rate from which the figure jumped, or how it differs from another one. */
export function explainHeld(figure: StoredFigure, why: string | Disagreement): string {
  const { base, quote, source, rate, date } = figure;
  const differs = typeof why === "string" ? `jumped from ${why}` : describeDisagreement(why);
  const stated = `${source} states ${rate} of ${base}/${quote} for ${date}, and it is held`;
  const release = `kurs rates held shows it, kurs rates release ${base} ${quote} takes it`;
  const drop = `kurs rates drop ${base} ${quote} does not`;
  return `${stated}, as it ${differs}: ${release}, and ${drop}`;
}

/** @param nowMs if the publisher's document of today has the figures of these dates. */
export function adviceToFetch(
  source: RateSource | undefined,
  from: string,
  to: string,
  nowMs?: number,
): string {
  if (source?.isHandedIn)
    return `kurs rates import FILE --document --source ${source.key}, where FILE states it`;
  const today = nowMs === undefined ? "" : dateAt(nowMs);
  if (source && from <= today && today <= to) return `kurs rates fetch ${source.key}`;
  if (source?.archive === undefined) return "import the figures";
  const { since } = source.archive;
  if (to < since) return `${source.key}'s archive begins on ${since}: import the figures`;
  const first = from < since ? since : from;
  return `kurs rates backfill ${source.key} --from ${first} --to ${to} fetches it`;
}

/** How to get the figures of a pair of which the source has none. */
export function adviceForSeries(
  source: RateSource,
  rule: RateRule,
  date: string,
  nowMs: number,
): string {
  const near =
    rule === "on-or-next"
      ? { from: date, to: daysAfter(date, GAPS.usual) }
      : { from: daysAfter(date, -GAPS.usual), to: date };
  const { from, to } = rule === "month" ? wholeMonth(date) : near;
  const today = dateAt(nowMs);
  if (from > today) return `${date} is to come`;
  const isOld = to < today && !source.isHandedIn && source.archive === undefined;
  const fetch = isOld
    ? `kurs rates fetch ${source.key} gets the newest (an earlier one must be imported)`
    : adviceToFetch(source, from, to, nowMs);
  return `${fetch}, if it publishes the pair`;
}

/** Why no figure is stored that the rule could name. */
export function absent(
  search: Search,
  { rule, date }: AskedRate,
  { missing, isChecked }: Unexplained,
  hasValidity: boolean,
): Rejection {
  const { series } = search;
  const none = `${series.source} has no figure of ${pairName(series)}`;
  if (rule === "on-or-next" && !hasValidity) {
    const next = nextPublication(search, date);
    if (next === undefined) return { reason: `${none} on or after ${date}: import it` };
    const ended = explainEnd(series, next);
    return ended === undefined ? missingFigures(search, [next], 0) : { reason: ended };
  }
  if (missing.length > 0) return missingFigures(search, missing, 0);
  if (hasValidity && hasDate(rule)) return { reason: `${none} that is valid on ${date}` };
  if (rule !== "on") {
    const fetch = adviceToFetch(search.source, daysAfter(date, -GAPS.usual), date);
    return { reason: `${none} ${rule === "before" ? "" : "on or "}before ${date}: ${fetch}` };
  }
  if (!isChecked) return { reason: `${none} for ${date}: import it` };
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
export function missingFigures(
  search: Search,
  missing: readonly string[],
  mostGaps: number,
): Rejection {
  const { series, source, restores } = search;
  const [first = ""] = missing;
  const last = missing.at(-1) ?? first;
  const name = pairName(series);
  const dueMs = dueLater(search, last);
  if (dueMs !== undefined) {
    const what = `${series.source}'s figure of ${name} for ${last}`;
    return { reason: `not known yet: ${what} is due at ${wholeSeconds(dueMs)}` };
  }
  const dates = listed(missing);
  const lost = restores.find(
    ({ takenAt, at }) => takenAt.slice(0, 10) <= first && first <= at.slice(0, 10),
  );
  const was = wasDue(source, series, first);
  const isUnknown = source && isCalendarKnown(source, series, first) === false;
  const unknown = isUnknown ? ` (its days off of ${first.slice(0, 4)} are not known)` : "";
  const why =
    lost === undefined
      ? `${series.source} ${was} ${name} for ${dates}${unknown}, and no such figure is stored`
      : `${series.source}'s figure for ${dates} is not stored, and ${lossBy(lost)}`;
  const fetch = adviceToFetch(source, first, last);
  const accept =
    mostGaps === 0
      ? "or pass --accept-gaps if it did not publish"
      : `and --accept-gaps accepts ${counted(mostGaps, "day")}, not ${missing.length}`;
  return { reason: `not known: ${why}: ${fetch}, ${accept}` };
}

/** `2026-03-13`, or `2026-03-13 and 2 later dates` */
export function listed([first = "", ...later]: readonly string[]): string {
  return later.length === 0 ? first : `${first} and ${counted(later.length, "later date")}`;
}

/** What the calendar says of a date with a publication. */
export const wasDue = (source: RateSource | undefined, pair: Pair, date: string): string =>
  source !== undefined && isCalendarKnown(source, pair, date) === false
    ? "may have published"
    : "was due to publish";

export function explainSuspension(
  series: Series,
  { since, other, next }: Partial<Suspension> = {},
  date = other?.date,
): string {
  const again = next === undefined ? "" : `; the next is of ${next}`;
  const [others, of] = other === undefined ? ["others", date] : [pairName(other), other.date];
  return since === undefined
    ? `${series.source} published ${others} for ${of}, and not ${pairName(series)}${again}`
    : `${series.source} has not published ${pairName(series)} since ${since}, ` +
        `though ${others} for ${of}${again}`;
}

/** @returns a pair by the codes under which a publisher's figures are stored: not by its own. */
export const storedPair = ({ base, quote }: Pair) =>
  ({ base: isoCodeOf(base), quote: isoCodeOf(quote) }) as Pair;

/** Why a source has no figure of two currencies: it has one of each with a third. */
export const explainThird = (source: string, from: string, into: string, third: string): string =>
  `${source} leads from ${from} to ${into} by two figures, through ${third}: ask for each`;

const lossBy = ({ takenAt, at }: Restore) =>
  `what was stored between ${takenAt === "" ? "a copy" : `the backup of ${takenAt}`} and its ` +
  `restore at ${at} is lost`;

/** Of a source without a calendar nothing tells whether a nearer figure was lost or removed. */
export function lostAfter(
  { restores, historyDays, nowMs }: Search,
  figure: StoredFigure,
  { rule, date }: AskedRate,
  passed: Dates,
): Rejection | undefined {
  if (figure.date === date || rule === "on") return undefined;
  const lost = restores.find((one) => one.takenAt >= figure.storedAt || one.takenAt === "");
  // No figure is stored long before its date.
  const isRemoved =
    historyDays !== undefined && passed.from <= dateAt(nowMs - (historyDays - MONTH_DAYS) * DAY_MS);
  if (lost === undefined && !isRemoved) return undefined;
  const why = lost ? lossBy(lost) : "HISTORY_DAYS may have removed a nearer figure";
  const exact = `--rule on names the figure of one date, such as ${figure.date}`;
  return { reason: `not known: ${why}, and ${figure.source} has no calendar; ${exact}` };
}

/** A publisher publishes a table at most this long before its date. */
const MONTH_DAYS = 31;

const dateAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
