import { presetJson } from "../applicable-rates/json.ts";
import { presets } from "../applicable-rates/presets.ts";
import { dateCounted, daysAfter, LAST_DATE, ruleWords } from "../applicable-rates/rules.ts";
import { type Check, fails, holds, notChecked } from "./check.ts";
import type { Evidence } from "./format.ts";

/** Recomputes which date the rule counts from, and whether it names the figure. */
export function checkRule(evidence: Evidence, knows: KnownDates): readonly Check[] {
  return [
    checkCounted(evidence),
    ...checkPreset(evidence),
    checkDate(evidence),
    checkBetween(evidence, knows),
  ];
}

/** What tells on which dates a source published figures of a pair. */
export interface KnownDates {
  /** Its calendar; undefined if this version knows none. */
  readonly publicationOf: ((date: string) => number | undefined) | undefined;
  /** The dates of the series in the document; undefined without it. */
  readonly stated: readonly string[] | undefined;
}

function checkCounted({ asked, counted_from: counted, preset }: Evidence): Check {
  const period = preset?.period ?? undefined;
  const wanted = dateCounted(asked, period);
  const what =
    period === undefined ? `the date asked for` : `the last date of the ${period} of ${asked}`;
  const rule = `the rule counts from ${wanted}, ${what}`;
  return wanted === counted ? holds(rule) : fails(`${rule}, and not from ${counted}`);
}

function checkPreset({ preset, source, rule, ...evidence }: Evidence): readonly Check[] {
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
  if (preset.source !== source || preset.rule !== rule || !isOfPair) {
    return [fails(`${named} names another source, rule or currency than the file`)];
  }
  if (isKnown) return [holds(`${named} is the one of this Kurs: ${preset.law}`)];
  return [notChecked(`${named}: this Kurs has no preset with this text`)];
}

const text = (value: object) => JSON.stringify(value);

/** Dates, both included; none where the first is after the last. */
interface Dates {
  readonly from: string;
  readonly to: string;
}

/** The dates between the figure and the date that the rule counts from. */
function betweenOf(evidence: Evidence): Dates {
  const { rule, counted_from: counted, published_for: published } = evidence;
  if (rule === "on-or-next") return { from: counted, to: daysAfter(published, -1) };
  if (rule === "on" || rule === "month") return { from: counted, to: daysAfter(counted, -1) };
  const to = rule === "before" ? daysAfter(counted, -1) : counted;
  const until = evidence.valid_until ?? published;
  return { from: daysAfter(until, 1), to };
}

/** Whether the rule may name a figure that was published for the date. */
function satisfies(evidence: Evidence): boolean {
  const { rule, counted_from: counted, published_for: published } = evidence;
  const { valid_until: until } = evidence;
  const isValid = until !== null && published <= counted && counted <= until;
  switch (rule) {
    case "on":
      return published === counted || isValid;
    case "on-or-before":
      return published <= counted;
    case "before":
      return published < counted;
    case "on-or-next":
      return published >= counted;
    case "month":
      return until === null ? published.slice(0, 7) === counted.slice(0, 7) : isValid;
  }
}

function checkDate(evidence: Evidence): Check {
  const { rule, counted_from: counted, published_for: published, valid_until: until } = evidence;
  const validity = until === null ? "" : `, valid until ${until}`;
  const figure = `the figure is for ${published}${validity}`;
  return satisfies(evidence)
    ? holds(`${figure}: one that the rule "${rule}" for ${counted} may name`)
    : fails(`${figure}: the rule "${rule}" for ${counted} names another`);
}

/** Whether no figure was published between the two dates, apart from the accepted gaps. */
function checkBetween(evidence: Evidence, { publicationOf, stated }: KnownDates): Check {
  const { source: key, accepted_gaps: gaps } = evidence;
  const { counted_from: counted, published_for: published, valid_until: until } = evidence;
  const late = [counted, published, until ?? ""].find((date) => date > LAST_DATE);
  if (late !== undefined) return fails(`${late} is after ${LAST_DATE}, the last date of the rules`);
  const { from, to } = betweenOf(evidence);
  const isBetween = (date: string) => from <= date && date <= to;
  const stray = gaps.find((date) => !isBetween(date));
  if (stray !== undefined) {
    return fails(`the accepted gap ${stray} is not between the figure and the rule's date`);
  }
  if (from > to) return holds("no date is between the figure and the rule's date");
  const dates = from === to ? from : `${from} to ${to}`;
  const nearer = stated?.find(isBetween);
  if (nearer !== undefined) {
    return fails(`the document states a figure for ${nearer}, which is nearer`);
  }
  if (stated?.some((date) => date < from) && stated.some((date) => date > to)) {
    return holds(`the document has dates before and after ${dates}, and none between`);
  }
  if (publicationOf === undefined) {
    return notChecked(`whether ${key} published for ${dates}: this Kurs knows no calendar of it`);
  }
  for (let date = from; date <= to; date = daysAfter(date, 1)) {
    if (publicationOf(date) !== undefined && !gaps.includes(date)) {
      return fails(`by its calendar ${key} published for ${date}, which is nearer`);
    }
  }
  const apart = gaps.length === 0 ? "" : `, apart from ${gaps.join(", ")}, accepted as closed`;
  return holds(`by its calendar ${key} published nothing for ${dates}${apart}`);
}
