import { DAY_MS, HOUR_MS } from "../../../platform/shared/clock.ts";
import {
  type Decimal,
  isZero,
  MAX_DECIMAL_LENGTH,
  parseDecimal,
} from "../../../platform/shared/decimal.ts";
import {
  dateAlone,
  type Instant,
  instantAt,
  isLeapSecond,
  parseInstant,
} from "../../../platform/shared/instant.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { type Pair, parseSymbol } from "./symbol.ts";

/** A direct exchange rate: one unit of `base` is worth `rate` units of `quote`, as of `asOf`. */
export interface Rate extends Pair {
  readonly rate: Decimal;
  readonly asOf: Instant;
}

/** A rate as reads get it. */
export interface ServedRate extends Rate {
  /** Those that name its source: alternating names and values (src/rates/served/headers.ts). */
  readonly headers: readonly string[];
  /** The key of its source. */
  readonly source: string;
  /** When its headers expect the next publication; infinity where they do not. */
  readonly nextMs: number;
}

/** The header with the number of publications that a rate's publisher has missed. */
export const RATE_MISSED = "rate-missed";

/** Counts the publications that a rate's publisher has missed since by its calendar, up to 99. */
export type CountMissed = (rate: ServedRate, nowMs: number) => number;

/** A stated rate: four texts, not validated yet. */
export interface Quotation {
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly asOf: string;
}

/** Why a quotation is not a valid rate, for the person who has to correct it. */
export interface Rejection {
  readonly reason: string;
}

/** Where a publication states a rate. */
export interface DocumentPosition {
  /** Which of its documents, from 0. */
  readonly place?: number | undefined;
  /** The line of an imported file, from 1. */
  readonly line?: number | undefined;
  /** The publisher's own number of the table: 050/A/NBP/2026. */
  readonly table?: string | undefined;
}

/** What a publisher calls a figure. Most publish one for each pair and date, the middle rate. */
export type FigureKind = "middle" | "buying" | "selling";

/** What places a figure in its series besides its pair and its time. */
export interface SeriesPlace {
  /** The publisher's own date, such as 2026-03-13; unset: the UTC day of its time. */
  readonly date?: string | undefined;
  /** Unset: middle. */
  readonly kind?: FigureKind | undefined;
  /** The last date of its validity, for a table that is valid for a period. */
  readonly validUntil?: string | undefined;
}

/** Why a line is not a quotation. */
interface UnreadLine extends Rejection {
  /** What of it can be read. */
  readonly stated?: { readonly [Member in "base" | "quote" | "asOf"]?: string | undefined };
}

/** One figure as stated: a quotation not validated yet, or why there is none. */
export type SourceLine = (Quotation | UnreadLine) & DocumentPosition & SeriesPlace;

/**
 * @param nowMs the current time, in milliseconds since 1970.
 * @returns the latest time that a rate may have: one more than a day ahead is a mistake.
 */
export function latestAsOf(nowMs: number): Instant {
  return instantAt(nowMs + DAY_MS);
}

/** The latest time that there is, for figures of any time. */
export const ANY_TIME = "9999-12-31T23:59:59.999999999Z" as Instant;

/** Whether a text is a date alone that a time has in some zone. */
export function isDateOf(text: string, time: string): boolean {
  const date = text.trim();
  if (!dateAlone.test(date)) return false;
  const sinceMs = Date.parse(time) - Date.parse(date);
  return sinceMs >= -14 * HOUR_MS && sinceMs < DAY_MS + 12 * HOUR_MS;
}

/** The date that a line states, with or without a time: not that of its instant in another zone. */
export const dateStatedBy = ({ asOf }: Pick<Quotation, "asOf">): string =>
  asOf.trim().slice(0, "2026-03-13".length);

/** Validates a quotation by itself: the form of its symbols, its figure and its time. */
export function parseQuotation(quotation: Quotation, latest: Instant): Rate | Rejection {
  const base = parseSymbol(quotation.base);
  if (base === undefined) return badSymbol("base", quotation.base);
  const quote = parseSymbol(quotation.quote);
  if (quote === undefined) return badSymbol("quote", quotation.quote);
  if (base === quote) return { reason: `base and quote are both ${base}` };

  const rate = parseDecimal(quotation.rate.trim());
  if (rate === "malformed") {
    const what = `rate ${quoted(quotation.rate)} is not a decimal number such as 1.1476`;
    return { reason: `${what}, of at most ${MAX_DECIMAL_LENGTH} characters` };
  }
  if (rate === "negative" || isZero(rate)) {
    return { reason: `rate ${quoted(quotation.rate)} is not above zero` };
  }

  const asOf = parseInstant(quotation.asOf.trim());
  if (asOf === undefined) return badTime(quotation.asOf);
  if (asOf > latest) {
    return { reason: `as_of ${quoted(quotation.asOf)} is more than a day in the future` };
  }
  return { base, quote, rate, asOf };
}

/** Like `parseQuotation`, for a publisher's line: a rejection names its line, kind and pair. */
export function parseSourceLine(line: SourceLine, latest: Instant): Rate | Rejection {
  const parsed = "reason" in line ? line : parseQuotation(line, latest);
  if (!("reason" in parsed)) return parsed;
  const place = line.line === undefined ? "" : `line ${line.line}: `;
  const kind = (line.kind ?? "middle") === "middle" ? "" : `${line.kind}: `;
  const pair = "reason" in line ? "" : `${quoted(`${line.base}/${line.quote}`)}: `;
  return { reason: `${place}${kind}${pair}${parsed.reason}` };
}

function badSymbol(field: "base" | "quote", text: string): Rejection {
  return { reason: `${field} ${quoted(text)} is not a symbol of 2 to 10 letters A-Z or digits` };
}

function badTime(text: string): Rejection {
  if (isLeapSecond(text.trim())) {
    return {
      reason: `as_of ${quoted(text)} is a leap second, which is not stored: state another second`,
    };
  }
  const example = "2026-03-13T15:00:00Z";
  return { reason: `as_of ${quoted(text)} is not an RFC 3339 time such as ${example}` };
}

/**
 * The body of a response with the rate: `JSON.stringify` of its JSON, in a quarter of its time.
 * None of these strings contains a character that JSON would escape.
 */
export function rateBody({ base, quote, rate, asOf }: Rate): string {
  return `{"base":"${base}","quote":"${quote}","rate":"${rate}","as_of":"${asOf}","type":"direct"}`;
}
