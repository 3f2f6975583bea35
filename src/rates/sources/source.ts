import { timestamp } from "../../platform/shared/instant.ts";
import type { PackContent, Publication } from "../served/history.ts";
import type { FigureKind, Quotation, SourceLine } from "../served/rules/rate.ts";
import type { Pair } from "../served/rules/symbol.ts";
import type { Dates } from "./rules/archive-ranges.ts";

/** The response of one of a source's addresses. */
export interface FetchedDocument {
  readonly address: string;
  readonly body: Uint8Array;
  /** The time of the Date header or, without one, of the arrival; milliseconds since 1970. */
  readonly receivedMs: number;
}

/** The responses of addresses of a source, and what they state. */
export interface FetchedLines {
  readonly lines: readonly SourceLine[];
  readonly documents: readonly FetchedDocument[];
}

/** A publisher whose documents an operator hands in. */
export interface DocumentSource extends Pick<RateSource, "key" | "name"> {
  /** @throws {SourceError} it is no document of the publisher. */
  read(document: FetchedDocument): readonly SourceLine[];
}

/** Prepares the documents of a publication for the store. */
export function packDocuments(
  documents: readonly FetchedDocument[],
  packContent: PackContent,
): Promise<Publication["documents"]> {
  return Promise.all(
    documents.map(async ({ address, body, receivedMs }) => ({
      name: address,
      receivedAt: timestamp(receivedMs),
      stored: await packContent(body),
    })),
  );
}

/** The outcome of fetching a source. */
export type Fetched =
  | (FetchedLines & {
      /** Of the documents that were read. */
      readonly validators: string | undefined;
      /** Why further documents could not be fetched or read; unset: there are none. */
      readonly failure?: SourceError | undefined;
    })
  /** The publisher reports that nothing has changed. */
  | "unchanged";

/** A source of rates: its publisher, when it publishes, and how to fetch it. */
export interface RateSource {
  /** Names it in the configuration and with every rate: `ecb`. */
  readonly key: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: the country of the publisher or of its place of business. */
  readonly country: string;
  /** The heading of lists under which it is, its region or, for some, its kind. */
  readonly group: string;
  /** One sentence: the terms on which the figures may be passed on. */
  readonly terms: string;
  readonly termsUrl?: string;
  readonly schedule: Schedule;
  /** Unset for a publisher that publishes all its pairs at the same times. */
  readonly rarerPairs?: RarerPairs | undefined;
  /** Whether an operator hands in its documents: no server fetches them. */
  readonly isHandedIn?: boolean;
  /** Which kind of figures is served; unset: middle. Others go to their series alone. */
  readonly servedKind?: FigureKind;
  /** Whether its figures are served as soon as they are published, also for the next day. */
  readonly isServedAhead?: true;
  /**
   * A currency whose last figure is so many days older than the newest of all has ended, and is not
   * served; unset: the documents have no series that ended.
   */
  readonly endedAfterDays?: number;
  /**
   * @param validators as the last fetch returned them.
   * @throws {SourceError} with the reason, if no document could be read.
   */
  fetch(validators: string | undefined, signal: AbortSignal): Promise<Fetched>;
  /** Its earlier figures; unset for a publisher without an archive that Kurs knows. */
  readonly archive?: SourceArchive;
}

/** How a command finds sources. */
export interface SourceLookup {
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** The keys of all sources. */
  readonly sourceKeys: readonly string[];
}

/** The earlier figures of a source's publisher. */
export interface SourceArchive {
  /** Its first date. */
  readonly since: string;
  /** The least time between two requests. */
  readonly paceMs: number;
  /** Cuts dates into those of one request each, oldest first. */
  rangesOf(dates: Dates): readonly ArchiveRange[];
  /**
   * Fetches the figures of a range; the responses may have others, too. The lines are in any order.
   *
   * @param pause is awaited before every request.
   * @throws {SourceError} with the reason.
   */
  fetchRange(
    range: ArchiveRange,
    signal: AbortSignal,
    pause: () => Promise<void>,
  ): Promise<FetchedLines>;
}

/** Dates whose figures are requested together. */
export interface ArchiveRange extends Dates {
  /** The number of requests that they take. */
  readonly requests: number;
}

/** The last one that a date has: of the years with the rules of today. */
const LAST_YEAR = 9999;

/** The pairs that a publisher publishes less often than the others. */
interface RarerPairs {
  /** Whether a pair was one of them in a year; undefined: that is not known. */
  readonly includes: (pair: Pair, year: number) => boolean | undefined;
  readonly schedule: Schedule;
}

type Calendars = Pick<RateSource, "schedule" | "rarerPairs">;

