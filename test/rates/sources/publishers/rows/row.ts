/** What a changed body loses: the reasons of its rejected rows, and the pairs without a figure. */
export interface Loss {
  readonly reasons: readonly string[];
  readonly pairs: readonly string[];
}

type Change = readonly [from: string, to: string];

/**
 * A publisher's recorded response, what it states, and changes with their consequences. What all
 * parsers share (a missing figure or date, units that are none) changes only `cnb` and `cbr`.
 */
export interface Row {
  /** In `fixtures`. Named .txt: as .json the formatter would remove the trailing zeros. */
  readonly files: readonly string[];
  /** All of its figures, in their order: `EUR/USD 1.1476, EUR/JPY 182.85 buying`. */
  readonly figures: string;
  /** In UTC, without the Z; two where the documents have a date each. */
  readonly asOf: string;
  /** The publisher's own date or period, where others than `asOf` follow from it. */
  readonly valid?: string;
  /** Another date in the body, where the clocks are others or the date has a form of its own. */
  readonly moved?: readonly (readonly [...Change, asOf: string, valid?: string])[];
  /** A changed row, what that loses, and the figures instead; the other figures stay. */
  readonly changed?: readonly (readonly [...Change, loses: Loss, instead?: string])[];
  /** A pair, and its figure in the body: any other figure there keeps every digit. */
  readonly digits: Readonly<Record<string, string>>;
  /** A member or column that is renamed, and the reason of the failure. */
  readonly missing?: readonly (readonly [...Change, reason: string])[];
  /** A change that makes the whole response a failure, and a part of the reason. */
  readonly fails?: readonly (readonly [...Change, reason: string])[];
  /** A body of one of the documents that are one, and a part of the reason. */
  readonly emptied?: readonly (readonly [document: number, body: string, reason: string])[];
}

export const rejected = (reason: string, ...pairs: readonly string[]): Loss => ({
  reasons: [reason],
  pairs,
});

/** Nothing is rejected, and these pairs have no figure or another one. */
export const without = (...pairs: readonly string[]): Loss => ({ reasons: [], pairs });

export const units = (pair: string) =>
  rejected(`"${pair}" is not for a power of ten of units`, pair);

export const noRate = (pair: string) => rejected(`"${pair}" has no rate`, pair);

export const noDate = (pair: string) => rejected(`"${pair}" has no date such as 2026-03-13`, pair);

export const noDecimal = (pair: string, text: string) =>
  rejected(`"${pair}": "${text}" is not a decimal number above zero`, pair);

export const unknown = (name: string, ...pairs: readonly string[]) =>
  rejected(`"${name}" names no currency that Kurs knows`, ...pairs);
