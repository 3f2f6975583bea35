import { chunksOf } from "../../../platform/shared/chunks.ts";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import type { FigurePosition } from "../document-reader.ts";
import { createTextDecoder } from "./text.ts";

/** How many characters of a line are shown. */
const TEXT_CHARACTERS_MAX = 160;

/**
 * How many candidates are changed together: one parse tells whether the figure is among them. A
 * group fails if another of its changes makes the document, or the pair's row, invalid: then
 * smaller ones are tried. A rate of 1 has some 10,000 candidates in a document of 1,200 pairs.
 */
const GROUP_SIZES = [512, 32, 1];

/** The maximum number of times a document is parsed; one of a day takes up to 50 ms. */
const PARSES_MAX = 600;

/** An archive is parsed less often: 256,000 figures in 9 MB of XML take 1.7 s. */
const PARSED_BYTES_MAX = 200_000_000;

/**
 * How far from its date a figure stands at most, in most documents: the largest table of a day has
 * 8 KB. These places are tried first; in an archive they are few of many.
 */
const BYTES_FROM_DATE = 8192;

const ZERO = 0x30;

/** Where a document states a figure, or why its place is unknown. */
export type FoundFigure = FigurePosition | "not stated" | "not found";

/**
 * Finds where a document states a rate, without knowing its format: changes a digit wherever the
 * figure's digits occur, and looks whether the parsed rate has the same digit changed. The
 * publisher may have written the figure with a comma, per 100 units, or with an exponent.
 *
 * @param sought the figure, its publisher's date and the charset of a document that is not UTF-8.
 * @param rateIn parses a changed document: the rate of the pair, or undefined without one.
 * @returns the first place that counts, near the date if there is one. "not found" after as many
 *   attempts as its size allows.
 */
export function findFigure(
  content: Uint8Array,
  { rate, date, charset }: SoughtFigure,
  rateIn: (content: Uint8Array) => string | undefined,
): FoundFigure {
  if (rateIn(content) !== rate) return "not stated";
  // Latin-1 has a character for each byte, whatever the document's encoding.
  const text = Buffer.from(content).toString("latin1");
  const candidates = [...text.matchAll(digitsPattern(rate))].map((match) => {
    return { start: match.index, last: match.index + match[0].length - 1 };
  });
  const wanted = withLastDigitChanged(rate);
  let parsesLeft = Math.min(PARSES_MAX, Math.ceil(PARSED_BYTES_MAX / content.length));
  const isAmong = (changes: readonly Candidate[]): boolean => {
    if (parsesLeft === 0) return false;
    parsesLeft -= 1;
    const changed = Uint8Array.from(content);
    for (const { last } of changes) changed[last] = nextDigit(content[last] ?? ZERO);
    return rateIn(changed) === wanted;
  };
  const isNear = nearDate(text, date);
  const near = candidates.filter(isNear);
  const others = candidates.filter((candidate) => !isNear(candidate));
  let found: Candidate | undefined;
  for (const some of [near, others]) {
    for (const size of GROUP_SIZES) found ??= findCandidate(chunksOf(some, size), isAmong);
  }
  if (found === undefined) return "not found";
  return describePosition(createTextDecoder(content, charset), text, found.start, found.last + 1);
}

interface SoughtFigure {
  readonly rate: Decimal;
  readonly date: string;
  readonly charset?: string | undefined;
}

interface Candidate {
  /** The first of the significant digits, as an index of a byte. */
  readonly start: number;
  /** The last of them. */
  readonly last: number;
}

/**
 * The significant digits with a point or comma anywhere between them. Not within a longer number,
 * and not before a hyphen, as in a date.
 */
function digitsPattern(rate: Decimal): RegExp {
  const digits = significant(rate).split("").join("[.,]?");
  return new RegExp(`(?<![1-9]|[0-9]-0*)${digits}(?![1-9]|[0-9]*-[0-9])`, "g");
}

/** @returns whether a candidate is near a place where the text has the date. */
function nearDate(text: string, date: string): (candidate: Candidate) => boolean {
  const [year = "", month = "", day = ""] = date.split("-");
  const forms = [`${year}.?${month}.?${day}`, `${day}.${month}.${year}`];
  const dates = [...text.matchAll(new RegExp(forms.join("|"), "g"))].map(({ index }) => index);
  return ({ start }) => dates.some((at) => Math.abs(at - start) <= BYTES_FROM_DATE);
}

/** From the first to the last digit that is not zero. */
function significant(rate: Decimal): string {
  return rate.replace(".", "").replace(/^0+|0+$/g, "");
}

/** The rate with its last digit above zero changed as in the document. */
function withLastDigitChanged(rate: Decimal): string {
  return rate.replace(/[1-9](?=[0.]*$)/, (digit) =>
    String.fromCharCode(nextDigit(digit.charCodeAt(0))),
  );
}

/** Another digit above zero: a zero would change the number of significant digits. */
function nextDigit(code: number): number {
  return ZERO + ((code - ZERO) % 9) + 1;
}

/** The candidate that counts, by halving the first group that has it. */
function findCandidate(
  groups: Iterable<readonly Candidate[]>,
  isAmong: (candidates: readonly Candidate[]) => boolean,
): Candidate | undefined {
  for (const group of groups) {
    let some = group;
    let isProven = isAmong(some);
    if (!isProven) continue;
    while (some.length > 1) {
      const half = some.slice(0, some.length / 2);
      isProven = isAmong(half);
      some = isProven ? half : some.slice(half.length);
    }
    const [candidate] = some;
    if (candidate !== undefined && (isProven || isAmong([candidate]))) return candidate;
  }
  return undefined;
}

/** Describes the place of a figure. @param text the content in Latin-1. */
function describePosition(
  decode: ReturnType<typeof createTextDecoder>,
  text: string,
  start: number,
  end: number,
): FigurePosition {
  // The figure also has the zeros and the point around its significant digits.
  const figureStart =
    start - (/[0-9.]*$/.exec(text.slice(Math.max(start - 64, 0), start))?.[0].length ?? 0);
  const figureEnd = end + (/^[0-9.]*/.exec(text.slice(end, end + 64))?.[0].length ?? 0);
  const lineStart = text.lastIndexOf("\n", start) + 1;
  const nextFeed = text.indexOf("\n", end);
  const lineEnd = nextFeed === -1 ? text.length : nextFeed;
  const before = decode(lineStart, figureStart);
  const figure = decode(figureStart, figureEnd);
  const line = text.slice(0, lineStart).split("\n").length;
  const column = before.length + 1;
  return { line, column, figure, ...cutExcerpt(before, figure, decode(figureEnd, lineEnd)) };
}

/** The part of a line around the figure. */
function cutExcerpt(before: string, figure: string, after: string) {
  const shown = TEXT_CHARACTERS_MAX - figure.length;
  const half = Math.floor(shown / 2);
  const [left, right] = [before.trimStart(), after.trimEnd()];
  const rightShown = Math.min(right.length, Math.max(half, shown - left.length));
  const leftShown = Math.min(left.length, shown - rightShown);
  const start = left.length > leftShown ? `…${left.slice(left.length - leftShown)}` : left;
  const end = right.length > rightShown ? `${right.slice(0, rightShown)}…` : right;
  return { text: start + figure + end, offset: start.length };
}
