import type { DatabaseSync, StatementSync } from "node:sqlite";
import { explainRejection } from "../../../customers/api-keys/rules.ts";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import type { Instant } from "../../../platform/shared/instant.ts";
import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { SqliteEngine } from "../../../platform/storage/sqlite/engine.ts";
import { isCorruption } from "../../../platform/storage/sqlite/errors.ts";
import type { RowCache } from "../../../platform/storage/sqlite/row-cache.ts";
import { servedRate } from "../../../rates/served/headers.ts";
import type { ServedRate } from "../../../rates/served/rules/rate.ts";
import type { Pair } from "../../../rates/served/rules/symbol.ts";
import type {
  BatchStore,
  PastSearch,
  RateFound,
  RateRead,
  RateReadOutcome,
  RejectedRead,
} from "../store.ts";
import { lastFigure, type PastFigureRow, pastFigureOf } from "./past-figure.ts";
import { isServed, rateFound } from "./rate-found.ts";
import { prepareCharges } from "./sqlite-charges.ts";
import { readWithoutQuota } from "./without-quota.ts";

// A statement of its own: joined with the plan and the usage, it rejected unknown keys 12 % slower.
const FIND_KEY = "SELECT api_key, account, plan FROM usable_keys WHERE digest = unhex(?1)";

const FIND_QUOTA = "SELECT units_per_period FROM plans WHERE name = ?1";

const FIND_USED_UNITS = `
  SELECT units FROM charged_units
  WHERE period = ?1 AND account = ?2 AND day = 0 AND api_key = 0`;

const FIND_REJECTED_KEY = "SELECT account_id, revoked_at FROM api_keys WHERE key_hash = ?1";

const FIND_ACCOUNT_ID = "SELECT id FROM accounts WHERE number = ?1";

const FIND_RATE = `
  SELECT rate, as_of, source, suspended_at, headers FROM rates WHERE base = ?1 AND quote = ?2`;

/** A client with an old key sends it over and over; one that guesses keys uses little memory. */
const OTHER_KEYS_MAX = 1000;

const pastValues = {
  ...{ base: "?1", quote: "?2", source: "?3", kind: "?4" },
  ...{ asOf: "?5", rate: "?6", latest: "?7", date: "?8" },
};
const LAST_BY_TIME = lastFigure("time", pastValues);
const LAST_BY_DATE = lastFigure("date", pastValues);

type KeyRow = [apiKey: number, account: number, plan: string];
type RateRow = [
  rate: Decimal,
  asOf: Instant,
  source: string,
  suspendedAt: string | null,
  headers: string | null,
];

/** A cached account. Batches change its usage as they charge it, so its keys share one object. */
interface Account {
  readonly id: string;
  readonly number: number;
  /** Missing when the account's plan is not stored. */
  readonly quotaUnits: number | undefined;
  period: string;
  usedUnits: number;
}

interface Key {
  readonly number: number;
  readonly account: Account;
}

export function createSqliteBatches(engine: SqliteEngine): BatchStore {
  return { readBatch: engine.prepareTransaction(prepareBatch) };
}

/**
 * Prepares the metered batch of a database: it looks up every key, grants units in order of arrival
 * within each account's remaining quota, reads the rates, then adds the units by account and period
 * and by key and day. It runs inside the caller's write transaction, after the row cache was
 * revalidated. Keys, accounts with their usage and rates come from the cache. If the batch fails,
 * the engine drops the usage that was counted in the cache and never stored.
 */
