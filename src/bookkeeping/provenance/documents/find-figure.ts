import { chunksOf } from "../../../platform/shared/chunks.ts";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import type { FigurePosition } from "../document-reader.ts";
import { createTextDecoder } from "./text.ts";

/** How many characters of a line are shown. */
const TEXT_CHARACTERS_MAX = 160;

/** More than these characters take, in any encoding. */
const EXCERPT_BYTES = 1024;

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

/** The most that a number and what surrounds it take. */
const NUMBER_CHARACTERS = 128;

const ZERO = 0x30;

/** Where a document states a figure, or why its place is unknown. */
export type FoundFigure = FigurePosition | "not stated" | "not found";

/**
 * Finds where a document states rates, without knowing its format: changes a digit wherever a
 * figure's digits occur, and looks whether the parsed rate has the same digit changed. The
 * publisher may have written the figure with a comma, per 100 units, or with an exponent. Figures
 * without the same digits share each parse.
 *
 * @param all figures, each with its publisher's date and the charset of a document not in UTF-8.
 * @param ratesIn parses a changed document: each figure's rate, or undefined without one.
 * @returns for each the first place that counts, near its date if there is one. "not found" after
 *   as many attempts as the document's size allows.
 */
export function findFigures(
  content: Uint8Array,
  all: readonly SoughtFigure[],
  ratesIn: (content: Uint8Array) => readonly (string | undefined)[],
): readonly FoundFigure[] {
  const stated = ratesIn(content);
  // Latin-1 has a character for each byte, whatever the document's encoding.
  const text = Buffer.from(content).toString("latin1");
  const begin = (index: number): Attempt | undefined => {
    const sought = all[index];
    if (sought === undefined) return undefined;
    const search = searchFigure(content, text, sought);
    return { index, search, step: search.next() };
  };
  const found: FoundFigure[] = all.map(() => "not stated");
  // Figures of the same digits have the same candidates: one of them after the other.
  const queues = Map.groupBy(
    [...all.keys()].filter((index) => stated[index] === all[index]?.rate),
    (index) => significant(all[index]?.rate ?? ""),
  )
    .values()
    .map((queue) => queue.values())
    .toArray();
  const next = (queue: Iterator<number>) => {
    const { value, done } = queue.next();
    return done ? undefined : begin(value);
  };
  const active = queues.map(next);
  while (active.some((one) => one !== undefined)) {
    const changed = Uint8Array.from(content);
    for (const attempt of active) {
      for (const { last } of (attempt?.step.done === false && attempt.step.value) || []) {
        changed[last] = nextDigit(content[last] ?? ZERO);
      }
    }
    const isAsked = active.some((attempt) => attempt?.step.done === false);
    const rates = isAsked ? ratesIn(changed) : [];
    for (const [place, attempt] of active.entries()) {
      if (attempt === undefined) continue;
      const { index, search, step } = attempt;
      if (step.done) {
        found[index] = step.value;
        active[place] = next(queues[place] ?? [].values());
      } else {
        const isAmong = rates[index] === withLastDigitChanged(all[index]?.rate ?? "");
        active[place] = { ...attempt, step: search.next(isAmong) };
      }
    }
  }
  // Another figure's candidates may have made the document invalid.
  return all.length === 1
    ? found
    : found.map((one, index) => {
        const alone = (changed: Uint8Array) => [ratesIn(changed)[index]];
        const sought = all[index];
        if (one !== "not found" || sought === undefined) return one;
        return findFigures(content, [sought], alone)[0] ?? one;
      });
}

/** Yields changes to try together, and is sent whether the figure is among them. */
type Search = Generator<readonly Candidate[], FoundFigure, boolean>;

interface Attempt {
  readonly index: number;
  readonly search: Search;
  readonly step: IteratorResult<readonly Candidate[], FoundFigure>;
}

