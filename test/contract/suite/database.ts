import { hash, randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Account } from "../../../src/accounts/store.ts";
import type { KeyLimits, NewApiKey } from "../../../src/api-keys/store.ts";
import { type BillingPeriod, billingPeriodAt, utcDay } from "../../../src/billing/rules.ts";
import { createReadDailyUsage } from "../../../src/billing/usage.ts";
import type { IssuedToken } from "../../../src/mail/store.ts";
import type { BatchStore, RateRead } from "../../../src/metering/store.ts";
import { type Pair, parsePair } from "../../../src/rates/rules/symbol.ts";
import { createUpdatePolicy, type SourcedRate } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { parseInstant } from "../../../src/shared/instant.ts";
import { tables } from "../../../src/storage/copy/tables.ts";
import type { Engine, Row } from "../../../src/storage/engine.ts";
import type { Store } from "../../../src/store.ts";

/** A new, migrated database; disposing of it closes what was opened and removes it. */
export interface TestDatabase extends AsyncDisposable {
  /** A store as a node of its own has it. */
  openStore(): Store;
  /** The engine beneath, on a connection of its own. */
  openEngine(): Engine & BatchStore;
  /** Removes a plan that accounts are on, past the foreign key. */
  losePlan(name: string): Promise<void>;
  /** Sets what each key of an account was charged on each day. */
  setDailyUnits(accountId: string, units: number): Promise<void>;
}

export type CreateDatabase = () => Promise<TestDatabase>;

/** Adds a test with a database of its own. */
export type StoreTest = (title: string, run: (database: TestDatabase) => Promise<void>) => void;

export const storeTestOn =
  (createDatabase: CreateDatabase): StoreTest =>
  (title, run) =>
    void test(title, async () => {
      await using database = await createDatabase();
      await run(database);
    });

export const NOW = "2026-11-21T12:00:00.000Z";
export const PERIOD: BillingPeriod = billingPeriodAt(Date.parse(NOW));

/** The stored form of a secret that nobody knows. */
export const newHash = (): string => hash("sha256", randomBytes(32));

let ids = 0;

/** An id of its own: their order is the order of creation. */
export const newId = (): string => `01a1fc7c-4ab2-7000-8000-${String(++ids).padStart(12, "0")}`;

export function newAccount(change: Partial<Account> = {}): Account {
  const id = newId();
  return {
    id,
    email: `${id}@example.org`,
    passwordHash: "$argon2id$first",
    plan: "free",
    createdAt: NOW,
    emailVerifiedAt: undefined,
    ...change,
  };
}

/** The password of `newAccount`, found right and to be kept as it is. */
export const UNCHANGED = { hash: "$argon2id$first", nextHash: "$argon2id$first" };

/** A token that verifies an email, with its mail. */
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

/** A token that resets a password, with its mail. */
export const newResetToken = (change: Partial<IssuedToken> = {}): IssuedToken =>
  newMailToken({
    purpose: "password_reset",
    expiresAt: "2026-11-21T13:00:00.000Z",
    ...change,
  });

/** An account as it is just after its registration. */
export async function newRegistration(store: Store, change: Partial<IssuedToken> = {}) {
  const [account, verification] = [newAccount(), newMailToken(change)];
  await store.createAccount(account, verification);
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
    ...change,
  };
}

/** More than any test reaches that is not about limits. */
export const KEY_LIMITS: KeyLimits = { active: 100, perDay: 100, total: 10_000 };

/** Every key of an account, as its list has them. */
export const keysOf = (store: Store, accountId: string) =>
  store.listApiKeys(accountId, "", KEY_LIMITS.total);

/** An account's units by day and key, both days included. */
export async function unitsOfDays(store: Store, accountId: string, first: string, last: string) {
  const nowMs = Date.parse(last);
  const days = (nowMs - Date.parse(first)) / 86_400_000 + 1;
  const read = createReadDailyUsage({ store, clock: { nowMs: () => nowMs } });
  return (await Array.fromAsync(read(accountId, days))).flat();
}

export function pairOf(text: string): Pair {
  const [base = "", quote = ""] = text.split("/");
  const pair = parsePair(base, quote);
  if (pair === undefined) throw new Error(`${text} is no pair`);
  return pair;
}

/** A rate as it goes into the store. */
export function newRate(pair: string, rate: string, time: string, source = "import") {
  const asOf = parseInstant(time);
  if (asOf === undefined) throw new Error(`${time} is no moment`);
  return { ...pairOf(pair), rate: rate as Decimal, asOf, source };
}

export const EUR_USD = newRate("EUR/USD", "1.1476", "2026-03-13T15:00:00Z");

/** A read of EUR/USD at the present, where nothing else is said. */
export function newRead(keyHash: string, change: { pair?: string; time?: string } = {}) {
  const { pair = "EUR/USD", time = NOW } = change;
  const nowMs = Date.parse(time);
  const read: RateRead = {
    keyHash,
    pair: pair === "" ? undefined : pairOf(pair),
    period: billingPeriodAt(nowMs),
    day: utcDay(nowMs),
  };
  return read;
}

/** A customer of the store: an account on a plan of its own, with one key. */
export async function newCustomer(store: Store, unitsPerPeriod: number) {
  const account = newAccount();
  const plan = `plan-${account.id}`;
  await store.setPlan({ name: plan, unitsPerPeriod });
  await store.createAccount({ ...account, plan }, newMailToken());
  const key = newKey(account.id);
  await store.createApiKey(key, KEY_LIMITS);
  return { accountId: account.id, email: account.email, plan, key, keyHash: key.keyHash };
}

/** Units of an account as they are counted by day and key: `2026-11-21 <key id>: 3`. */
export async function dailyUnits(engine: Engine, accountId: string): Promise<string[]> {
  const rows = await engine.query(
    "SELECT day, api_key_id, units FROM daily_usage WHERE account_id = $1 ORDER BY day, api_key_id",
    accountId,
  );
  return rows.map(({ day, api_key_id, units }) => `${day} ${api_key_id}: ${units}`);
}

/** The units that an account has used in a period. */
export async function usedUnits(store: Store, accountId: string, period = PERIOD.name) {
  return (await store.usageOf(accountId, period))?.usedUnits;
}

const textOf = (row: Row) => JSON.stringify(row);

/** All that a database holds, table by table: what must not change is compared by it. */
export async function contentsOf(engine: Engine): Promise<Record<string, Row[]>> {
  const contents: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const rows = await engine.query(`SELECT * FROM ${name}`);
    // A database promises no order.
    contents[name] = rows.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  return contents;
}

/** Lets any rate follow another that is not newer, however far it is from it. */
const judge = createUpdatePolicy({ activeSources: [], maxJump: "1000000" as Decimal });

export const storeRates = (store: Store, rates: readonly SourcedRate[]) =>
  store.storeRates(rates, judge, NOW);
