import { writeEvent } from "../../platform/audit/sql.ts";
import { StoreUnavailable } from "../../platform/shared/store.ts";
import {
  integerOf,
  optionalIntegerOf,
  optionalTextOf,
  type Tables,
  textOf,
} from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { activeKey, LOCK_BY_EMAIL, transactionBy } from "../access/sql.ts";
import { keepAccountTerms, quotaColumns, quotaOf } from "../billing/quota-sql.ts";
import { billingPeriodAt } from "../billing/rules.ts";
import { lockOfEmail, writeToken } from "../mailed-links/sql.ts";
import type { Account, AccountStore, AccountSummary } from "./store.ts";

export const accountTables: Tables = {
  accounts: {
    key: "id",
    others:
      "email, password_hash, plan, created_at, email_verified_at, suspended_at, deleted_at, " +
      "quota_mails, quota_units, quota_until, customer_number, thresholds",
  },
  sessions: {
    key: "token_hash",
    others: "id, account_id, created_at, expires_at, address, client",
  },
  auth_windows: { key: "scope", others: "calls, ends_at", summed: "calls" },
};

const PLAN_IS_STORED = "SELECT name FROM plans WHERE name = $1";

const CREATE_ACCOUNT = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at, email_verified_at, quota_mails)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (email) DO NOTHING RETURNING id`;

const accountBy = (condition: string) => `
  SELECT id, email, password_hash, plan, created_at, email_verified_at, suspended_at, quota_mails
  FROM accounts WHERE ${condition}`;

const ACCOUNT_BY_EMAIL = accountBy("email = $1");

const ACCOUNT_BY_ID = accountBy("id = $1 AND deleted_at IS NULL");

const SUMMARIES = `
  SELECT a.id, a.email, a.plan, a.created_at, a.email_verified_at, a.suspended_at,
    a.quota_units, a.quota_until, a.customer_number,
    ${quotaColumns("$1", "$2")},
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND ${activeKey("$2", "k.")})
      AS active_keys
  FROM accounts a
  LEFT JOIN plans p ON p.name = a.plan`;

// An id is a UUIDv7, so the order of ids is the order of creation.
const LIST_ACCOUNTS = `
  ${SUMMARIES} WHERE a.id > $3 AND a.deleted_at IS NULL ORDER BY a.id LIMIT $4`;

const SUMMARY_BY_EMAIL = `${SUMMARIES} WHERE a.email = $3`;

const SET_PLAN = "UPDATE accounts SET plan = $2 WHERE id = $1";

const SET_QUOTA = "UPDATE accounts SET quota_units = $2, quota_until = $3 WHERE id = $1";

const SET_CUSTOMER_NUMBER = "UPDATE accounts SET customer_number = $2 WHERE id = $1";

const CHANGE_QUOTA_MAILS = `
  UPDATE accounts SET quota_mails = $2
  WHERE id = $1 AND quota_mails <> $2 AND deleted_at IS NULL RETURNING id`;

const MARK_EMAIL_VERIFIED = `
  UPDATE accounts SET email_verified_at = $2 WHERE email = $1 AND email_verified_at IS NULL
  RETURNING id`;

/** Selects a row when an email has an account. */
export const IS_ACCOUNT = "SELECT id FROM accounts WHERE email = $1";

export function accountStore(engine: Engine): AccountStore {
  return {
    create(account, token, origin) {
      const { id, email, plan } = account;
      return engine.transaction(function* () {
        if (!(yield* insertAccount(account))) return false;
        yield* writeToken(id, token);
        const action = origin.actor.kind === "account" ? "account.registered" : "account.created";
        yield writeEvent(action, origin, { accountId: id, details: { plan } });
        return true;
      }, lockOfEmail(email));
    },

    async findByEmail(email) {
      const [row] = await engine.query(ACCOUNT_BY_EMAIL, email);
      return row && readAccount(row);
    },

    async findById(accountId) {
      const [row] = await engine.query(ACCOUNT_BY_ID, accountId);
      return row && readAccount(row);
    },

    async list(now, afterId, limit) {
      return (await engine.query(LIST_ACCOUNTS, periodAt(now), now, afterId, limit)).map(
        readSummary,
      );
    },

    async summarize(now, email) {
      const [row] = await engine.query(SUMMARY_BY_EMAIL, periodAt(now), now, email);
      return row && readSummary(row);
    },

    setPlan: (email, plan, origin) =>
      changeByEmail(engine, email, function* (accountId) {
        if ((yield statement(PLAN_IS_STORED, plan)).length === 0) throw planNotStored(plan);
        yield keepAccountTerms(accountId, origin.at);
        yield statement(SET_PLAN, accountId, plan);
        yield writeEvent("account.plan_changed", origin, { accountId, details: { plan } });
      }),

    setQuota: (email, quota, origin) =>
      changeByEmail(engine, email, function* (accountId) {
        yield keepAccountTerms(accountId, origin.at);
        const { units = null, until = null } = quota ?? {};
        yield statement(SET_QUOTA, accountId, units, until);
        const end = until === null ? {} : { quota_until: until };
        const details = units === null ? { quota: "plan" } : { quota_units: units, ...end };
        yield writeEvent("account.quota_changed", origin, { accountId, details });
      }),

    setCustomerNumber: (email, number, origin) =>
      changeByEmail(engine, email, function* (accountId) {
        yield statement(SET_CUSTOMER_NUMBER, accountId, number ?? null);
        const details = { customer_number: number ?? "none" };
        yield writeEvent("account.customer_number_changed", origin, { accountId, details });
      }),

    setQuotaMails: (accountId, quotaMails, origin) =>
      transactionBy(engine, origin, function* () {
        const changed = yield statement(CHANGE_QUOTA_MAILS, accountId, quotaMails ? 1 : 0);
        if (changed.length === 0) return;
        const details = { quota_mails: quotaMails };
        yield writeEvent("account.quota_mails_changed", origin, { accountId, details });
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

const periodAt = (now: string) => billingPeriodAt(Date.parse(now)).name;

/** Changes the account of an email, which stays locked until the end. @returns false: no such. */
const changeByEmail = (
  engine: Engine,
  email: string,
  change: (accountId: string) => Transaction<void>,
): Promise<boolean> =>
  engine.transaction(function* () {
    const [account] = yield statement(LOCK_BY_EMAIL, email);
    if (account !== undefined) yield* change(textOf(account, "id"));
    return account !== undefined;
  });

/**
 * Writes an account's row.
 *
 * @returns false, and writes nothing, when the email is taken.
 * @throws {StoreUnavailable} when its plan is not stored.
 */
export function* insertAccount(account: Account): Transaction<boolean> {
  const { id, email, passwordHash, plan, createdAt, emailVerifiedAt = null } = account;
  const quotaMails = account.quotaMails ? 1 : 0;
  const values = [id, email, passwordHash, plan, createdAt, emailVerifiedAt, quotaMails];
  if ((yield statement(PLAN_IS_STORED, plan)).length === 0) throw planNotStored(plan);
  return (yield statement(CREATE_ACCOUNT, ...values)).length === 1;
}

function planNotStored(plan: string): StoreUnavailable {
  return new StoreUnavailable(
    new Error(`the plan "${plan}" is not stored; store it: kurs plans set ${plan} UNITS`),
  );
}

function readSummary(row: Row): AccountSummary {
  const units = optionalIntegerOf(row, "quota_units");
  const until = optionalTextOf(row, "quota_until");
  return {
    ...identityOf(row),
    activeKeys: integerOf(row, "active_keys"),
    quota: quotaOf(row),
    ownQuota: units === undefined ? undefined : { units, until },
    customerNumber: optionalTextOf(row, "customer_number"),
  };
}

function readAccount(row: Row): Account {
  return {
    ...identityOf(row),
    passwordHash: textOf(row, "password_hash"),
    quotaMails: integerOf(row, "quota_mails") === 1,
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
