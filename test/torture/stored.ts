import type { TorturedStore } from "./stores.ts";

/** Everything that the audit reads from the store. */
export interface Stored {
  readonly accounts: ReadonlyMap<string, StoredAccount>;
  readonly plans: ReadonlyMap<string, number>;
  /** Whether it is revoked, by id. */
  readonly keys: ReadonlyMap<string, boolean>;
  readonly sessions: ReadonlySet<string>;
  /** Units by account, then billing period. */
  readonly periods: readonly { readonly email: string; readonly period: string; units: number }[];
  /** Units by key and day. */
  readonly days: ReadonlyMap<string, number>;
}

interface StoredAccount {
  readonly plan: string;
  readonly isVerified: boolean;
}

export async function readStored(store: TorturedStore): Promise<Stored> {
  const accounts = await store.query("SELECT email, plan, email_verified_at FROM accounts");
  const plans = await store.query("SELECT name, units_per_period FROM plans");
  const keys = await store.query("SELECT id, revoked_at FROM api_keys");
  const sessions = await store.query("SELECT token_hash FROM sessions");
  const periods = await store.query(`
    SELECT a.email, u.period, u.units FROM period_usage u JOIN accounts a ON a.id = u.account_id`);
  const days = await store.query("SELECT api_key_id, day, units FROM daily_usage");
  return {
    accounts: new Map(
      accounts.map(({ email, plan, email_verified_at: verifiedAt }) => [
        String(email),
        { plan: String(plan), isVerified: verifiedAt !== null },
      ]),
    ),
    plans: new Map(plans.map((row) => [String(row.name), Number(row.units_per_period)])),
    keys: new Map(keys.map(({ id, revoked_at: at }) => [String(id), at !== null])),
    sessions: new Set(sessions.map((row) => String(row.token_hash))),
    periods: periods.map(({ email, period, units }) => ({
      email: String(email),
      period: String(period),
      units: Number(units),
    })),
    days: new Map(days.map((row) => [nameOfDay(row.api_key_id, row.day), Number(row.units)])),
  };
}

export function nameOfDay(keyId: unknown, day: unknown): string {
  return `${keyId} ${day}`;
}
