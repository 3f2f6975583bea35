import { DAY_MS } from "../../../../platform/shared/clock.ts";
import { movePoint, parseDecimal } from "../../../../platform/shared/decimal.ts";
import { type Instant, instantAt } from "../../../../platform/shared/instant.ts";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import type { Quotation, SeriesPlace, SourceLine } from "../../../served/rules/rate.ts";
import { type Parse, ParseError, type PublisherResponse } from "../publisher.ts";

/** No publisher resumes a currency after a longer pause than this. */
const SERIES_PAUSE_DAYS_MAX = 31;

/**
 * Keeps each pair once for each kind. Of several lines it keeps the one with the latest date, as in
 * a response with earlier days. It drops a line that repeats a figure, and rejects one that
 * contradicts a figure of the same date.
 *
 * @throws {ParseError} there is not a single rate.
 */
export function deduplicate(lines: readonly SourceLine[]): readonly SourceLine[] {
  const latest = new Map<string, Quotation & SeriesPlace>();
  const rejections: SourceLine[] = [];
  for (const line of withoutRepetitions(lines)) {
    if ("reason" in line) {
      rejections.push(line);
      continue;
    }
    const key = `${line.base}/${line.quote} ${line.kind ?? "middle"}`;
    const other = latest.get(key);
    if (other === undefined || line.asOf > other.asOf) latest.set(key, line);
  }
  if (latest.size > 0) return [...latest.values(), ...rejections];
  const [first] = rejections;
  const why = first !== undefined && "reason" in first ? `: ${first.reason}` : "";
  throw new ParseError(`no rates in the response${why}`);
}

/**
 * Keeps each pair's figure of each kind and time once: drops a line that repeats it, rejects one
 * that contradicts it.
 */
export function withoutRepetitions(lines: readonly SourceLine[]): readonly SourceLine[] {
  const rateByFigure = new Map<string, string>();
  return lines.flatMap((line): readonly SourceLine[] => {
    if ("reason" in line) return [line];
    const pair = `${line.base}/${line.quote}`;
    const figure = `${pair} ${line.kind ?? "middle"} ${line.asOf}`;
    const rate = rateByFigure.get(figure);
    if (rate === line.rate) return [];
    if (rate !== undefined) {
      const figures = `${quoted(rate)} and then ${quoted(line.rate)}`;
      return [{ reason: `${quoted(pair)} is stated twice: ${figures}` }];
    }
    rateByFigure.set(figure, line.rate);
    return [line];
  });
}

/**
 * Creates a parser that leaves out the currencies that a publisher no longer quotes, where a
 * response has the last figure of every series it ever had: SEK against the Cyprus pound ends in
 * 2007.
 */
export function withoutEndedSeries(parse: Parse): Parse {
  return (responses, momentOf) =>
    responses.flatMap((response, place) => {
      const lines = ofCurrentSeries(parse([response], momentOf), response.receivedMs);
      return lines.map((line) => ({ ...line, place }));
    });
}

function ofCurrentSeries(lines: readonly SourceLine[], receivedMs: number): readonly SourceLine[] {
  // A wrong date in the future must not make all others look old.
  const latest = instantAt(receivedMs + DAY_MS);
  let newest = "";
  for (const line of lines) {
    if ("asOf" in line && line.asOf > newest && line.asOf <= latest) newest = line.asOf;
  }
  if (newest === "") return lines;
  const oldest = instantAt(Date.parse(newest) - SERIES_PAUSE_DAYS_MAX * DAY_MS);
  return lines.filter((line) => "reason" in line || line.asOf >= oldest);
}

/**
 * Reads the documents of a publication one by one, each of which must have a row: the others would
 * hide that it is empty.
 *
 * @param what one of them is, for the reason.
 */
export function readEach(
  responses: readonly PublisherResponse[],
  what: string,
  read: (response: PublisherResponse) => readonly SourceLine[],
): readonly SourceLine[] {
  return responses.flatMap((response, place) => {
    const lines = read(response);
    if (lines.length === 0) throw new ParseError(`no rates in the response: ${what} is empty`);
    return lines.map((line) => ({ ...line, place }));
  });
}

/** @throws {ParseError} the layout has changed: there is no value, and `fault` says of what. */
export function required<Value>(value: Value | undefined, fault: string): Value {
  if (value !== undefined) return value;
  throw new ParseError(`the layout has changed: ${fault}`);
}

/** One rate as a response states it. A member that is missing or not a text is undefined. */
export interface StatedRate {
  readonly base: string | undefined;
  readonly quote: string | undefined;
  readonly rate: string | undefined;
  readonly asOf: Instant | undefined;
}

/**
 * Returns the line of a rate. A rejection names the pair.
 *
 * @param name as the publisher names the series: for a pair whose currency is missing.
 */
export function lineOf(stated: StatedRate, name?: string): SourceLine {
  const { base, quote, rate, asOf } = stated;
  if (base === undefined || quote === undefined) {
    return { stated, ...unknownCurrency(name ?? `${base ?? "?"}/${quote ?? "?"}`) };
  }
  const pair = quoted(`${base}/${quote}`);
  if (rate === undefined) return { stated, reason: `${pair} has no rate` };
  if (asOf === undefined) return { stated, reason: `${pair} has no date such as 2026-03-13` };
  return { base, quote, rate, asOf };
}

export function unknownCurrency(name: string | undefined): SourceLine {
  return { reason: `${quoted(name)} names no currency that Kurs knows` };
}

/** Like `lineOf`, for a rate per `units`, which is a power of ten: moves the decimal point. */
export function lineOfUnits(units: string | undefined, stated: StatedRate): SourceLine {
  const line = lineOf(stated);
  if ("reason" in line) return line;
  const pair = quoted(`${line.base}/${line.quote}`);
  if (units === undefined || !/^10{0,9}$/.test(units)) {
    return { stated, reason: `${pair} is not for a power of ten of units` };
  }
  const rate = parseDecimal(line.rate);
  if (rate === "malformed" || rate === "negative") {
    return {
      ...stated,
      reason: `${pair}: ${quoted(line.rate)} is not a decimal number above zero`,
    };
  }
  return { ...line, rate: movePoint(rate, 1 - units.length) };
}

/** Whether a text is a page, as of a firewall: also after a byte order mark in another encoding. */
export function isHtml(text: string): boolean {
  return /^[^\w<"[{]*(?:<(?:\?|!--)[^>]*>\s*)*<(?:!doctype\s+)?html\b/i.test(text);
}

/**
 * Decodes text. A byte order mark is left out, and its lines end with LF.
 *
 * @throws {ParseError} the body is not text in UTF-8, or it is an HTML page.
 */
export function utf8TextOf(body: Uint8Array = new Uint8Array()): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body).replaceAll(/\r\n?/g, "\n");
  } catch (error) {
    throw new ParseError("the body is not UTF-8 text", error);
  }
  if (isHtml(text)) throw new ParseError("it is an HTML page, not the publisher's document");
  return text;
}
