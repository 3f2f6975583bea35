import { movePoint, parseDecimal } from "../../../../platform/shared/decimal.ts";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import type { FigureKind, SourceLine } from "../../../served/rules/rate.ts";
import { ParseError } from "../publisher.ts";

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
  readonly asOf: string | undefined;
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

/** The lines of a row that states a rate of several kinds, in their order. */
export function linesOfKinds(
  rates: Readonly<Partial<Record<FigureKind, string | undefined>>>,
  lineWith: (rate: string | undefined) => SourceLine,
): readonly SourceLine[] {
  return Object.entries(rates).map(([kind, rate]) => {
    return { ...lineWith(rate), kind: kind as FigureKind };
  });
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
