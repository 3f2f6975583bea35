import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Pair } from "../../rates/served/rules/symbol.ts";
import type { RateSource } from "../../rates/sources/source.ts";
import { tracedFigureJson } from "../provenance/json.ts";
import type { TracedFigure } from "../provenance/trace.ts";
import type { Preset } from "./presets.ts";
import { ruleWords } from "./rules.ts";
import type { ApplicableRate } from "./search.ts";

/** What a rule was applied to. */
export interface AppliedRule {
  readonly rate: ApplicableRate;
  /** The preset that names the rule, if one does. */
  readonly preset: Preset | undefined;
}

export function presetJson(preset: Preset) {
  const { name, purpose, source, rule, period = null, currency, law, says } = preset;
  return {
    name,
    purpose,
    source,
    rule,
    period,
    [currency.place]: currency.symbol,
    law,
    says,
    read_at: preset.readAt,
    read_on: preset.readOn,
  };
}

function appliedRuleJson({ rate, preset }: AppliedRule) {
  return {
    asked: rate.asked,
    rule: rate.rule,
    rule_in_words: ruleWords[rate.rule],
    counted_from: rate.date,
    preset: preset === undefined ? null : presetJson(preset),
    accepted_gaps: rate.acceptedGaps,
    unproven_gaps: rate.unprovenGaps,
    is_calendar_known: rate.isChecked,
  };
}

/** The rate of a currency by itself. */
export const OWN_RATE = "1" as Decimal;

/** A currency by itself, of which no publisher states a figure. */
export function ownRateJson({ base, quote }: Pair, asked: string, preset: Preset | undefined) {
  const named = preset === undefined ? null : presetJson(preset);
  return { base, quote, rate: OWN_RATE, asked, preset: named, source: null, origin: null };
}

/** The rule and the figure, with the document that states it. */
export function applicableRateJson(
  applied: AppliedRule,
  traced: TracedFigure,
  publisher: RateSource | undefined,
) {
  return { ...appliedRuleJson(applied), ...tracedFigureJson(traced, publisher) };
}
