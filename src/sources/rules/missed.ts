import { type Pair, pairName } from "../../rates/rules/symbol.ts";
import { counted } from "../../shared/text/counted.ts";

/** Missed publications are counted up to this number: more would say nothing new. */
export const MISSED_MAX = 99;

/** A pair that newer publications of its source have left out. */
export interface MissedPair extends Pair {
  /** Counted up to MISSED_MAX. */
  readonly missed: number;
}

const NAMED_MAX = 10;

/** The names of the first pairs: more are only counted. */
export function namesOf(pairs: readonly Pair[]): readonly string[] {
  return pairs.slice(0, NAMED_MAX).map(pairName);
}

/** `ecb has missed up to 40 publications of 1 pair: EUR/BGN` */
export function missedPairsText(source: string, pairs: readonly MissedPair[]): string {
  const names = `${namesOf(pairs).join(", ")}${pairs.length > NAMED_MAX ? " and more" : ""}`;
  const most = Math.max(...pairs.map(({ missed }) => missed));
  const what = `${counted(most, "publication")} of ${counted(pairs.length, "pair")}`;
  return `${source} has missed up to ${what}: ${names}`;
}
