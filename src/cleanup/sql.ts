import type { Tables } from "../storage/columns.ts";
import type { Engine } from "../storage/engine.ts";
import type { CleanupStore } from "./cleanup.ts";

export const cleanupTables: Tables = { duties: { key: "name", others: "next_at" } };

// Tests and changes in one statement, so only one of several nodes claims the job. It is never due
// later than if it ran now; otherwise setting a clock back would delay it by as much.
const CLAIM_JOB = `
  INSERT INTO duties (name, next_at) VALUES ($1, $3)
  ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at
    WHERE duties.next_at <= $2 OR duties.next_at > $4
  RETURNING name`;

/** Rows removed per statement, which takes milliseconds however many have accumulated. */
const ROWS_PER_STATEMENT = 1000;

const removeSome = (table: string, key: string, condition: string) => `
  DELETE FROM ${table} WHERE ${key} IN
    (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_PER_STATEMENT})
  RETURNING 1 AS removed`;

const REMOVE_SESSIONS = removeSome("sessions", "token_hash", "expires_at <= $1");
const REMOVE_TOKENS = removeSome("mail_tokens", "token_hash", "expires_at <= $1");
const REMOVE_INVITATIONS = removeSome("invitations", "token_hash", "expires_at <= $1");
const REMOVE_WINDOWS = removeSome("auth_windows", "scope", "ends_at <= $1");
const REMOVE_MAILS = removeSome(
  "mails",
  "id",
  "next_attempt_at IS NULL AND coalesce(delivered_at, given_up_at) < $1",
);
const REMOVE_EVENTS = removeSome("events", "id", "at < $1 AND pair IS NULL");

const EXPIRING = [REMOVE_SESSIONS, REMOVE_TOKENS, REMOVE_INVITATIONS, REMOVE_WINDOWS];

export function cleanupStore(engine: Engine): CleanupStore {
  const removeAll = async (sql: string, before: string): Promise<void> => {
    let removed = ROWS_PER_STATEMENT;
    while (removed === ROWS_PER_STATEMENT) removed = (await engine.query(sql, before)).length;
  };

  return {
    async claimJob(name, now, nextAt, latest = nextAt) {
      return (await engine.query(CLAIM_JOB, name, now, nextAt, latest)).length === 1;
    },

    async removeExpired(now) {
      for (const sql of EXPIRING) await removeAll(sql, now);
    },

    removeEndedMails: (before) => removeAll(REMOVE_MAILS, before),

    removeEvents: (before) => removeAll(REMOVE_EVENTS, before),
  };
}
