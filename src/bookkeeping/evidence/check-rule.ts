import { presetJson } from "../applicable-rates/json.ts";
import { presets } from "../applicable-rates/presets.ts";
import {
  dateCounted,
  datesPassedOver,
  daysAfter,
  explainDates,
  type KnownDates,
  LAST_DATE,
  mayName,
  periodWords,
  ruleWords,
} from "../applicable-rates/rules.ts";
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

function checkCounted({ asked, counted_from: counted, preset }: Evidence): Check {
  const period = preset?.period ?? undefined;
  const wanted = dateCounted(asked, period);
  const what = period === undefined ? `the date asked for` : `${periodWords[period]}, of ${asked}`;
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
function checkBetween(evidence: Evidence, known: KnownDates): Check {
  const { source: key, accepted_gaps: gaps, rule } = evidence;
  const { counted_from: counted, published_for: published, valid_until: until } = evidence;
  const late = [counted, published, until ?? ""].find((date) => date > LAST_DATE);
  if (late !== undefined) return fails(`${late} is after ${LAST_DATE}, the last date of the rules`);
  const { from, to } = datesPassedOver(rule, counted, figureIn(evidence));
  const stray = gaps.find((date) => date < from || to < date);
  if (stray !== undefined) {
    return fails(`the accepted gap ${stray} is not between the figure and the rule's date`);
  }
  const dates = from === to ? from : `${from} to ${to}`;
  const passed = explainDates({ from, to }, known);
  switch (passed.by) {
    case "no date":
      return holds("no date is between the figure and the rule's date");
    case "nearer figure":
      return fails(`the document states a figure for ${passed.date}, which is nearer`);
    case "document":
      return holds(`the document has dates before and after ${dates}, and none between`);
    case "nothing":
      return notChecked(`whether ${key} published for ${dates}: this Kurs knows no calendar of it`);
    case "calendar":
      for (let date = from; date <= to; date = daysAfter(date, 1)) {
        if (passed.publicationOf(date) !== undefined && !gaps.includes(date)) {
          return fails(`by its calendar ${key} published for ${date}, which is nearer`);
        }
      }
  }
  const apart = gaps.length === 0 ? "" : `, apart from ${gaps.join(", ")}, accepted as closed`;
  return holds(`by its calendar ${key} published nothing for ${dates}${apart}`);
}
