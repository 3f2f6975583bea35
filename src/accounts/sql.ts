import { StoreUnavailable } from "../shared/store.ts";
import { integerOf, optionalTextOf, textOf } from "../storage/columns.ts";
import { type Engine, type Row, statement } from "../storage/engine.ts";
import type { AccountStore } from "./store.ts";
import { writeToken } from "./tokens-sql.ts";

const PLAN_IS_STORED = "SELECT name FROM plans WHERE name = $1";

const CREATE_ACCOUNT = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at, email_verified_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (email) DO NOTHING RETURNING id`;

const ACCOUNT_BY_EMAIL = `
  SELECT id, email, password_hash, plan, created_at, email_verified_at
  FROM accounts WHERE email = $1`;

const LIST_ACCOUNTS = `
  SELECT a.id, a.email, a.plan, a.created_at, a.email_verified_at,
    coalesce(p.units_per_period, 0) AS units_per_period,
    coalesce((SELECT units FROM period_usage u WHERE u.account_id = a.id AND u.period = $1), 0)
      AS used_units,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.id AND k.revoked_at IS NULL)
      AS active_keys
  FROM accounts a
  LEFT JOIN plans p ON p.name = a.plan
  WHERE a.email = $2 OR $2 IS NULL
  ORDER BY a.id`;

const SET_ACCOUNT_PLAN = "UPDATE accounts SET plan = $2 WHERE email = $1 RETURNING id";

export function accountStore(engine: Engine): AccountStore {
  return {
    createAccount(account, verification) {
      const { id, email, passwordHash, plan, createdAt, emailVerifiedAt } = account;
      const values = [id, email, passwordHash, plan, createdAt, emailVerifiedAt ?? null];
      return engine.transaction(function* () {
        if ((yield statement(PLAN_IS_STORED, plan)).length === 0) throw planNotStored(plan);
        const isNew = (yield statement(CREATE_ACCOUNT, ...values)).length === 1;
        if (isNew) yield* writeToken(id, verification);
        return isNew;
      });
    },

    async accountByEmail(email) {
      const [row] = await engine.query(ACCOUNT_BY_EMAIL, email);
      return row && { ...identityOf(row), passwordHash: textOf(row, "password_hash") };
    },

    async listAccounts(period, email) {
      const rows = await engine.query(LIST_ACCOUNTS, period, email ?? null);
      return rows.map((row) => ({
        ...identityOf(row),
        activeKeys: integerOf(row, "active_keys"),
        quota: {
          quotaUnits: integerOf(row, "units_per_period"),
          usedUnits: integerOf(row, "used_units"),
        },
      }));
    },

    async setAccountPlan(email, plan) {
      return (await engine.query(SET_ACCOUNT_PLAN, email, plan)).length === 1;
    },
  };
}

function planNotStored(plan: string): StoreUnavailable {
  return new StoreUnavailable(
    new Error(`the plan "${plan}" is not stored; store it: kurs plans set ${plan} UNITS`),
  );
}

function identityOf(row: Row) {
  return {
    id: textOf(row, "id"),
    email: textOf(row, "email"),
    plan: textOf(row, "plan"),
    createdAt: textOf(row, "created_at"),
    emailVerifiedAt: optionalTextOf(row, "email_verified_at"),
  };
}