/** @param year by default this one. @returns the calendar of a source's pair. */
export function scheduleOf(
  { schedule, rarerPairs }: Calendars,
  pair: Pair,
  year = LAST_YEAR,
): Schedule {
  return rarerPairs?.includes(pair, year) ? rarerPairs.schedule : schedule;
}

/**
 * Whether the days off of a date's year are known, and how often a source published the pair then;
 * if not, any date may have figures. Undefined for a source that is polled.
 */
export function isCalendarKnown(source: Calendars, pair: Pair, date: string): boolean | undefined {
  const year = Number.parseInt(date.slice(0, 4), 10);
  const isPairKnown = source.rarerPairs?.includes(pair, year) !== undefined;
  const isKnown = source.schedule.isKnown?.(date);
  return isKnown && (source.rarerPairs === undefined || isPairKnown);
}

/** @returns the `publicationOf` of a source's pair, whose calendar may differ between years. */
export function publicationsOf(source: Calendars, pair: Pair): Schedule["publicationOf"] {
  if (source.schedule.publicationOf === undefined) return undefined;
  return (date) => {
    const year = Number.parseInt(date.slice(0, 4), 10);
    return scheduleOf(source, pair, year).publicationOf?.(date);
  };
}

/** The same, also of a source of tables for a month or a quarter: they may be published earlier. */
export const expectationsOf = (source: Calendars, pair: Pair): Schedule["publicationOf"] =>
  publicationsOf(source, pair) ?? source.schedule.tableOf;

/** A source's calendar, in milliseconds since 1970. */
export interface Schedule {
  /** @returns the calendar for a person: `16:05 on working days, Europe/Berlin`. */
  describe(): string;
  /** The time of the first publication after `afterMs`. */
  next(afterMs: number): number;
  /**
   * The time of the publication after the one that brought a rate as of `asOfMs`; undefined for a
   * source without a calendar, which is polled.
   */
  following(asOfMs: number): number | undefined;
  /**
   * When to fetch next, after `afterMs`: also on a holiday. If the publisher publishes then after
   * all, its rates are not a day late; if it does not, that costs one conditional request.
   */
  nextFetch(afterMs: number): number;
  /** Whether a publication is due that the newest `as_of` does not reflect yet. */
  isAwaited(newestAsOfMs: number | undefined, nowMs: number): boolean;
  /**
   * The number of publications that are overdue and that the newest `as_of` (undefined: none) does
   * not reflect. `MISSED_MAX` means that many or more.
   */
  missed(newestAsOfMs: number | undefined, nowMs: number): number;
  /** Whether a publication is overdue that a rate as of `asOfMs` does not reflect. */
  isOverdue(asOfMs: number, nowMs: number): boolean;
  /**
   * The first time after `nowMs` at which `isOverdue`, `missed` or `next` may change for a rate
   * that stays the same, to the second; undefined for a polled source, where that depends on the
   * rate.
   */
  nextChange(nowMs: number): number | undefined;
  /**
   * When the figures of a date such as 2026-03-13 are published, in the publisher's own dates;
   * undefined for a date that is known to have none, such as a Sunday. Unset for a polled source
   * and for tables of a month or a quarter.
   */
  readonly publicationOf?: ((date: string) => number | undefined) | undefined;
  /** The same by the date of a table, for tables of a month or a quarter alone. */
  readonly tableOf?: Schedule["publicationOf"];
  /** Whether the days off of a date's year are known. Unset for a polled source. */
  readonly isKnown?: (date: string) => boolean;
}

/** A source could not be fetched, or its response does not have the publisher's format. */
export class SourceError extends Error {
  /** Whether this machine found no way to the publisher's host. */
  readonly isUnreachable: boolean;

  constructor(reason: string, cause?: unknown, isUnreachable = false) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "SourceError";
    this.isUnreachable = isUnreachable;
  }
}

/** One line of a rate file as read. */
export type RateLine = SourceLine & { readonly line: number };

/** Reads a rate file in batches of lines, so that a million lines do not cost a million awaits. */
export type RateLineReader = (
  input: AsyncIterable<Uint8Array>,
) => AsyncIterable<readonly RateLine[]>;

/** The rates of the bundled snapshot that one publisher published at one time. */
export interface BundledPublication {
  readonly source: string;
  readonly publishedOn: string;
  readonly quotations: readonly Quotation[];
}

/** The rates bundled with the program, and the file that states them. */
export interface Snapshot {
  /** In their order of precedence. */
  readonly publications: readonly BundledPublication[];
  readonly fileName: string;
  readonly content: Uint8Array;
}
