import { StoreUnavailable } from "../../../platform/shared/store.ts";
import {
  type PostgresEngine,
  ROLLBACK,
  type RunStatement,
} from "../../../platform/storage/postgres/engine.ts";
import { isIntegrityViolation, isUndone } from "../../../platform/storage/postgres/errors.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { BatchStore, RateRead, RateReadOutcome } from "../store.ts";
import { pastFigureOf } from "./past-figure.ts";
import { createKeyCache, createRateCache } from "./postgres-caches.ts";
import { type Counters, type Taken, takeUnits } from "./postgres-limits.ts";
import { type MeteredRead, meter, outcomeOf } from "./postgres-reads.ts";
import { type ChargedRow, isCharge, meteredBatchOf, pastValuesOf } from "./postgres-statement.ts";
import type { Grant } from "./take-unit.ts";

/**
 * An attempt fails only if a key, an account or a plan changes within its 1 ms. After these, the
 * batch locks the epoch and such changes wait, so that a client that makes them cannot stop reads.
 */
const FREE_ATTEMPTS = 3;

// Changes of keys, accounts and plans wait at their commit for the end of this transaction.
const KEEP_ACCESS = "SELECT epoch FROM read_epochs WHERE name = 'access' FOR SHARE";

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
    const wanted = new Map(reads.map((read) => [read.keyHash, read]));
    const { rows: keys, epoch } = await keyCache[find](run, wanted);
    const { outcomes, metered } = meter(reads, keys);
    if (metered.length === 0) return { outcomes, metered, ratesEpoch: undefined };
    const isLimited = metered.some(({ key }) => key.isLimited);
    const { access, rates: ratesEpoch } = isLimited
      ? await chargeTaken(run, first, metered, epoch, find === "search")
      : await charge(run, first, metered, epoch);
    keyCache.enter(access);
    return access === epoch ? { outcomes, metered, ratesEpoch } : undefined;
  };

  /**
   * Also undefined when a row that the charge refers to is gone, although its key was cached or has
   * just been found: nothing is charged, and no key is taken from the cache again.
   */
  const attemptFreely = (run: RunStatement, first: RateRead, reads: readonly RateRead[]) =>
    attempt(run, first, reads).catch(async (error: unknown) => {
      if (!isIntegrityViolation(error)) throw error;
      // Outside of a transaction it does nothing.
      await run(ROLLBACK, []);
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

/**
 * Takes the units of the reads first, and charges what they got, as `charge`: in two round trips.
 *
 * @param isInTransaction the caller has begun one, and commits it.
 */
async function chargeTaken(
  run: RunStatement,
  first: RateRead,
  metered: readonly MeteredRead[],
  epoch: number | undefined,
  isInTransaction: boolean,
): Promise<Pick<ChargedRow, "access" | "rates">> {
  const asked = metered.map(({ key, pair, nowMs }) => ({
    key,
    nowMs,
    isAsked: pair !== undefined,
  }));
  const [, { taken, accounts, counters }] = await Promise.all([
    isInTransaction ? undefined : run("BEGIN", []),
    takeUnits(run, first, asked),
  ]);
  for (const { account } of metered) {
    // The statement's bound: all that was taken fits.
    account.quotaUnits = accounts.get(account.id)?.usedUnits ?? 0;
    account.wantedUnits = 0;
  }
  for (const [index, read] of metered.entries()) {
    const got = taken[index];
    read.taken = got;
    if (isTaken(got?.by)) read.account.wantedUnits += 1;
    read.number = read.account.wantedUnits;
  }
  const charged = metered.filter((read) => isTaken(read.taken?.by));
  const [epochs] = await Promise.all([
    charge(run, first, charged, epoch, counters),
    isInTransaction ? undefined : run("COMMIT", []),
  ]);
  return epochs;
}

function isTaken(by: Taken["by"]): by is Grant | "plan" {
  return by === "plan" || typeof by === "object";
}

/** Runs the statement. @returns the epochs; the keys' is another when nothing was charged. */
async function charge(
  run: RunStatement,
  { period, day }: RateRead,
  metered: readonly MeteredRead[],
  epoch: number | undefined,
  counters?: Counters,
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
  const sql = meteredBatchOf(
    counters === undefined ? "plain" : "taken",
    asked.length === 0 ? "newest" : "past",
  );
  const { rows } = await run(sql, [
    ...values,
    ...(counters ?? []),
    ...(asked.length === 0 ? [] : pastValuesOf(asked)),
  ]);
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

/** The units are charged already: each of these reads fails alone (section 4). */
function failureOf(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  throw error;
}
