import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { PostgresEngine, RunStatement } from "../../../platform/storage/postgres/engine.ts";
import { isIntegrityViolation, isUndone } from "../../../platform/storage/postgres/errors.ts";
import type { PastFigure } from "../../../rates/served/rules/past.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { BatchStore, PastSearch, RateRead, RateReadOutcome } from "../store.ts";
import { pastFigureOf } from "./past-figure.ts";
import {
  createKeyCache,
  createRateCache,
  type FoundRows,
  type KnownKey,
  type KnownRate,
} from "./postgres-caches.ts";
import {
  type ChargedRow,
  isCharge,
  METERED_BATCH,
  METERED_PAST_BATCH,
  pastValuesOf,
} from "./postgres-statement.ts";
import { isServed, rateFound } from "./rate-found.ts";
import { readWithoutQuota } from "./without-quota.ts";

/**
 * An attempt fails only if a key, an account or a plan changes within its 1 ms. After these, the
 * batch locks the epoch and such changes wait, so that a client that makes them cannot stop reads.
 */
const FREE_ATTEMPTS = 3;

// Changes of keys, accounts and plans wait at their commit for the end of this transaction.
const KEEP_ACCESS = "SELECT epoch FROM read_epochs WHERE name = 'access' FOR SHARE";

/** An account in a batch. */
interface Account {
  readonly id: string;
  readonly quotaUnits: number;
  wantedUnits: number;
  /** Its usage before the batch, and the units that the batch got. */
  usedUnits: number;
  grantedUnits: number;
}

/** A read of an active key whose account has a quota. */
interface MeteredRead {
  readonly index: number;
  readonly key: KnownKey;
  readonly account: Account;
  readonly pair: Pair | undefined;
  readonly past: PastSearch | undefined;
  /** Of a read of a past time, once it is found. */
  figure?: PastFigure;
  /** Its number among its account's reads of pairs, or the number of those before it. */
  readonly number: number;
}

/** Charges and serves the reads of one day, in order of arrival, with one statement. */
export type MeteredBatch = (
  run: RunStatement,
  reads: readonly RateRead[],
) => Promise<RateReadOutcome[]>;

export function createPostgresBatches(engine: PostgresEngine): BatchStore {
  const batch = createMeteredBatch();
  return {
    async readBatch(reads) {
      if (reads.length === 0) return [];
      let isSent = false;
      const serve = (run: RunStatement) => {
        const runWatched: RunStatement = (sql, values) => {
          isSent ||= isCharge(sql);
          return run(sql, values);
        };
        return batch(runWatched, reads);
      };
      try {
        return await engine.withPriorityConnection(serve);
      } catch (error) {
        const isKnown = !isSent || !(error instanceof StoreUnavailable) || isUndone(error.cause);
        throw isKnown ? error : new StoreUnavailable(error.cause, true);
      }
    },
  };
}

export function createMeteredBatch(): MeteredBatch {
  const keyCache = createKeyCache();
  const rateCache = createRateCache();

  /** @returns undefined when the keys have changed: nothing is charged. */
  const attempt = async (
    run: RunStatement,
    first: RateRead,
    reads: readonly RateRead[],
    find: "find" | "search" = "find",
  ) => {
    const hashes = new Map(reads.map(({ keyHash }) => [keyHash, undefined]));
    const { rows: keys, epoch } = await keyCache[find](run, hashes);
    const { outcomes, metered } = meter(reads, keys);
    if (metered.length === 0) return { outcomes, metered, ratesEpoch: undefined };
    const { access, rates: ratesEpoch } = await charge(run, first, metered, epoch);
    keyCache.enter(access);
    return access === epoch ? { outcomes, metered, ratesEpoch } : undefined;
  };

  /**
   * Also undefined when a row that the charge refers to is gone, although its key was cached or has
   * just been found: nothing is charged, and no key is taken from the cache again.
   */
  const attemptFreely = (run: RunStatement, first: RateRead, reads: readonly RateRead[]) =>
    attempt(run, first, reads).catch((error: unknown) => {
      if (!isIntegrityViolation(error)) throw error;
      keyCache.clear();
      return undefined;
    });

  const attemptWithLock = async (
    run: RunStatement,
    first: RateRead,
    reads: readonly RateRead[],
  ) => {
    await run("BEGIN", []);
    await run(KEEP_ACCESS, []);
    // The cache may be of another epoch.
    const charged = await attempt(run, first, reads, "search");
    await run("COMMIT", []);
    return charged;
  };

  const serve: MeteredBatch = async (run, reads) => {
    const [first] = reads;
    if (first === undefined) return [];
    const pairs = new Map<string, Pair>();
    for (const { pair } of reads) if (pair !== undefined) pairs.set(pairName(pair), pair);
    // A failure to read the rates comes before the charge where possible.
    const found = await rateCache.find(run, pairs);
    let charged: Awaited<ReturnType<typeof attempt>>;
    for (let free = 0; charged === undefined && free < FREE_ATTEMPTS; free += 1) {
      charged = await attemptFreely(run, first, reads);
    }
    charged ??= await attemptWithLock(run, first, reads);
    if (charged === undefined) throw new StoreUnavailable(new Error("the epoch is not locked"));
    const { outcomes, metered, ratesEpoch } = charged;
    if (metered.length === 0) return outcomes;
    const isCurrent = pairs.size === 0 || found.epoch === ratesEpoch;
    const rates = isCurrent ? found : await rateCache.search(run, pairs).catch(failureOf);
    for (const read of metered) outcomes[read.index] = outcomeOf(read, rates);
    return outcomes;
  };

  return (run, reads) =>
    serve(run, reads).catch((error: unknown) => {
      // The database may be another one now, or one that is being restored.
      keyCache.clear();
      rateCache.clear();
      throw error;
    });
}

