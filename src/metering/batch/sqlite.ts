import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parseHeaders } from "../../rates/headers.ts";
import type { ServedRate } from "../../rates/rules/rate.ts";
import type { Pair } from "../../rates/rules/symbol.ts";
import type { Decimal } from "../../shared/decimal.ts";
import type { Instant } from "../../shared/instant.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import { ACTIVE_KEY } from "../../storage/columns.ts";
import type { SqliteEngine } from "../../storage/sqlite/engine.ts";
import { isCorruption } from "../../storage/sqlite/errors.ts";
import type { RowCache } from "../../storage/sqlite/row-cache.ts";
import type { BatchStore, RateFound, RateRead, RateReadOutcome } from "../store.ts";
import { prepareCharges } from "./sqlite-charges.ts";
import { readWithoutQuota } from "./without-quota.ts";

const FIND_KEY = `
  SELECT number, account_id FROM api_keys WHERE key_hash = ?1 AND ${ACTIVE_KEY}`;

const FIND_QUOTA = `
  SELECT a.number, p.units_per_period, coalesce(u.units, 0), a.suspended_at IS NOT NULL
  FROM accounts a
  JOIN plans p ON p.name = a.plan
  LEFT JOIN charged_units u
    ON u.period = ?2 AND u.account = a.number AND u.day = 0 AND u.api_key = 0
  WHERE a.id = ?1`;

const FIND_RATE = `
  SELECT rate, as_of, suspended_at, headers FROM rates WHERE base = ?1 AND quote = ?2`;

type KeyRow = [number: number, accountId: string];
type QuotaRow = [account: number, quotaUnits: number, usedUnits: number, isSuspended: 0 | 1];
type RateRow = [rate: Decimal, asOf: Instant, suspendedAt: string | null, headers: string | null];

/** An account in a batch: its usage at the batch's start, and the units granted since. */
interface Account {
  readonly number: number;
  readonly quotaUnits: number;
  readonly usedUnits: number;
  readonly isSuspended: boolean;
  grantedUnits: number;
  /** By the key's number. */
  readonly grantedByKey: Map<number, number>;
}

export function createSqliteBatches(engine: SqliteEngine): BatchStore {
  return { readBatch: engine.prepareTransaction(prepareBatch) };
}

/**
 * Prepares the metered batch of a database: it looks up every key, grants units in order of arrival
 * within each account's remaining quota, reads the rates, then adds the units by account and period
 * and by key and day. It runs inside the caller's write transaction, after the row cache was
 * revalidated. Keys and rates come from the cache; quotas and charges always from the database.
 */
function prepareBatch(
  database: DatabaseSync,
  cache: RowCache,
): (reads: readonly RateRead[]) => RateReadOutcome[] {
  const findQuota = rowsAsArrays(database.prepare(FIND_QUOTA));
  const chargesOf = prepareCharges(database);
  const keyRow = rowsAsArrays(database.prepare(FIND_KEY));
  const rateRow = rowsAsArrays(database.prepare(FIND_RATE));
  const findKey = cache.of(
    (keyHash: string) => keyHash,
    (keyHash) => keyRow.get(keyHash) as KeyRow | undefined,
  );
  const findRate = cache.of(
    ({ base, quote }: Pair) => `${base}/${quote}`,
    ({ base, quote }): ServedRate | "suspended" | undefined => {
      const row = rateRow.get(base, quote) as RateRow | undefined;
      if (row === undefined) return undefined;
      const [rate, asOf, suspendedAt, headers] = row;
      if (suspendedAt !== null) return "suspended";
      return { base, quote, rate, asOf, headers: parseHeaders(headers) };
    },
  );

  return (reads) => {
    const [first] = reads;
    if (first === undefined) return [];
    const { period, day } = first;
    const accounts = new Map<string, Account>();

    const accountOf = (accountId: string): Account | undefined => {
      const known = accounts.get(accountId);
      if (known !== undefined) return known;
      const row = findQuota.get(accountId, period.name) as unknown as QuotaRow | undefined;
      if (row === undefined) return undefined;
      const account = {
        number: row[0],
        quotaUnits: row[1],
        usedUnits: row[2],
        isSuspended: row[3] === 1,
        grantedUnits: 0,
        grantedByKey: new Map<number, number>(),
      };
      accounts.set(accountId, account);
      return account;
    };

    const outcomes = reads.map(({ keyHash, pair }): RateReadOutcome => {
      const key = findKey(keyHash);
      if (key === undefined) return undefined;
      const [keyNumber, accountId] = key;
      const account = accountOf(accountId);
      if (account === undefined) return readWithoutQuota(accountId, pair);
      if (account.isSuspended) return undefined;
      const { quotaUnits } = account;
      const usedUnits = account.usedUnits + account.grantedUnits;
      if (pair === undefined) return { quota: { quotaUnits, usedUnits }, found: "no_pair" };
      if (usedUnits >= quotaUnits) return { quota: { quotaUnits, usedUnits }, found: "exhausted" };
      account.grantedUnits += 1;
      account.grantedByKey.set(keyNumber, (account.grantedByKey.get(keyNumber) ?? 0) + 1);
      const quota = { quotaUnits, usedUnits: usedUnits + 1 };
      return { quota, found: readRate(findRate, pair) };
    });

    const charges = chargesOf(day);
    for (const { number, grantedUnits, grantedByKey } of accounts.values()) {
      if (grantedUnits > 0) charges.addToPeriod(number, grantedUnits);
      for (const [key, units] of grantedByKey) charges.addToDay(number, key, units);
    }
    charges.write();
    return outcomes;
  };
}

/** A rate that cannot be read becomes a failure: its unit is still charged (section 4). */
function readRate(
  findRate: (pair: Pair) => ServedRate | "suspended" | undefined,
  pair: Pair,
): RateFound {
  try {
    return findRate(pair) ?? "unsupported";
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
