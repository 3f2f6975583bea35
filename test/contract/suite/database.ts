import { hash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { tables } from "../../../src/app/command-store.ts";
import type { Account } from "../../../src/customers/accounts/store.ts";
import type { KeyLimits, NewApiKey } from "../../../src/customers/api-keys/store.ts";
import {
  type BillingPeriod,
  billingPeriodAt,
  utcDay,
} from "../../../src/customers/billing/rules.ts";
import { createUsageReads } from "../../../src/customers/billing/usage.ts";
import type { IssuedToken } from "../../../src/customers/outbox/store.ts";
import type { NewInvitation } from "../../../src/customers/registration/store.ts";
import type { Session } from "../../../src/customers/sessions/store.ts";
import type { Decimal } from "../../../src/platform/shared/decimal.ts";
import { parseInstant } from "../../../src/platform/shared/instant.ts";
import type { Origin, OwnerOrigin } from "../../../src/platform/shared/origin.ts";
import type { Engine, Row } from "../../../src/platform/storage/engine.ts";
import type { Publication } from "../../../src/rates/served/history.ts";
import { type Pair, parsePair } from "../../../src/rates/served/rules/symbol.ts";
import {
  createUpdatePolicy,
  type SourcedRate,
  type UpdatePolicy,
} from "../../../src/rates/served/rules/update-policy.ts";
import type { RateUpdate } from "../../../src/rates/served/store.ts";
import type { BatchStore, RateRead } from "../../../src/reads/metering/store.ts";
import { headersOf } from "../../support/rates.ts";
import type { Store } from "../../support/stores.ts";

type TestEngine = Engine & BatchStore;

/** A new, migrated database; disposing it closes everything it opened and removes it. */
export interface TestDatabase extends AsyncDisposable {
  /** Opens a store as another node would. */
  openStore(): Store;
  /** Opens the store's engine on its own connection. */
  openEngine(): TestEngine;
  /** Removes a plan that accounts use, without checking foreign keys. */
  losePlan(name: string): Promise<void>;
  /** Runs a statement without checking foreign keys. */
  withoutForeignKeys(sql: string): Promise<void>;
  /** Sets the units of each key of an account on each day. */
  setDailyUnits(accountId: string, units: number): Promise<void>;
}

export type CreateDatabase = () => Promise<TestDatabase>;

/**
 * What a test does with a database of its own: with a node's store, an engine on another connection,
 * and another node's store.
 */
type Run = (
  store: Store,
  engine: TestEngine,
  other: Store,
  database: TestDatabase,
) => Promise<void>;

export type StoreTest = (title: string, run: Run) => void;

export const storeTestOn =
  (createDatabase: CreateDatabase): StoreTest =>
  (title, run) =>
    void test(title, async () => {
      await using database = await createDatabase();
      const { openStore, openEngine } = database;
      // Opens only what the test takes.
      const opens = [openStore, openEngine, openStore, () => database].slice(0, run.length);
      await run(...(opens.map((open) => open()) as unknown as Parameters<Run>));
    });

export const NOW = "2026-11-21T12:00:00.000Z";
export const PERIOD: BillingPeriod = billingPeriodAt(Date.parse(NOW));

/** The origin of an action of an account at a time. */
export const byAt = (at: string): Origin => ({
  actor: { kind: "account", address: "192.0.2.1" },
  at,
  newId,
});

/** The stored hash of a random secret. */
export const newHash = (): string => hash("sha256", randomBytes(32));

/** The origin of an action of a session at a time. */
export const bySession = ({ accountId, tokenHash }: Session, at = NOW): OwnerOrigin => ({
  ...byAt(at),
  session: { accountId, tokenHash },
});

let ids = 0;

/** A unique id; ids sort in order of creation. */
export const newId = (): string => `01a1fc7c-4ab2-7000-8000-${String(++ids).padStart(12, "0")}`;

/** An account's action at NOW. */
export const BY: Origin = byAt(NOW);

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
  newMailToken({
    purpose: "password_reset",
    expiresAt: "2026-11-21T13:00:00.000Z",
    ...change,
  });

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
    ...change,
  };
}

/** Limits that only tests about limits reach. */
export const KEY_LIMITS: KeyLimits = { active: 100, perDay: 100, total: 10_000 };

/** Every key of an account, in the order of its list. */
export const keysOf = (store: Store, accountId: string) =>
  store.keys.list(accountId, "", KEY_LIMITS.total);

/** An account's units by day and key, both days included. */
export async function unitsOfDays(store: Store, accountId: string, first: string, last: string) {
  const nowMs = Date.parse(last);
  const days = (nowMs - Date.parse(first)) / 86_400_000 + 1;
  const { readDays: read } = createUsageReads({ store, clock: { nowMs: () => nowMs } });
  return (await Array.fromAsync(read(accountId, days))).flat();
}

export function pairOf(text: string): Pair {
  const [base = "", quote = ""] = text.split("/");
  const pair = parsePair(base, quote);
  if (pair === undefined) throw new Error(`${text} is not a pair`);
  return pair;
}

/** A rate to store. */
export function newRate(pair: string, rate: string, time: string, source = "import") {
  const asOf = parseInstant(time);
  if (asOf === undefined) throw new Error(`${time} is not an instant`);
  return { ...pairOf(pair), rate: rate as Decimal, asOf, source };
}

export const EUR_USD = newRate("EUR/USD", "1.1476", "2026-03-13T15:00:00Z");

/** A read, by default of EUR/USD at NOW. @param change an empty pair reads only the quota. */
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

/** Uses two nodes in turn, at once. */
export const onTwoNodes = <Result>(
  [here, there]: readonly [Store, Store],
  count: number,
  use: (store: Store, index: number) => Promise<Result>,
) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => use(index % 2 === 0 ? here : there, index)),
  );

/** The units that an account has used in a period. */
export async function usedUnits(store: Store, accountId: string, period = PERIOD.name) {
  return (await store.usage.ofPeriod(accountId, period))?.usedUnits;
}

/** One field of each item. */
export const valuesOf = <Item, Key extends keyof Item>(items: readonly Item[], key: Key) =>
  items.map((item) => item[key]);

const textOf = (row: Row) => JSON.stringify(row);

/** All rows of a database by table, to assert that nothing changed. */
export async function contentsOf(engine: Engine): Promise<Record<string, Row[]>> {
  const contents: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const rows = await engine.query(`SELECT * FROM ${name}`);
    // Without ORDER BY the order of rows is undefined.
    contents[name] = rows.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  return contents;
}

/** Stores any rate that is not older than the stored one, whatever the jump. */
const decide = createUpdatePolicy({ rateSources: [], maxRateJump: "1000000" as Decimal });

/** What brings the rates of these tests: an import of its own each time. */
const PUBLICATION: Publication = {
  source: "import",
  receivedAt: NOW,
  documents: [{ name: "rates.csv", receivedAt: NOW, stored: undefined }],
};

/** Stores rates at NOW as the policy decides. */
export const updateRates = async (
  store: Store,
  rates: readonly SourcedRate[],
  policy: UpdatePolicy,
  change: Partial<RateUpdate> = {},
) => {
  const how = { policy, headersOf, publication: PUBLICATION, origin: BY, ...change };
  return (await store.rates.update(rates, how)).decisions;
};

export const storeRates = (store: Store, rates: readonly SourcedRate[]) =>
  updateRates(store, rates, decide);
