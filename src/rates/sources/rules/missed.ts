import { counted } from "../../../platform/shared/text/counted.ts";

/** Publishers may be late: a publication counts as missed only after this time. */
export const GRACE_MS = 2 * 60 * 60_000;

/** Missed publications are counted up to this number: more would say nothing new. */
export const MISSED_MAX = 99;

/** The pairs that newer publications of a source have left out. */
export interface MissedPairs {
  readonly count: number;
  /** Of the ten oldest, such as EUR/BGN. */
  readonly names: readonly string[];
  /** The most publications that one of them has missed, up to MISSED_MAX. */
  readonly publications: number;
}

/** `ecb has missed up to 40 publications of 1 pair: EUR/BGN` */
export function missedPairsText(source: string, pairs: MissedPairs): string {
  const { count, names, publications } = pairs;
  const more = count > names.length ? " and others" : "";
  const what = `${counted(publications, "publication")} of ${counted(count, "pair")}`;
  return `${source} has missed up to ${what}: ${names.join(", ")}${more}`;
}
