import { DAY_MS } from "../../../platform/shared/clock.ts";
import { type Instant, instantAt, isDate } from "../../../platform/shared/instant.ts";
import { ANY_TIME, type FigureKind, type Rate, type ServedRate } from "./rate.ts";

/** A past time whose figure a read asks for. */
export interface PastMoment {
  /** No figure with a later `as_of` is meant. */
  readonly latest: Instant;
  /** The publisher's own date; undefined: `latest` alone says which figure is meant. */
  readonly date: string | undefined;
  /** Milliseconds since 1970: of a date, the end of that day in UTC. */
  readonly epochMs: number;
  /** The text that asked for it, which a signature covers; undefined over MCP. */
  readonly acceptDatetime: string | undefined;
}

/** A figure that the owner of a pair has published, as a read of a past time finds it. */
export interface PastFigure extends Rate {
  /** The key of its source. */
  readonly source: string;
  /** The publisher's own date. */
  readonly date: string;
  /** SHA-256 of the document that states it, in hexadecimal; undefined if unknown. */
  readonly document: string | undefined;
}

/** A rate as a read of a past time gets it. */
export interface PastRate extends ServedRate {
  /** The publisher's own date. */
  readonly date: string;
}

/** What makes the figures of past times rates that can be sent. */
export interface PastRates {
  /** By source: the kind that is served where it is not the middle figure. */
  readonly servedKinds: Readonly<Record<string, FigureKind>>;
  /** Adds the headers, with a signature if rates are signed. */
  toRate(figure: PastFigure, asked: PastMoment): Promise<PastRate>;
}

/** The parts of an IMF-fixdate that state the time; what is written of it is compared. */
const FIXDATE = /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * Parses the time of a header Accept-Datetime (RFC 7089, section 2.1.1).
 *
 * @returns undefined for anything but an IMF-fixdate (RFC 9110, section 5.6.7) that exists.
 */
export function parseAcceptDatetime(text: string): PastMoment | undefined {
  const [, day, name = "", year, time] = FIXDATE.exec(text) ?? [];
  const month = String(MONTHS.indexOf(name) + 1).padStart(2, "0");
  // Date.parse would take the year 0050 of the text itself for 1950.
  const epochMs = Date.parse(`${year}-${month}-${day}T${time}Z`);
  if (Number.isNaN(epochMs) || new Date(epochMs).toUTCString() !== text) return undefined;
  return { latest: instantAt(epochMs), date: undefined, epochMs, acceptDatetime: text };
}

/** Parses a publisher's own date, such as 2025-10-14. @returns undefined for any other text. */
export function parsePastDate(date: string): PastMoment | undefined {
  if (!isDate(date)) return undefined;
  const epochMs = Date.parse(date) + DAY_MS - 1;
  return { latest: ANY_TIME, date, epochMs, acceptDatetime: undefined };
}