/** Runs the statement. @returns the epochs; the keys' is another when nothing was charged. */
async function charge(
  run: RunStatement,
  { period, day }: RateRead,
  metered: readonly MeteredRead[],
  epoch: number | undefined,
): Promise<Pick<ChargedRow, "access" | "rates">> {
  const accounts = [...new Set(metered.map(({ account }) => account))];
  const charged = metered.filter(({ pair }) => pair !== undefined);
  const asked = charged.flatMap(({ pair, past }, index) =>
    pair === undefined || past === undefined ? [] : [{ ...pair, ...past, index }],
  );
  const values = [
    accounts.map(({ id }) => id),
    accounts.map(({ wantedUnits }) => wantedUnits),
    accounts.map(({ quotaUnits }) => quotaUnits),
    period.name,
    day,
    charged.map(({ account }) => account.id),
    charged.map(({ key }) => key.id),
    charged.map(({ number }) => number),
    epoch,
  ];
  const { rows } = await (asked.length === 0
    ? run(METERED_BATCH, values)
    : run(METERED_PAST_BATCH, [...values, ...pastValuesOf(asked)]));
  const [first] = rows as ChargedRow[];
  if (first === undefined) throw new StoreUnavailable(new Error("a batch returned no row"));
  for (const { place, granted, used, past } of rows as ChargedRow[]) {
    for (const { index, figure } of past ?? []) {
      const read = charged[index];
      if (read?.pair !== undefined) read.figure = pastFigureOf(read.pair, figure);
    }
    const account = accounts[(place ?? 0) - 1];
    if (account === undefined) continue;
    account.grantedUnits = granted;
    account.usedUnits = used;
  }
  return first;
}

/** Numbers the reads of each account, in order of arrival. The outcomes of the others are known. */
function meter(reads: readonly RateRead[], keys: ReadonlyMap<string, KnownKey>) {
  const outcomes: RateReadOutcome[] = reads.map(() => undefined);
  const accounts = new Map<string, Account>();
  const metered: MeteredRead[] = [];
  for (const [index, { keyHash, pair, past }] of reads.entries()) {
    const key = keys.get(keyHash);
    if (key === undefined) continue;
    const { accountId: id, quotaUnits, rejection } = key;
    if (rejection !== undefined) {
      outcomes[index] = { accountId: id, quota: undefined, found: undefined, rejection };
      continue;
    }
    if (quotaUnits === undefined) {
      outcomes[index] = readWithoutQuota(id, pair);
      continue;
    }
    const account = accounts.getOrInsertComputed(id, () => {
      return { id, quotaUnits, wantedUnits: 0, usedUnits: 0, grantedUnits: 0 };
    });
    if (pair !== undefined) account.wantedUnits += 1;
    metered.push({ index, key, account, pair, past, number: account.wantedUnits });
  }
  return { outcomes, metered };
}

function outcomeOf(
  { account, pair, past, figure, number }: MeteredRead,
  rates: FoundRows<KnownRate> | StoreUnavailable,
): RateReadOutcome {
  const { id: accountId, quotaUnits } = account;
  const usedUnits = account.usedUnits + Math.min(number, account.grantedUnits);
  if (pair === undefined) return { accountId, quota: { quotaUnits, usedUnits }, found: "no_pair" };
  // Another node may have charged the last unit since the statement's snapshot.
  if (number > account.grantedUnits) {
    return {
      accountId,
      quota: { quotaUnits, usedUnits: Math.max(usedUnits, quotaUnits) },
      found: "exhausted",
    };
  }
  const found =
    rates instanceof StoreUnavailable
      ? rates
      : rateFound(pair, (wanted) => rates.rows.get(pairName(wanted)));
  const isPast = past !== undefined && isServed(found);
  const result = isPast ? (figure ?? "no_figure") : found;
  return { accountId, quota: { quotaUnits, usedUnits }, found: result };
}

/** The units are charged already: each of these reads fails alone (section 4). */
function failureOf(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  throw error;
}
