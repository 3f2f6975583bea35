import { DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";
import { parseInstant } from "../../platform/shared/instant.ts";
import { type Check, fails, holds } from "./check.ts";
import type { Evidence } from "./format.ts";

/** How long before its planned time a publication may come. */
const EARLY_MS = 12 * HOUR_MS;

/** How long before its time a figure may be published: of a day, and of a table for a period. */
const AHEAD_MS = { day: DAY_MS, table: 32 * DAY_MS };

/** Clocks differ: a publisher's from that of Kurs, and those of the nodes of one store. */
const CLOCKS_MS = { publishers: DAY_MS, nodes: HOUR_MS };

/** @returns a time that is not as Kurs writes it: in UTC to the millisecond, until 9999. */
export function findMalformedTime(evidence: Evidence): string | undefined {
  const { received_at, stored_at, made, documents } = evidence;
  const times = [received_at, stored_at, made.at, ...documents.map((one) => one.received_at)];
  const length = "2026-03-13T15:00:00.000Z".length;
  return times.find((time) => time.length !== length || parseInstant(time) === undefined);
}

/**
 * Checks that nothing happened before it could.
 *
 * @param dueMs when the source's calendar expects the figure; undefined if that is not known.
 */
export function checkTimes(evidence: Evidence, dueMs: number | undefined): Check {
  const { as_of: asOf, valid_until: until, received_at, stored_at, made, documents } = evidence;
  const aheadMs = until === null ? AHEAD_MS.day : AHEAD_MS.table;
  const published = {
    what: "published",
    ms: dueMs === undefined ? Date.parse(asOf) - aheadMs : dueMs - EARLY_MS,
    laterMs: 0,
  };
  const stepOf = (what: string, time: string, laterMs: number = CLOCKS_MS.nodes) => {
    return { what, ms: Date.parse(time), laterMs };
  };
  const fetched = stepOf("fetched", received_at, CLOCKS_MS.publishers);
  const received = documents.map((one) => stepOf(`received as ${one.name}`, one.received_at, 0));
  const stored = stepOf("stored", stored_at);
  const written = stepOf("written into this file", made.at);
  const chains = [
    ...received.map((one) => [published, one, fetched] as const),
    [published, fetched, stored, written],
  ];
  for (const chain of chains) {
    for (const [index, { what, ms, laterMs }] of chain.entries()) {
      const before = chain[index - 1];
      if (before !== undefined && ms + laterMs < before.ms) {
        return fails(`the figure was ${what} before it can have been ${before.what}`);
      }
    }
  }
  return holds("the figure was published, received, stored and written here in this order");
}
