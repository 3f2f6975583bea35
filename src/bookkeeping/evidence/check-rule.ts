import type { FigureKind } from "../../rates/served/figures.ts";
import { explainEnd } from "../../rates/served/rules/ended-currencies.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import { presetJson } from "../applicable-rates/json.ts";
import { explainEarly } from "../applicable-rates/preset.ts";
import { presets } from "../applicable-rates/presets.ts";
import {
  type DatedFigure,
  type Dates,
  dateCounted,
  datesPassedOver,
  daysAfter,
  explainDates,
  findRival,
  GAPS,
  type KnownDates,
  LAST_DATE,
  mayName,
  otherOfMonth,
  periodWords,
  ruleWords,
} from "../applicable-rates/rules.ts";
import { type Check, fails, holds, notProven } from "./check.ts";
import type { Evidence } from "./format.ts";

/** What tells which other figures there are. */
interface Known extends Pick<KnownDates, "publicationOf" | "others" | "unread"> {
  /** The figures of the series that each document states; undefined without the documents. */
  readonly series: readonly (readonly DatedFigure[])[] | undefined;
  /** Whether the days off of a date's year are known; if not, the calendar expects every date. */
  readonly isKnown: (date: string) => boolean | undefined;
  /** The kind of figures that a preset means; undefined for an unknown source. */
  readonly servedKind: FigureKind | undefined;
}

/** Recomputes which date the rule counts from, and whether it names the figure. */
export function checkRule(evidence: Evidence, knows: Known): readonly Check[] {
  return [
    checkCounted(evidence),
    ...checkPreset(evidence, knows.servedKind),
    ...checkEnd(evidence),
    checkDate(evidence),
    checkBetween(evidence, knows),
  ];
}

function checkCounted({ asked, counted_from: counted, preset }: Evidence): Check {
  const period = preset?.period ?? undefined;
  const wanted = dateCounted(asked, period);
  const what = period === undefined ? `the date asked for` : `${periodWords[period]}, of ${asked}`;
  const rule = `the rule counts from ${wanted}, ${what}`;
  return wanted === counted ? holds(rule) : fails(`${rule}, and not from ${counted}`);
}

function checkPreset(
  { preset, source, rule, kind, ...evidence }: Evidence,
  servedKind = kind,
): readonly Check[] {
  const words = ruleWords[rule];
  if (evidence.rule_in_words !== words) {
    return [fails(`the rule ${rule} means ${words}, and not ${evidence.rule_in_words}`)];
  }
  if (preset === null) return [];
  const known = presets.find((one) => one.name === preset.name);
  const isKnown = known !== undefined && JSON.stringify(presetJson(known)) === text(preset);
  const named = `the preset ${preset.name}`;
  const { base = evidence.base, quote = evidence.quote } = preset;
  const isOfPair = base === evidence.base && quote === evidence.quote;
  if (preset.source !== source || preset.rule !== rule || !isOfPair || kind !== servedKind) {
    return [fails(`${named} names another source, rule, currency or kind than the file`)];
  }
  const early = known && explainEarly(known, evidence.asked);
  if (early !== undefined) return [fails(early)];
  if (isKnown) return [holds(`${named} is the one of this Kurs: ${preset.law}`)];
  return [notProven(`${named}: no version of Kurs has had a preset with this text`)];
}

const text = (value: object) => JSON.stringify(value);

function checkEnd(evidence: Evidence): readonly Check[] {
  const { asked, counted_from: counted, published_for: published } = evidence;
  // The rule may count from a date before the end.
  const ended = explainEnd(evidence, asked > counted ? asked : counted, published);
  return ended === undefined ? [] : [fails(ended)];
}

function checkDate(evidence: Evidence): Check {
  const { rule, counted_from: counted, published_for: published, valid_until: until } = evidence;
  const validity = until === null ? "" : `, valid until ${until}`;
  const figure = `the figure is for ${published}${validity}`;
  return mayName(rule, counted, figureIn(evidence))
    ? holds(`${figure}: one that the rule "${rule}" for ${counted} may name`)
    : fails(`${figure}: the rule "${rule}" for ${counted} names another`);
}

const figureIn = ({ published_for: date, valid_until: validUntil }: Evidence) => ({
  date,
  validUntil: validUntil ?? undefined,
});

