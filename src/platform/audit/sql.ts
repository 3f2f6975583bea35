import type { Actor, Origin } from "../shared/origin.ts";
import { optionalTextOf, type Tables, textOf } from "../storage/columns.ts";
import { type Engine, type Row, type Statement, statement } from "../storage/engine.ts";
import { type Action, type AuditEvent, EVERY_PAIR, type EventDetails } from "./rules.ts";
import type { AuditStore } from "./store.ts";

export const auditTables: Tables = {
  events: { key: "id", others: "at, actor, actor_name, origin, action, account_id, details, pair" },
};

const WRITE_EVENT = `
  INSERT INTO events (id, at, actor, actor_name, origin, action, account_id, details, pair)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const COLUMNS = "e.id, e.at, e.actor, e.actor_name, e.origin, e.action, e.account_id, e.details";

const listEvents = (condition: string) => `
  SELECT ${COLUMNS}, a.email
  FROM events e LEFT JOIN accounts a ON a.id = e.account_id AND a.deleted_at IS NULL
  WHERE (e.at, e.id) > ($1, $2) ${condition} ORDER BY e.at, e.id LIMIT $3`;

const LIST_ALL = listEvents("");
const LIST_OF_ACCOUNT = listEvents("AND e.account_id = $4");

const LIST_OF_PAIR = `
  SELECT ${COLUMNS} FROM events e
  WHERE e.pair IN ($1, '${EVERY_PAIR}') AND (e.at, e.id) > ($2, $3) ORDER BY e.at, e.id LIMIT $4`;

const NEWEST_OF_ACCOUNT = `
  SELECT ${COLUMNS} FROM events e WHERE e.account_id = $1 ORDER BY e.at DESC, e.id DESC LIMIT $2`;

const OLDER_OF_ACCOUNT = `
  SELECT ${COLUMNS} FROM events e
  WHERE e.account_id = $1
    AND (e.at, e.id) < (SELECT at, id FROM events WHERE id = $3 AND account_id = $1)
  ORDER BY e.at DESC, e.id DESC LIMIT $2`;

/** When an event was written last. */
export const LAST_EVENT = "SELECT max(at) AS at FROM events";

// The audit log loses nothing by a restore: a deleted account's events come from the replaced
// database, which no longer has what was personal in them. An event that the backup does not have
// stays out of its pair's history, whose numbers begin again where the backup ends.
export const KEEP_EVENTS = `
  INSERT INTO restored.events (id, at, actor, actor_name, origin, action, account_id, details)
  SELECT id, at, actor, actor_name, origin, action, account_id, details FROM main.events WHERE TRUE
  ON CONFLICT (id) DO UPDATE
    SET actor_name = excluded.actor_name, origin = excluded.origin, details = excluded.details`;

/**
 * @returns the statement that records an action; it belongs in the action's own transaction, so
 *   that no action is acknowledged without its event. An event whose details name a `pair` also
 *   belongs to that pair's history, and a restore to that of every pair.
 */
export function writeEvent(
  action: Action,
  { actor, at, newId }: Origin,
  { accountId, details }: { readonly accountId?: string; readonly details?: EventDetails } = {},
): Statement {
  const [name, from] = splitActor(actor);
  const written = details === undefined ? null : JSON.stringify(details);
  const pair = action === "store.restored" ? EVERY_PAIR : details?.pair;
  return statement(
    WRITE_EVENT,
    newId(),
    at,
    actor.kind,
    name,
    from,
    action,
    accountId ?? null,
    written,
    pair === undefined ? null : String(pair),
  );
}

function splitActor(actor: Actor): readonly [name: string | null, from: string | null] {
  switch (actor.kind) {
    case "account":
      return [null, actor.address];
    case "operator":
      return [actor.userName, actor.hostName];
    case "service":
      return [null, null];
  }
}

export function auditStore(engine: Engine): AuditStore {
  return {
    async record(action, origin, about) {
      const { sql, parameters } = writeEvent(action, origin, about);
      await engine.query(sql, ...parameters);
    },

    async list({ accountId, after: { at, id }, limit }) {
      const rows =
        accountId === undefined
          ? await engine.query(LIST_ALL, at, id, limit)
          : await engine.query(LIST_OF_ACCOUNT, at, id, limit, accountId);
      return rows.map((row) => ({ ...readEvent(row), email: optionalTextOf(row, "email") }));
    },

    async ofPair(pair, { at, id }, limit) {
      return (await engine.query(LIST_OF_PAIR, pair, at, id, limit)).map(readEvent);
    },

    async ofAccount(accountId, beforeId, limit) {
      const rows =
        beforeId === undefined
          ? await engine.query(NEWEST_OF_ACCOUNT, accountId, limit)
          : await engine.query(OLDER_OF_ACCOUNT, accountId, limit, beforeId);
      return rows.map(readEvent);
    },
  };
}

function readEvent(row: Row): AuditEvent {
  const details = optionalTextOf(row, "details");
  return {
    id: textOf(row, "id"),
    at: textOf(row, "at"),
    actor: textOf(row, "actor") as Actor["kind"],
    actorName: optionalTextOf(row, "actor_name"),
    origin: optionalTextOf(row, "origin"),
    action: textOf(row, "action"),
    accountId: optionalTextOf(row, "account_id"),
    details: details === undefined ? {} : (JSON.parse(details) as EventDetails),
  };
}
