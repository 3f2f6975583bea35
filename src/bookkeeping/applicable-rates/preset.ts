import type { Period, RateRule } from "./rules.ts";

/** The source and the rule that a law or its guidance names for a purpose. No advice. */
export interface Preset {
  readonly name: string;
  /** What it is for: `Polish VAT`. */
  readonly purpose: string;
  readonly source: string;
  readonly rule: RateRule;
  /** The rule counts from a day of the period with the date; unset: from the date. */
  readonly period?: Period;
  /** The currency that every pair of it has in this place, and to which amounts lead. */
  readonly currency: { readonly place: "base" | "quote"; readonly symbol: string };
  /** The law or the guidance, and the section. */
  readonly law: string;
  /** The first date that the law is for, where that is known: others had another rule. */
  readonly since?: string;
  /** What that says of the rate, and whether its official text was read. */
  readonly says: string;
  /** Where the text was read, and on which date. */
  readonly readAt: string;
  readonly readOn: string;
}

/** Why a preset names no figure for a date: its law is for later ones. */
export function explainEarly({ name, law, since = "" }: Preset, asked: string) {
  if (asked >= since) return undefined;
  const instead = "pass --source and --rule as the law of that time wants";
  return `${name} is by ${law}, which is for dates since ${since}, not for ${asked}: ${instead}`;
}
