import { DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";
import { type Check, fails, holds } from "./check.ts";
import type { Evidence } from "./format.ts";

/**
 * How long before its planned time a publication may come. A figure with a validity is planned for
 * its beginning, and written earlier: the Swiss file at 07:00 on the day before.
 */
const EARLY_MS = { plain: 12 * HOUR_MS, withValidity: DAY_MS };

/** How long before its time a figure may be published: of a day, and of a table for a period. */
const AHEAD_MS = { day: DAY_MS, table: 32 * DAY_MS };

/** Clocks differ: a publisher's from that of Kurs, and those of the nodes of one store. */
const CLOCKS_MS = { publishers: DAY_MS, nodes: HOUR_MS };

/**
 * Checks that nothing happened before it could.
 *
 * @param nowMs the time of the verification.
 * @param dueMs when the source's calendar expects the figure; undefined if that is not known.
 */
export function checkTimes(evidence: Evidence, nowMs: number, dueMs: number | undefined): Check {
  const { as_of: asOf, valid_until: until, made, documents } = evidence;
  const [aheadMs, earlyMs] =
    until === null ? [AHEAD_MS.day, EARLY_MS.plain] : [AHEAD_MS.table, EARLY_MS.withValidity];
  const published = dueMs === undefined ? Date.parse(asOf) - aheadMs : dueMs - earlyMs;
  const fetched = Date.parse(evidence.received_at);
  const stored = Date.parse(evidence.stored_at);
  const received = documents.map((one) => Date.parse(one.received_at));
  const fault = [
    ["received before it was published", Math.min(fetched, ...received) < published],
    ["fetched before it was sent", fetched + CLOCKS_MS.publishers < Math.max(...received)],
    ["stored before it was fetched", stored + CLOCKS_MS.nodes < fetched],
    ["written here before it was stored", Date.parse(made.at) + CLOCKS_MS.nodes < stored],
    ["written here in the future", nowMs + CLOCKS_MS.nodes < Date.parse(made.at)],
  ].find(([, isBefore]) => isBefore);
  return fault === undefined
    ? holds("its times are in order: published, received, stored, and written here")
    : fails(`the figure was ${fault[0]}`);
}
