import { hash, randomBytes } from "node:crypto";
import type { Account } from "../../../src/customers/accounts/store.ts";
import { NO_LIMITS } from "../../../src/customers/api-keys/limits.ts";
import type { KeyLimits, NewApiKey } from "../../../src/customers/api-keys/store.ts";
import { createUsageReads } from "../../../src/customers/billing/usage.ts";
import type { IssuedToken } from "../../../src/customers/outbox/store.ts";
import type { NewInvitation } from "../../../src/customers/registration/store.ts";
import type { Session } from "../../../src/customers/sessions/store.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type { Store } from "../../support/stores.ts";
import { BY, NOW, newHash, newId, PERIOD } from "./origins.ts";
import { newRead } from "./rates-stored.ts";

export function newAccount(change: Partial<Account> = {}): Account {
  const id = newId();
  return {
    id,
    email: `${id}@example.org`,
    passwordHash: "$argon2id$first",
    plan: "free",
    createdAt: NOW,
    emailVerifiedAt: undefined,
    suspendedAt: undefined,
    quotaMails: true,
    ...change,
  };
}

/** The password check of `newAccount`: correct, and no new hash is needed. */
export const UNCHANGED = { hash: "$argon2id$first", nextHash: "$argon2id$first" };

/** A session of 24 hours from NOW. */
export const newSession = (accountId: string, change: Partial<Session> = {}): Session => ({
  id: newId(),
  tokenHash: newHash(),
  accountId,
  createdAt: NOW,
  expiresAt: "2026-11-22T12:00:00.000Z",
  address: "192.0.2.1",
  client: "curl",
  ...change,
});

/** A token that verifies an email, with the id of its mail. */
export function newMailToken(change: Partial<IssuedToken> = {}): IssuedToken {
  const token = randomBytes(32).toString("hex");
  return {
    purpose: "verification",
    token,
    tokenHash: hash("sha256", token),
    mailId: newId(),
    createdAt: NOW,
    expiresAt: "2026-11-22T12:00:00.000Z",
    ...change,
  };
}

/** An invitation to the plan `free`, valid for seven days from NOW, with the id of its mail. */
export function newInvitation(change: Partial<NewInvitation> = {}): NewInvitation {
  const token = randomBytes(32).toString("hex");
  const accountId = newId();
  return {
    token,
    tokenHash: hash("sha256", token),
    accountId,
    email: `${accountId}@example.org`,
    plan: "free",
    mailId: newId(),
    createdAt: NOW,
    expiresAt: "2026-11-28T12:00:00.000Z",
    ...change,
  };
}

/** A token that resets a password, with the id of its mail. */
export const newResetToken = (change: Partial<IssuedToken> = {}): IssuedToken =>
  newMailToken({ purpose: "password_reset", expiresAt: "2026-11-21T13:00:00.000Z", ...change });

/** Stores an account in the state just after its registration. */
export async function newRegistration(store: Store, change: Partial<IssuedToken> = {}) {
  const [account, verification] = [newAccount(), newMailToken(change)];
  await store.accounts.create(account, verification, BY);
  return { account, email: account.email, verification };
}

export function newKey(accountId: string, change: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id: newId(),
    accountId,
    name: "test",
    keyPrefix: "svc_live_01234567",
    keyHash: newHash(),
    createdAt: NOW,
    revokedAt: undefined,
    limits: NO_LIMITS,
    ...change,
  };
}

/** Limits that only tests about limits reach. */
export const KEY_LIMITS: KeyLimits = { active: 100, perDay: 100, total: 10_000 };

/** Every key of an account, in the order of its list. */
export const keysOf = (store: Store, accountId: string, now = NOW) =>
  store.keys.list(accountId, "", KEY_LIMITS.total, now);

/** An account's units by day and key, both days included. */
export async function unitsOfDays(store: Store, accountId: string, first: string, last: string) {
  const nowMs = Date.parse(last);
  const days = (nowMs - Date.parse(first)) / 86_400_000 + 1;
  const { readDays: read } = createUsageReads({ store, clock: { nowMs: () => nowMs } });
  return (await Array.fromAsync(read(accountId, days))).flat();
}

/** Stores an account on its own plan, with one key. */
export async function newCustomer(store: Store, unitsPerPeriod: number) {
  const account = newAccount();
  const plan = `plan-${account.id}`;
  await store.plans.set({ name: plan, unitsPerPeriod }, BY);
  await store.accounts.create({ ...account, plan }, newMailToken(), BY);
  const key = newKey(account.id);
  await store.keys.create(key, KEY_LIMITS, BY);
  return { accountId: account.id, email: account.email, plan, key, keyHash: key.keyHash };
}

/** The units of an account by day and key: `2026-11-21 <key id>: 3`. */
export async function dailyUnits(engine: Engine, accountId: string): Promise<string[]> {
  const rows = await engine.query(
    "SELECT day, api_key_id, units FROM daily_usage WHERE account_id = $1 ORDER BY day, api_key_id",
    accountId,
  );
  return rows.map(({ day, api_key_id, units }) => `${day} ${api_key_id}: ${units}`);
}

/** Whether a node accepts a key. It reads the quota alone, so that nothing is charged. */
export const accepts = async (store: Store, { keyHash }: Pick<NewApiKey, "keyHash">) =>
  (await store.metering.read(newRead(keyHash, { pair: "" })))?.found !== undefined;

/** The events of an account, or all, oldest first. */
export const eventsOf = (store: Store, accountId?: string) =>
  store.audit.list({ after: { at: "", id: "" }, limit: 1000, ...(accountId && { accountId }) });

/** The units that an account has used in a period. */
export async function usedUnits(store: Store, accountId: string, period = PERIOD.name) {
  return (await store.usage.ofPeriod(accountId, period, NOW))?.usedUnits;
}
