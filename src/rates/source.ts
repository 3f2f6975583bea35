import type { Quotation, Rejection } from "./rules/rate.ts";

/** What fetching a source came to. */
export type Fetched =
  | { readonly lines: readonly (Quotation | Rejection)[]; readonly validators: string | undefined }
  /** The publisher says that nothing has changed. */
  | "unchanged";

/** Where rates come from: who publishes them, when, and how to get them. */
export interface RateSource {
  readonly key: string;
  readonly name: string;
  readonly schedule: Schedule;
  /**
   * @param validators as the last fetch returned them.
   * @throws {SourceError} with the reason.
   */
  fetch(validators: string | undefined, signal: AbortSignal): Promise<Fetched>;
}

/** Missed publications are counted up to here: it is long since clear that nothing comes. */
export const MISSED_MAX = 99;

/** A source's calendar, in milliseconds since 1970. */
export interface Schedule {
  /** The first publication after a moment. */
  next(afterMs: number): number;
  /** Whether a publication is due of which the newest `as_of` shows nothing yet. */
  isAwaited(newestAsOfMs: number | undefined, nowMs: number): boolean;
  /**
   * Publications due for some time of which the newest `as_of` (undefined: none) shows nothing;
   * `MISSED_MAX` stands for that many or more.
   */
  missed(newestAsOfMs: number | undefined, nowMs: number): number;
}

/** A source could not be fetched, or its answer is not what its publisher gives out. */
export class SourceError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "SourceError";
  }
}

/** One line of a rate file as it was read: a quotation not judged yet, or why there is none. */
export type RateLine =
  | (Quotation & { readonly line: number })
  | { readonly line: number; readonly reason: string };

/** Reads a rate file in bunches of lines, so that a million lines do not cost a million awaits. */
export type RateLineReader = (
  input: AsyncIterable<Uint8Array>,
) => AsyncIterable<readonly RateLine[]>;

/** The rates that one publisher gave out at one time. */
export interface Publication {
  readonly source: string;
  readonly publishedOn: string;
  readonly quotations: readonly Quotation[];
}
