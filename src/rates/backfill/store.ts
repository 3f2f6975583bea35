import type { Dates } from "../sources/rules/archive-ranges.ts";

/** The dates of a backfill. */
export interface BackfillDates extends Dates {
  /** As the command states them, "" for none: the same command resumes an unfinished backfill. */
  readonly asked: Dates;
}

/** A backfill as a command asks for it: the same one resumes it. */
export interface BackfillCommand extends Pick<BackfillDates, "asked"> {
  readonly source: string;
}

/** Remembers how far unfinished backfills have come. */
export interface BackfillStore {
  /** The dates whose figures an unfinished backfill has stored. */
  completedRanges(command: BackfillCommand): Promise<Dates[]>;
  /** @param now RFC 3339 in UTC. */
  complete(command: BackfillCommand, range: Dates, now: string): Promise<void>;
  /** Forgets the ranges of a backfill that has finished: the next one repeats them. */
  forget(command: BackfillCommand): Promise<void>;
}
