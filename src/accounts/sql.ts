import { writeEvent } from "../audit/sql.ts";
import { StoreUnavailable } from "../shared/store.ts";
import {
  ACTIVE_KEY,
  hashParameters,
  integerOf,
  isOneOfHashes,
  optionalTextOf,
  type Tables,
  textOf,
} from "../storage/columns.ts";
import { type Engine, type Row, statement, type Transaction } from "../storage/engine.ts";
import type {
  Account,
  AccountStore,
  AccountSummary,
  AuthWindow,
  AuthWindowStore,
  SessionStore,
} from "./store.ts";
import { writeToken } from "./tokens-sql.ts";

export const accountTables: Tables = {
  accounts: {
    key: "id",
    others:
      "email, password_hash, plan, created_at, email_verified_at, suspended_at, deleted_at, " +
      "quota_mails",
  },
  sessions: { key: "token_hash", others: "account_id, created_at, expires_at" },
  auth_windows: { key: "scope", others: "calls, ends_at", summed: "calls" },
};

const PLAN_IS_STORED = "SELECT name FROM plans WHERE name = $1";

const CREATE_ACCOUNT = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at, email_verified_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (email) DO NOTHING RETURNING id`;

const ACCOUNT_BY_EMAIL = `
  SELECT id, email, password_hash, plan, created_at, email_verified_at, suspended_at
  FROM accounts WHERE email = $1`;

const SUMMARIES = `
  SELECT a.id, a.email, a.plan, a.created_at, a.email_verified_at, a.suspended_at,
    coalesce(p.units_per_period, 0) AS units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1), 0)
      AS used_units,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND k.${ACTIVE_KEY})
      AS active_keys
  FROM accounts a
  LEFT JOIN plans p ON p.name = a.plan`;

// An id is a UUIDv7, so the order of ids is the order of creation.
const LIST_ACCOUNTS = `
  ${SUMMARIES} WHERE a.id > $2 AND a.deleted_at IS NULL ORDER BY a.id LIMIT $3`;

const SUMMARY_BY_EMAIL = `${SUMMARIES} WHERE a.email = $2`;

const SET_ACCOUNT_PLAN = "UPDATE accounts SET plan = $2 WHERE email = $1 RETURNING id";

const MARK_EMAIL_VERIFIED = `
  UPDATE accounts SET email_verified_at = $2 WHERE email = $1 AND email_verified_at IS NULL
  RETURNING id`;

/** Selects a row when an email has an account. */
export const IS_ACCOUNT = "SELECT id FROM accounts WHERE email = $1";

export function accountStore(engine: Engine): AccountStore {
  return {
    create(account, token, origin) {
      const { id, plan } = account;
      return engine.transaction(function* () {
        if (!(yield* insertAccount(account))) return false;
        yield* writeToken(id, token);
        const action = origin.actor.kind === "account" ? "account.registered" : "account.created";
        yield writeEvent(action, origin, { accountId: id, details: { plan } });
        return true;
      });
    },

    async findByEmail(email) {
      const [row] = await engine.query(ACCOUNT_BY_EMAIL, email);
      return row && { ...identityOf(row), passwordHash: textOf(row, "password_hash") };
    },

    async list(period, afterId, limit) {
      return (await engine.query(LIST_ACCOUNTS, period, afterId, limit)).map(summaryOf);
    },

    async summarize(period, email) {
      const [row] = await engine.query(SUMMARY_BY_EMAIL, period, email);
      return row && summaryOf(row);
    },

    setPlan: (email, plan, origin) =>
      engine.transaction(function* () {
        if ((yield statement(PLAN_IS_STORED, plan)).length === 0) throw planNotStored(plan);
        const [account] = yield statement(SET_ACCOUNT_PLAN, email, plan);
        if (account === undefined) return false;
        const accountId = textOf(account, "id");
        yield writeEvent("account.plan_changed", origin, { accountId, details: { plan } });
        return true;
      }),

    markEmailVerified: (email, origin) =>
      engine.transaction(function* () {
        const [verified] = yield statement(MARK_EMAIL_VERIFIED, email, origin.at);
        if (verified === undefined) return (yield statement(IS_ACCOUNT, email)).length === 1;
        yield writeEvent("email.verified", origin, { accountId: textOf(verified, "id") });
        return true;
      }),
  };
}

/**
 * Writes an account's row.
 *
 * @returns false, and writes nothing, when the email is taken.
 * @throws {StoreUnavailable} when its plan is not stored.
 */
export function* insertAccount(account: Account): Transaction<boolean> {
  const { id, email, passwordHash, plan, createdAt, emailVerifiedAt } = account;
  const values = [id, email, passwordHash, plan, createdAt, emailVerifiedAt ?? null];
  if ((yield statement(PLAN_IS_STORED, plan)).length === 0) throw planNotStored(plan);
  return (yield statement(CREATE_ACCOUNT, ...values)).length === 1;
}

function planNotStored(plan: string): StoreUnavailable {
  return new StoreUnavailable(
    new Error(`the plan "${plan}" is not stored; store it: kurs plans set ${plan} UNITS`),
  );
}

function summaryOf(row: Row): AccountSummary {
  return {
    ...identityOf(row),
    activeKeys: integerOf(row, "active_keys"),
    quota: {
      quotaUnits: integerOf(row, "units_per_period"),
      usedUnits: integerOf(row, "used_units"),
    },
  };
}

function identityOf(row: Row) {
  return {
    id: textOf(row, "id"),
    email: textOf(row, "email"),
    plan: textOf(row, "plan"),
    createdAt: textOf(row, "created_at"),
    emailVerifiedAt: optionalTextOf(row, "email_verified_at"),
    suspendedAt: optionalTextOf(row, "suspended_at"),
  };
}

// Counts a call or restarts an expired window, in one statement. The cleanup removes windows that
// are not restarted. No window ends later than one that starts now: after the clock was set back,
// a client over its budget need not wait until the clock catches up, and no call is lost.
const COUNT_CALL = `
  INSERT INTO auth_windows (scope, calls, ends_at) VALUES ($1, 1, $3)
  ON CONFLICT (scope) DO UPDATE SET
    calls = CASE WHEN auth_windows.ends_at <= $2 THEN 1 ELSE auth_windows.calls + 1 END,
    ends_at = CASE
      WHEN auth_windows.ends_at <= $2 OR auth_windows.ends_at > excluded.ends_at
      THEN excluded.ends_at ELSE auth_windows.ends_at END
  RETURNING calls, ends_at`;

const OPEN_WINDOW = "SELECT calls, ends_at FROM auth_windows WHERE scope = $1 AND ends_at > $2";

export function authWindowStore(engine: Engine): AuthWindowStore {
  return {
    async current(scopes, now) {
      const lookups = scopes.map(async (scope) => {
        const [row] = await engine.query(OPEN_WINDOW, scope, now);
        return row === undefined ? [] : [windowOf(scope, row)];
      });
      return (await Promise.all(lookups)).flat();
    },

    countAttempt: (scopes, now, endsAt) =>
      engine.transaction(function* () {
        const windows: AuthWindow[] = [];
        for (const scope of scopes) {
          const rows = yield statement(COUNT_CALL, scope, now, endsAt);
          windows.push(...rows.map((row) => windowOf(scope, row)));
        }
        return windows;
      }),
  };
}

function windowOf(scope: string, row: Row): AuthWindow {
  return { scope, calls: integerOf(row, "calls"), endsAt: textOf(row, "ends_at") };
}

const CREATE_SESSION = `
  INSERT INTO sessions (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`;

// A reset may have replaced the password during its check, and an operator may have suspended the
// account: no session for the old password may be
// stored after the reset has ended all sessions. On PostgreSQL the row stays locked until the
// session is stored, so that a reset either commits first or finds and ends the session.
const RENEW_PASSWORD = `
  UPDATE accounts SET password_hash = $3
  WHERE id = $1 AND password_hash = $2 AND suspended_at IS NULL RETURNING id`;

const REMOVE_EXPIRED = "DELETE FROM sessions WHERE account_id = $1 AND expires_at <= $2";

// A session created well in the future comes from a clock that has been set back since: it would
// outlive the lifetime of sessions.
const VALID_SESSION = `
  SELECT s.account_id FROM sessions s JOIN accounts a ON a.id = s.account_id
  WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.created_at <= $3
    AND a.suspended_at IS NULL`;

const END_SESSION = "DELETE FROM sessions WHERE token_hash = $1 RETURNING account_id";

// The session of a suspended account is among them: it would be valid again after a resumption.
const LEAKED_SESSIONS = `
  FROM sessions WHERE ${isOneOfHashes("token_hash", 2)} AND expires_at > $1`;

const BURN_SESSIONS = `DELETE ${LEAKED_SESSIONS} RETURNING account_id`;

const COUNT_LEAKED_SESSIONS = `SELECT count(*) AS valid ${LEAKED_SESSIONS}`;

export function sessionStore(engine: Engine): SessionStore {
  return {
    create: ({ tokenHash, accountId, createdAt, expiresAt }, { hash, nextHash }, origin) =>
      engine.transaction(function* () {
        const isUnchanged =
          (yield statement(RENEW_PASSWORD, accountId, hash, nextHash)).length === 1;
        if (!isUnchanged) return false;
        yield statement(REMOVE_EXPIRED, accountId, createdAt);
        yield statement(CREATE_SESSION, tokenHash, accountId, createdAt, expiresAt);
        yield writeEvent("session.started", origin, { accountId });
        return true;
      }),

    async findAccount(tokenHash, now, issuedBy = now) {
      const [row] = await engine.query(VALID_SESSION, tokenHash, now, issuedBy);
      return row && textOf(row, "account_id");
    },

    end: (tokenHash, origin) =>
      engine.transaction(function* () {
        const [session] = yield statement(END_SESSION, tokenHash);
        if (session === undefined) return;
        yield writeEvent("session.ended", origin, { accountId: textOf(session, "account_id") });
      }),

    burn: (tokenHashes, origin) =>
      engine.transaction(function* () {
        const hashes = hashParameters(tokenHashes);
        const ended = yield statement(BURN_SESSIONS, origin.at, ...hashes);
        for (const session of ended) {
          const details = { reason: "burned" };
          const accountId = textOf(session, "account_id");
          yield writeEvent("session.ended", origin, { accountId, details });
        }
        return ended.length;
      }),

    async previewBurn(tokenHashes, now) {
      const hashes = hashParameters(tokenHashes);
      const [counted = {}] = await engine.query(COUNT_LEAKED_SESSIONS, now, ...hashes);
      return integerOf(counted, "valid");
    },
  };
}