function prepareBatch(
  database: DatabaseSync,
  cache: RowCache,
): (reads: readonly RateRead[]) => RateReadOutcome[] {
  const chargesOf = prepareCharges(database);
  const findKey = prepareKeys(database, cache);
  const rateRow = rowsAsArrays(database.prepare(FIND_RATE));
  const findStored = cache.of(
    ({ base, quote }: Pair) => `${base}/${quote}`,
    ({ base, quote }): RateFound | undefined => {
      const row = rateRow.get(base, quote) as RateRow | undefined;
      if (row === undefined) return undefined;
      const [rate, asOf, source, suspendedAt, headers] = row;
      if (suspendedAt !== null) return "suspended";
      return servedRate({ base, quote, rate, asOf, source }, headers);
    },
  );
  const byTime = database.prepare(LAST_BY_TIME);
  const byDate = database.prepare(LAST_BY_DATE);
  const findPast = (served: ServedRate, { latest, date, servedKinds }: PastSearch): RateFound => {
    const { base, quote, source, asOf, rate } = served;
    const kind = servedKinds[source] ?? "middle";
    // The time of the served rate bounds the search from the start.
    const values = [base, quote, source, kind, asOf, rate, latest < asOf ? latest : asOf];
    const row = date === undefined ? byTime.get(...values) : byDate.get(...values, date);
    return row === undefined ? "no_figure" : pastFigureOf(served, row as unknown as PastFigureRow);
  };
  const findRate = (pair: Pair, past: PastSearch | undefined): RateFound => {
    const found = rateFound(pair, (wanted) => readable(() => findStored(wanted)));
    return past !== undefined && isServed(found) ? readable(() => findPast(found, past)) : found;
  };

  return (reads) => {
    const [first] = reads;
    if (first === undefined) return [];
    const { period, day } = first;
    const grants = new Map<Key, number>();

    const outcomes = reads.map(({ keyHash, pair, past }): RateReadOutcome => {
      const key = findKey(keyHash, period.name);
      if (key === "unknown") return undefined;
      if ("rejection" in key) return key;
      const { account } = key;
      const { id: accountId, quotaUnits, usedUnits } = account;
      if (quotaUnits === undefined) return readWithoutQuota(accountId, pair);
      if (pair === undefined || usedUnits >= quotaUnits) {
        const found = pair === undefined ? "no_pair" : "exhausted";
        return { accountId, quota: { quotaUnits, usedUnits }, found };
      }
      account.usedUnits += 1;
      grants.set(key, (grants.get(key) ?? 0) + 1);
      const quota = { quotaUnits, usedUnits: usedUnits + 1 };
      return { accountId, quota, found: findRate(pair, past) };
    });

    const charges = chargesOf(day);
    for (const [{ number, account }, units] of grants) {
      charges.addToPeriod(account.number, units);
      charges.addToDay(account.number, number, units);
    }
    charges.write();
    return outcomes;
  };
}

/** A key that may not read, as it is cached. */
type OtherKey = RejectedRead | "unknown";

/** Prepares the search for a key, with its account's usage in a period if it may read. */
function prepareKeys(
  database: DatabaseSync,
  cache: RowCache,
): (keyHash: string, period: string) => Key | OtherKey {
  const keyRow = rowsAsArrays(database.prepare(FIND_KEY));
  const quotaRow = rowsAsArrays(database.prepare(FIND_QUOTA));
  const unitsRow = rowsAsArrays(database.prepare(FIND_USED_UNITS));
  const accountIdRow = rowsAsArrays(database.prepare(FIND_ACCOUNT_ID));
  const rejectedRow = rowsAsArrays(database.prepare(FIND_REJECTED_KEY));
  const keys = cache.map<string, Key>();
  const otherKeys = cache.map<string, OtherKey>();
  const accounts = cache.map<number, Account>();
  const quotaOf = cache.of(
    (plan: string) => plan,
    (plan) => (quotaRow.get(plan) as unknown as [number] | undefined)?.[0],
  );
  const usedUnitsOf = (account: number, period: string): number =>
    (unitsRow.get(period, account) as unknown as [number] | undefined)?.[0] ?? 0;

  const otherKey = (keyHash: string): OtherKey => {
    const row = rejectedRow.get(keyHash) as unknown as [string, string | null] | undefined;
    if (row === undefined) return "unknown";
    const [accountId, revokedAt] = row;
    const rejection = explainRejection(revokedAt);
    return { accountId, quota: undefined, found: undefined, rejection };
  };

  const findKey = (keyHash: string, period: string): Key | OtherKey => {
    const row = keyRow.get(keyHash) as unknown as KeyRow | undefined;
    if (row === undefined) {
      const other = otherKey(keyHash);
      if (otherKeys.size >= OTHER_KEYS_MAX) otherKeys.clear();
      otherKeys.set(keyHash, other);
      return other;
    }
    const [apiKey, number, plan] = row;
    let account = accounts.get(number);
    if (account === undefined) {
      const usedUnits = usedUnitsOf(number, period);
      const [id] = accountIdRow.get(number) as unknown as [string];
      account = { id, number, quotaUnits: quotaOf(plan), period, usedUnits };
      accounts.set(number, account);
    }
    const key = { number: apiKey, account };
    keys.set(keyHash, key);
    return key;
  };

  return (keyHash, period) => {
    const key = keys.get(keyHash) ?? otherKeys.get(keyHash) ?? findKey(keyHash, period);
    if (key === "unknown" || "rejection" in key) return key;
    // Within a period, an account's usage includes what this batch has granted by its other keys.
    if (key.account.period !== period) {
      key.account.usedUnits = usedUnitsOf(key.account.number, period);
      key.account.period = period;
    }
    return key;
  };
}

/** A rate that cannot be read becomes a failure: its unit is still charged (section 4). */
function readable<Found>(find: () => Found): Found | StoreUnavailable {
  try {
    return find();
  } catch (error) {
    // Nothing is charged in a corrupt file: its other tables may be damaged, too.
    if (isCorruption(error)) throw error;
    return new StoreUnavailable(error);
  }
}

function rowsAsArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