/** Whether no figure was published between the two dates, apart from the accepted gaps. */
function checkBetween(evidence: Evidence, known: Known): Check {
  const { publicationOf, series, others, unread } = known;
  const { source: key, accepted_gaps: gaps, rule, is_calendar_known: isKnown } = evidence;
  const { counted_from: counted, published_for: published, valid_until: until } = evidence;
  const late = [counted, published, until ?? ""].find((date) => date > LAST_DATE);
  if (late !== undefined) return fails(`${late} is after ${LAST_DATE}, the last date of the rules`);
  const { from, to } = datesPassedOver(rule, counted, figureIn(evidence));
  const stray = gaps.find((date) => date < from || to < date);
  if (stray !== undefined) {
    return fails(`the accepted gap ${stray} is not between the figure and the rule's date`);
  }
  const rival = findRival(rule, counted, figureIn(evidence), series?.flat() ?? []);
  if (rival !== undefined) {
    const which =
      rule === "month" && rival.validUntil === undefined ? "of the month, too" : "which is nearer";
    return fails(`the document states a figure for ${rival.date}, ${which}`);
  }
  const other = rule === "month" ? otherOfMonth(figureIn(evidence), publicationOf) : undefined;
  if (other !== undefined) return expected(key, other, "of the month, too", known);
  const dates = from === to ? from : `${from} to ${to}`;
  if (gaps.length > GAPS.most) return fails(`nobody may accept ${gaps.length} gaps`);
  const stated = series?.map((figures) => figures.map(({ date }) => date));
  const passed = explainDates({ from, to }, { publicationOf, stated, others, unread });
  const due = findDue({ from, to }, gaps, known);
  const isTold = passed.by === "no date" || passed.by === "document";
  if (isTold && !isKnown) return fails("is_calendar_known is false, and no date is left open");
  switch (passed.by) {
    case "no date":
      return holds("no date is between the figure and the rule's date");
    case "nearer figure":
      return fails(`the document states a figure for ${passed.date}, which is nearer`);
    case "unread line":
      return fails(`the document has a line for ${passed.date} that cannot be read: it is nearer`);
    case "suspension": {
      const pair = `${evidence.base}/${evidence.quote}`;
      const beside = `${key} published other pairs for ${passed.date}, and not ${pair}`;
      return fails(`${beside}: its figure of ${published} does not stand for ${counted}`);
    }
    case "document": {
      const between = `the document has dates before and after ${dates}, and none between`;
      if (gaps.length > 0) return fails(`${between}: it leaves no gap to accept`);
      if (due === undefined) return holds(between);
      const how = "compare the document with the publisher's";
      const isSure = known.isKnown(due) !== false;
      const publication = isSure ? `by its calendar ${key} published` : `${key} may have published`;
      return notProven(`${between}, but ${publication} for ${due}: ${how}`);
    }
    case "nothing":
      if (isKnown && isImport(key)) return fails("is_calendar_known is true, of an import");
      return notProven(`whether ${key} published for ${dates}: this Kurs knows no calendar of it`);
    case "calendar":
      if (due !== undefined) return expected(key, due, "which is nearer", known);
  }
  const none = `by its calendar ${key} published nothing for ${dates}`;
  if (!isKnown) return notProven(`${none}, and is_calendar_known is false`);
  if (gaps.length === 0) return holds(none);
  const accepted = `the operator took ${gaps.join(", ")} as closed`;
  return notProven(`${accepted}; by its calendar ${key} published nothing else for ${dates}`);
}

/** What the calendar says of a date that it expects: nothing of a year that it does not know. */
function expected(key: string, date: string, then: string, { isKnown }: Known): Check {
  const unknown = `this Kurs does not know its days off of ${date.slice(0, 4)}`;
  return isKnown(date) === false
    ? notProven(`whether ${key} published for ${date}, ${then}: ${unknown}`)
    : fails(`by its calendar ${key} published for ${date}, ${then}`);
}

/** The first date that the calendar expects and that is no accepted gap, of known years before. */
function findDue(
  { from, to }: Dates,
  gaps: readonly string[],
  { publicationOf, isKnown }: Known,
): string | undefined {
  let unknown: string | undefined;
  for (let date = from; publicationOf && date <= to; date = daysAfter(date, 1)) {
    if (publicationOf(date) === undefined || gaps.includes(date)) continue;
    if (isKnown(date) !== false) return date;
    unknown ??= date;
  }
  return unknown;
}
