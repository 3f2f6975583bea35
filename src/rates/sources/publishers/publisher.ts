import type { Instant } from "../../../platform/shared/instant.ts";
import type { SourceLine } from "../../served/rules/rate.ts";
import type { Pair } from "../../served/rules/symbol.ts";
import type { Dates, RequestUnit } from "../rules/archive-ranges.ts";
import type { Holidays } from "../rules/holidays.ts";
import type { FetchedDocument, RateSource } from "../source.ts";

/**
 * The response of one of a publisher's addresses. Its address is as it was requested: where the
 * response does not say it, the address has the date.
 */
export type PublisherResponse = FetchedDocument;

/** The response as a whole does not have the publisher's format, and nothing of it is used. */
export class ParseError extends Error {
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "ParseError";
    this.reason = reason;
  }
}

/** The euro's first day: before, some publishers have the ecu under its symbol. */
export const EURO = "1999-01-04";

/** How one of a publisher's documents is requested. */
export interface DocumentRequest {
  /** Stored with the document, so it never has the token. */
  readonly address: string;
  /** Sent by POST, never conditionally; unset: GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the address's query as it is sent, for a publisher that wants a password there. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** The fields of a form on the page at the address, which is fetched first. */
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * An address, or one that has a date, or a request with more than an address.
 *
 * @param today the day in the time zone of the publisher's schedule.
 * @param token from SOURCE_TOKENS; "" for a publisher that needs none.
 */
export type Address =
  | string
  | ((today: Temporal.PlainDate, token: string) => string | DocumentRequest);

/** @returns the requests for the documents of a publisher, in their order. */
export function requestsOf(
  { addresses, schedule }: Pick<Publisher, "addresses" | "schedule">,
  nowMs: number,
  token: string,
): readonly DocumentRequest[] {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  const zone = "timeZone" in schedule ? schedule.timeZone : "UTC";
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  return addresses.map((stated) => requestOf(stated, today, token));
}

/** @returns the request for one of a publisher's documents. */
export function requestOf(
  stated: Address,
  today: Temporal.PlainDate,
  token: string,
): DocumentRequest {
  return toRequest(typeof stated === "string" ? stated : stated(today, token));
}

export const toRequest = (stated: string | DocumentRequest): DocumentRequest =>
  typeof stated === "string" ? { address: stated } : stated;

/** The instant that a date such as `2026-03-13` means; undefined for anything but a date. */
export type ToInstant = (date: string | undefined) => Instant | undefined;

/** Parses one of a publisher's responses, or all where they are one document, to its lines. */
export type Parse = (
  responses: readonly PublisherResponse[],
  momentOf: ToInstant,
) => readonly SourceLine[];

/** When a publisher publishes. The fields of a cron pattern: minute hour day month weekday. */
export interface PublicationCalendar {
  readonly cron: string;
  readonly timeZone: string;
  /** The days in that time zone on which the publisher does not publish; unset: none. */
  readonly holidays?: Holidays;
  /** Whether it publishes on the last working day before a day of the pattern that is a holiday. */
  readonly movesBefore?: true;
  /**
   * A publication's rates, amendments included, are dated from this many days before it on; unset:
   * a rate belongs to the nearest publication.
   */
  readonly leadDays?: number;
  /** How many months after its date a table for a month is published; unset: 0. */
  readonly monthsLater?: 1;
  /** When to look for amendments between publications. */
  readonly amendmentsCron?: string;
}

/** The earlier figures that a publisher keeps, and how to request them. */
interface Archive {
  /** The first date that it has, or from which its symbols mean what they mean today. */
  readonly since: string;
  readonly requestsBy: RequestUnit;
  /**
   * Requests whose responses together have the figures of some dates, and perhaps of others.
   *
   * @param token from SOURCE_TOKENS; "" for a publisher that needs none.
   */
  readonly requests: (dates: Dates, token: string) => readonly DocumentRequest[];
  /** Between two requests. */
  readonly paceMs: number;
  /** Whether a response 404 means that there is no figure of these dates. */
  readonly isAbsentBy404?: boolean;
}

/** A publisher in the catalogue, with the parser of one document. */
export interface Entry
  extends Omit<
    Publisher,
    "addresses" | "group" | "terms" | "publishedAt" | "onByDefault" | "parse" | "archive"
  > {
  /** Or those of the archive for the last days: more than any pause of working days. */
  readonly addresses: Publisher["addresses"] | { readonly latestDays: number };
  /** Unset: a central bank's, of which nothing else is known. */
  readonly terms?: string;
  /** The time of day that a date means, in the time zone of the schedule: `16:00`. */
  readonly publishedAt?: string;
  readonly onByDefault?: true;
  /** Whether its figures of gold and other metals are for a troy ounce; unset: left out. */
  readonly statesTroyOunces?: true;
  readonly parse: Parse;
  readonly archive?: Omit<Archive, "requests" | "paceMs"> & {
    readonly addresses: (
      dates: Dates,
      token: string,
    ) => string | DocumentRequest | readonly (string | DocumentRequest)[];
    readonly paceMs?: number;
  };
}

/** A publisher of rates: its name, addresses, schedule and terms, and its parser. */
export interface Publisher
  extends Pick<
    RateSource,
    | ("key" | "name" | "country" | "group" | "terms" | "termsUrl")
    | ("servedKind" | "isServedAhead" | "endedAfterDays")
  > {
  /** Together they are one publication, requested one after the other. */
  readonly addresses: readonly Address[];
  /** Where it was before it moved: names of stored documents, no longer requested. */
  readonly formerAddresses?: readonly Address[];
  /** Whether its documents state rates only together; unset: each of them does. */
  readonly documentsAreOne?: true;
  /** Where an operator gets the token that the requests need; unset: they need none. */
  readonly tokenUrl?: string;
  /** The encoding of the responses where it is not UTF-8, by a name that TextDecoder knows. */
  readonly charset?: string;
  /** When a new publication is available. */
  readonly schedule: PublicationCalendar | { readonly everySeconds: number };
  /** The pairs that are published less often, and when; unset: none. */
  readonly rarerPairs?: {
    /** Whether a pair was one of them in a year; undefined: that is not known. */
    readonly includes: (pair: Pair, year: number) => boolean | undefined;
    readonly schedule: PublicationCalendar;
  };
  /** The time of day that a date means; undefined where the response has times. */
  readonly publishedAt: { readonly time: string; readonly timeZone: string } | undefined;
  readonly onByDefault: boolean;
  /**
   * Parses responses, of the addresses or of the archive.
   *
   * @returns every line of each, with the publisher's own date and its document's place.
   * @throws {ParseError} a response is not in the publisher's format.
   */
  readonly parse: (responses: readonly PublisherResponse[]) => readonly SourceLine[];
  /** Unset: it has none that Kurs knows. */
  readonly archive?: Archive;
}

/** @returns the responses that a publisher's parser reads together. */
export function documentsOf<Response>(
  { documentsAreOne }: Pick<Publisher, "documentsAreOne">,
  responses: readonly Response[],
): readonly (readonly Response[])[] {
  return documentsAreOne ? [responses] : responses.map((response) => [response]);
}

/** @throws {ParseError} there is not a single rate. */
export function requireRates(lines: readonly SourceLine[]): readonly SourceLine[] {
  if (lines.some((line) => !("reason" in line))) return lines;
  const [first] = lines;
  const why = first !== undefined && "reason" in first ? `: ${first.reason}` : "";
  throw new ParseError(`no rates in the response${why}`);
}
