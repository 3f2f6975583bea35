import type { Engine } from "../storage/engine.ts";
import type { CleanupStore } from "./cleanup.ts";

// Test and change in one statement: of several nodes one takes the duty. It is never due later than
// it would be if it were done now, or a clock that was set back would put it off for as long.
const CLAIM_JOB = `
  INSERT INTO duties (name, next_at) VALUES ($1, $3)
  ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at
    WHERE duties.next_at <= $2 OR duties.next_at > excluded.next_at
  RETURNING name`;

/** Rows that one statement removes: it takes milliseconds, however much has gathered. */
const ROWS_AT_ONCE = 1000;

const removeSome = (table: string, key: string, condition: string) => `
  DELETE FROM ${table} WHERE ${key} IN
    (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE})
  RETURNING 1 AS removed`;

const REMOVE_SESSIONS = removeSome("sessions", "token_hash", "expires_at <= $1");
const REMOVE_TOKENS = removeSome("mail_tokens", "token_hash", "expires_at <= $1");
const REMOVE_WINDOWS = removeSome("auth_windows", "scope", "ends_at <= $1");
const REMOVE_MAILS = removeSome(
  "mails",
  "id",
  "next_attempt_at IS NULL AND coalesce(delivered_at, given_up_at) < $1",
);

export function tidyingStore(engine: Engine): CleanupStore {
  const removeAll = async (sql: string, before: string): Promise<void> => {
    let removed = ROWS_AT_ONCE;
    while (removed === ROWS_AT_ONCE) removed = (await engine.query(sql, before)).length;
  };

  return {
    async claimJob(name, now, nextAt) {
      return (await engine.query(CLAIM_JOB, name, now, nextAt)).length === 1;
    },

    async removeExpired(now) {
      for (const sql of [REMOVE_SESSIONS, REMOVE_TOKENS, REMOVE_WINDOWS]) {
        await removeAll(sql, now);
      }
    },

    removeEndedMails: (before) => removeAll(REMOVE_MAILS, before),
  };
}
