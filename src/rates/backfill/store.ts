import type { Dates } from "../sources/rules/archive-ranges.ts";

/** Remembers how far unfinished backfills have come. */
export interface BackfillStore {
  /** The dates of a source whose figures an unfinished backfill has stored. */
  completedRanges(source: string): Promise<Dates[]>;
  /** @param now RFC 3339 in UTC. */
  complete(source: string, range: Dates, now: string): Promise<void>;
  /** Forgets the ranges within dates whose backfill has finished: the next one repeats them. */
  forget(source: string, within: Dates): Promise<void>;
}