function* searchFigure(content: Uint8Array, text: string, sought: SoughtFigure): Search {
  const { rate, date, charset } = sought;
  let parsesLeft = Math.min(PARSES_MAX, Math.ceil(PARSED_BYTES_MAX / content.length));
  const near = nearDate(text, rate, date);
  const isNear = new Set(near.map(({ start }) => start));
  const others = () => candidatesIn(text, rate).filter(({ start }) => !isNear.has(start));
  for (const some of [() => near, others]) {
    const candidates = some();
    for (const size of GROUP_SIZES) {
      const search = findCandidate(chunksOf(candidates, size));
      let step = search.next();
      while (!step.done && parsesLeft > 0) {
        parsesLeft -= 1;
        step = search.next(yield step.value);
      }
      if (!step.done || step.value === undefined) continue;
      const { start, last } = step.value;
      return describePosition(createTextDecoder(content, charset), text, start, last + 1);
    }
  }
  return "not found";
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

function candidatesIn(text: string, rate: Decimal): readonly Candidate[] {
  return [...text.matchAll(digitsPattern(rate))].map(({ 0: digits, index }) => {
    return { start: index, last: index + digits.length - 1 };
  });
}

/** The candidates near a place where the text has the date. */
function nearDate(text: string, rate: Decimal, date: string): readonly Candidate[] {
  const [year = "", month = "", day = ""] = date.split("-");
  const forms = [`${year}.?${month}.?${day}`, `${day}.${month}.${year}`];
  const near = new Map<number, Candidate>();
  let end = 0;
  for (const { index: at } of text.matchAll(new RegExp(forms.join("|"), "g"))) {
    // With what the pattern looks at around a number.
    const from = Math.max(at - BYTES_FROM_DATE - NUMBER_CHARACTERS, end - 2 * NUMBER_CHARACTERS, 0);
    end = at + BYTES_FROM_DATE + NUMBER_CHARACTERS;
    for (const { start, last } of candidatesIn(text.slice(from, end), rate)) {
      const candidate = { start: from + start, last: from + last };
      if (Math.abs(at - candidate.start) <= BYTES_FROM_DATE) near.set(candidate.start, candidate);
    }
  }
  return [...near.values()].sort((one, other) => one.start - other.start);
}

/** From the first to the last digit that is not zero. */
function significant(rate: string): string {
  return rate.replace(".", "").replace(/^0+|0+$/g, "");
}

/** The rate with its last digit above zero changed as in the document. */
function withLastDigitChanged(rate: string): string {
  return rate.replace(/[1-9](?=[0.]*$)/, (digit) =>
    String.fromCharCode(nextDigit(digit.charCodeAt(0))),
  );
}

/** Another digit above zero: a zero would change the number of significant digits. */
function nextDigit(code: number): number {
  return ZERO + ((code - ZERO) % 9) + 1;
}

/** The candidate that counts, by halving the first group that has it. */
function* findCandidate(
  groups: Iterable<readonly Candidate[]>,
): Generator<readonly Candidate[], Candidate | undefined, boolean> {
  for (const group of groups) {
    let some = group;
    let isProven = yield some;
    if (!isProven) continue;
    while (some.length > 1) {
      const half = some.slice(0, some.length / 2);
      isProven = yield half;
      some = isProven ? half : some.slice(half.length);
    }
    const [candidate] = some;
    if (candidate !== undefined && (isProven || (yield [candidate]))) return candidate;
  }
  return undefined;
}

/** Describes the place of a figure. @param text the content in Latin-1. */
function describePosition(
  { decode, count }: ReturnType<typeof createTextDecoder>,
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
  // A line may be a whole archive.
  const before = decode(Math.max(lineStart, figureStart - EXCERPT_BYTES), figureStart);
  const figure = decode(figureStart, figureEnd);
  const after = decode(figureEnd, Math.min(lineEnd, figureEnd + EXCERPT_BYTES));
  const line = text.slice(0, lineStart).split("\n").length;
  const column = count(lineStart, figureStart) + 1;
  return { line, column, figure, ...cutExcerpt(before, figure, after) };
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
