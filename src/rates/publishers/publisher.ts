import type { Instant } from "../../shared/instant.ts";
import type { Quotation, Rejection } from "../rules/rate.ts";

/** What one of a publisher's addresses answered. */
export interface Answer {
  readonly body: Uint8Array;
  /** The moment of the Date header in milliseconds since 1970 or, without one, of the arrival. */
  readonly receivedMs: number;
}

/** One figure of an answer: a quotation not judged yet, or why there is none. */
export type SourceLine = Quotation | Rejection;

/** The answer as a whole is not what its publisher gives out, and nothing of it is taken. */
export class ParseError extends Error {
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "ParseError";
    this.reason = reason;
  }
}

/** A time of day in an IANA time zone: `16:00`, `Europe/Berlin`. */
export interface TimeOfDay {
  readonly time: string;
  readonly timeZone: string;
}

/** The moment that a date such as `2026-03-13` stands for; undefined when it is no date. */
export type ToInstant = (date: string) => Instant | undefined;

/** Reads the answers of a publisher's addresses, in their order, into lines in any order. */
export type Parse = (answers: readonly Answer[], momentOf: ToInstant) => readonly SourceLine[];

/** Who publishes rates, where, when and on what terms, and how they are read. */
export interface Publisher {
  /** Names the source in the configuration and beside every rate: `ecb`. */
  readonly key: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: the country of the publisher or of its place of business. */
  readonly country: string;
  /** In a sentence, on what terms the figures may be passed on. */
  readonly terms: string;
  readonly termsUrl: string | undefined;
  /** All of them make one publication. */
  readonly addresses: readonly string[];
  /** When a new publication can be had; the cron's fields: minute hour day month weekday. */
  readonly schedule:
    | { readonly cron: string; readonly timeZone: string }
    | { readonly everySeconds: number };
  /** The time of day that a date stands for; undefined where the answer has times. */
  readonly publishedAt: TimeOfDay | undefined;
  readonly onByDefault: boolean;
  /**
   * Reads the answers of the addresses, in their order.
   *
   * @returns each pair once, with its latest figure; at least one quotation.
   * @throws {ParseError} an answer is not in the publisher's layout, or holds no rate.
   */
  readonly parse: (answers: readonly Answer[]) => readonly SourceLine[];
}
