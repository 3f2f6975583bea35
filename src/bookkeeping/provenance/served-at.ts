import type { AuditEvent } from "../../platform/audit/rules.ts";
import type { AuditStore, EventCursor } from "../../platform/audit/store.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import { type Pair, pairName } from "../../rates/served/rules/symbol.ts";
import type { Observation, ObservationReads } from "./observations.ts";

/** What reads of a pair got at a moment. Times are RFC 3339 in UTC. */
export type ServedAt =
  | {
      /** The rate; 503; 404. */
      readonly status: "served" | "suspended" | "deleted";
      /** The rate that was served, or would have been, or had been. */
      readonly observation: Observation;
      readonly from: string;
      /** Undefined: it has not ended. */
      readonly until: string | undefined;
      /** The restore of a backup of the time `until`, which has lost the rest. */
      readonly restore: Restore | undefined;
    }
  /** Nothing was stored by then, or a restore has lost what was. */
  | {
      readonly status: "unknown";
      readonly first: Observation | undefined;
      readonly restore: Restore | undefined;
    };

/** A restore of the store: what it was served between these times is not known. */
export interface Restore {
  /** When the backup was taken; "" for a copy that does not tell. */
  readonly takenAt: string;
  readonly at: string;
}

export interface HistoryUses {
  readonly history: ObservationReads;
  readonly audit: Pick<AuditStore, "ofPair">;
}

/** A change of whether a pair is served. */
interface Change {
  readonly at: string;
  readonly action: "rate.suspended" | "rate.resumed" | "rate.deleted";
  /** The last observation before it. */
  readonly observation: number;
}

/**
 * Finds what reads of a pair got at a moment. Observations and changes have an order besides their
 * times: if the machine's clock was set back, a moment that it showed twice means the later one.
 * Nobody knows what was served between a backup and its restore: the store is as in the backup.
 *
 * @param at RFC 3339 in UTC, to the millisecond.
 */
export async function findServedAt(
  { history, audit }: HistoryUses,
  pair: Pair,
  at: string,
): Promise<ServedAt> {
  const { changes, restores } = await eventsOfHistory(audit, pair);
  const next = restores.find((one) => one.at > at);
  if (next !== undefined && next.takenAt <= at) {
    return { status: "unknown", first: undefined, restore: next };
  }
  const stored = await history.lastStoredBy(pair, at);
  const change = changes.findLastIndex((one) => one.at <= at);
  const changed = changes[change]?.observation ?? 0;
  const sequence = Math.max(stored?.sequence ?? 0, changed);
  const observation =
    stored?.sequence === sequence ? stored : await history.observation(pair, sequence);
  if (observation === undefined) {
    return { status: "unknown", first: await firstObservation(history, pair), restore: undefined };
  }
  // The changes by then: a change of a later observation than the last one's is not one of them.
  const end =
    changed === sequence ? change + 1 : changes.filter((one) => one.observation < sequence).length;
  const state = stateAfter(changes.slice(0, end), observation);
  const later = changes.slice(end).filter(({ action }) => endedBy[state.status].includes(action));
  const { storedAt: nextStoredAt } = await history.after(pair, sequence);
  const ends = later.map((one) => one.at);
  if (state.status !== "suspended" && nextStoredAt !== undefined) ends.push(nextStoredAt);
  if (next !== undefined) ends.push(next.takenAt);
  const [until] = ends.sort();
  const restoredAt = restores.findLast((one) => one.at <= at)?.at ?? "";
  return {
    ...state,
    from: state.from > restoredAt ? state.from : restoredAt,
    until,
    restore: next?.takenAt === until ? next : undefined,
  };
}

/** The oldest observation of a pair that is stored; undefined for a pair without a history. */
export async function firstObservation(
  history: ObservationReads,
  pair: Pair,
): Promise<Observation | undefined> {
  const query = { after: 0, limit: 1, from: undefined, to: undefined };
  return (await history.observations(pair, query))[0];
}

type State = Exclude<ServedAt, { readonly status: "unknown" }>;
type Found = Omit<State, "until" | "restore">;

const endedBy: Readonly<Record<State["status"], readonly Change["action"][]>> = {
  served: ["rate.suspended", "rate.deleted"],
  suspended: ["rate.resumed", "rate.deleted"],
  deleted: [],
};

/** The state of a pair with an observation, after changes in their order. */
function stateAfter(changes: readonly Change[], observation: Observation): Found {
  let state: Found = { status: "served", observation, from: observation.storedAt };
  for (const { action, at, observation: last } of changes) {
    const isOfThis = last === observation.sequence;
    if (action === "rate.suspended") {
      if (state.status !== "suspended") state = { status: "suspended", observation, from: at };
    } else if (action === "rate.deleted" && isOfThis) {
      state = { status: "deleted", observation, from: at };
    } else if (state.status === "suspended") {
      const from = isOfThis ? at : observation.storedAt;
      state = { status: "served", observation, from };
    }
  }
  return state;
}

/** The changes of a pair, in the order in which they were made, and the restores of the store. */
async function eventsOfHistory(
  audit: HistoryUses["audit"],
  pair: Pair,
): Promise<{ readonly changes: readonly Change[]; readonly restores: readonly Restore[] }> {
  // Few: each is an operator's command.
  const changes: (Change & { readonly number: number })[] = [];
  const restores: Restore[] = [];
  for await (const events of readEvents(audit, pair)) {
    for (const { at, action, details } of events) {
      if (action === "store.restored") restores.push(toRestore(at, details.taken_at));
      if (!isChange(action)) continue;
      const { observation, change } = details;
      changes.push({ at, action, observation: toNumber(observation), number: toNumber(change) });
    }
  }
  changes.sort((one, other) => one.observation - other.observation || one.number - other.number);
  return { changes, restores };
}

const isChange = (action: string): action is Change["action"] =>
  action === "rate.suspended" || action === "rate.resumed" || action === "rate.deleted";

const toNumber = (detail: unknown): number => (typeof detail === "number" ? detail : 0);

/** The restores of the store, in their order: what was stored between their times is lost. */
export async function readRestores(
  audit: HistoryUses["audit"],
  pair: Pair,
): Promise<readonly Restore[]> {
  return (await eventsOfHistory(audit, pair)).restores;
}

/** A backup that says to be newer than its restore was taken by a wrong clock: no time is known. */
const toRestore = (at: string, taken: unknown): Restore => ({
  at,
  takenAt: typeof taken === "string" && taken <= at ? taken : "",
});

/** The events of a pair, oldest first, in pages. */
export const readEvents = (audit: HistoryUses["audit"], pair: Pair) =>
  pagesOf<AuditEvent, EventCursor>(
    { at: "", id: "" },
    (after, limit) => audit.ofPair(pairName(pair), after, limit),
    (event) => event,
  );
