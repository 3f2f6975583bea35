import { timestamp } from "../../platform/shared/instant.ts";
import { type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import type { CleanupClaim, CleanupStore } from "./cleanup.ts";
import { isAhead } from "./rules.ts";
import { ADVANCE, NEWEST } from "./trusted-time-sql.ts";

export const cleanupTables: Tables = { jobs: { key: "name", others: "next_at" } };

// Tests and changes in one statement, so only one of several nodes claims the job. It is never due
// later than if it ran now; otherwise setting a clock back would delay it by as much.
const CLAIM_JOB = `
  INSERT INTO jobs (name, next_at) VALUES ($1, $3)
  ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at
    WHERE jobs.next_at <= $2 OR jobs.next_at > $4
  RETURNING name`;

/**
 * Rows that one statement removes. On SQLite it blocks the event loop, for about 2 ms: with 1000
 * rows, the removal of 300,000 windows blocked it for 27 ms at a time.
 */
const ROWS_PER_STATEMENT = 100;

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
  /** Pauses after each statement for as long as the caller likes. */
  async function* removeAll(sql: string, before: string): AsyncGenerator<void> {
    let removed: Row[];
    do {
      removed = await engine.query(sql, before);
      yield;
    } while (removed.length === ROWS_PER_STATEMENT);
  }

  return {
    async claimJob(name, now, nextAt, latest = nextAt) {
      return (await engine.query(CLAIM_JOB, name, now, nextAt, latest)).length === 1;
    },

    claimCleanup: (nowMs, nextAt) =>
      engine.transaction(function* (): Transaction<CleanupClaim> {
        const now = timestamp(nowMs);
        const [row] = yield statement(NEWEST);
        const trusted = row === undefined ? now : textOf(row, "at");
        if (isAhead(nowMs, trusted)) return { kind: "clock_ahead", trusted };
        const claimed = yield statement(CLAIM_JOB, "cleanup", now, nextAt, nextAt);
        if (claimed.length === 0) return { kind: "not_due" };
        yield statement(ADVANCE, now);
        return { kind: "claimed", byMs: Math.min(nowMs, Date.parse(trusted)) };
      }),

    async *removeExpired(now) {
      for (const sql of EXPIRING) yield* removeAll(sql, now);
    },

    removeEndedMails: (before) => removeAll(REMOVE_MAILS, before),

    removeEvents: (before) => removeAll(REMOVE_EVENTS, before),
  };
}
