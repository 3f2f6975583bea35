import type { DatabaseSync } from "node:sqlite";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import type { Instant } from "../../../platform/shared/instant.ts";
import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { SqliteEngine } from "../../../platform/storage/sqlite/engine.ts";
import { isCorruption } from "../../../platform/storage/sqlite/errors.ts";
import type { RowCache } from "../../../platform/storage/sqlite/row-cache.ts";
import { servedRate } from "../../../rates/served/headers.ts";
import type { ServedRate } from "../../../rates/served/rules/rate.ts";
import type { Pair } from "../../../rates/served/rules/symbol.ts";
import type { BatchStore, PastSearch, RateFound, RateRead, RateReadOutcome } from "../store.ts";
import { lastFigure, type PastFigureRow, pastFigureOf } from "./past-figure.ts";
import { isServed, rateFound } from "./rate-found.ts";
import { prepareCharges } from "./sqlite-charges.ts";
import { type Key, prepareKeys, rowsAsArrays } from "./sqlite-keys.ts";
import { type Grant, keyQuotasOf, quotaOf, takeUnit } from "./take-unit.ts";
import { readWithoutQuota } from "./without-quota.ts";

const FIND_RATE = `
  SELECT rate, as_of, source, suspended_at, headers FROM rates WHERE base = ?1 AND quote = ?2`;

const pastValues = {
  ...{ base: "?1", quote: "?2", source: "?3", kind: "?4" },
  ...{ asOf: "?5", rate: "?6", latest: "?7", date: "?8" },
};
const LAST_BY_TIME = lastFigure("time", pastValues);
const LAST_BY_DATE = lastFigure("date", pastValues);

type RateRow = [
  rate: Decimal,
  asOf: Instant,
  source: string,
  suspendedAt: string | null,
  headers: string | null,
];

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
    const { day } = first;
    const charged = new Map<Key, number>();
    const granted = new Map<Grant, number>();

    const outcomes = reads.map(({ keyHash, pair, past, nowMs }): RateReadOutcome => {
      const key = findKey(keyHash, first);
      if (key === "unknown") return undefined;
      if ("rejection" in key) return key;
      const { account, line } = key;
      const { id: accountId } = account;
      if (nowMs >= key.expiresAtMs) {
        return { accountId, quota: undefined, found: undefined, rejection: "expired" };
      }
      if (!account.isPlanStored) return readWithoutQuota(accountId, pair);
      const taken = pair && takeUnit(account, line.caps, nowMs);
      const quota = quotaOf(account, nowMs);
      const keyQuotas = keyQuotasOf(line.caps);
      if (pair === undefined || taken === undefined) {
        return { accountId, quota, keyQuotas, found: "no_pair" };
      }
      if (taken === "exhausted" || taken === "key_exhausted") {
        return { accountId, quota, keyQuotas, found: taken };
      }
      charged.set(key, (charged.get(key) ?? 0) + 1);
      if (typeof taken === "object") granted.set(taken, (granted.get(taken) ?? 0) + 1);
      return { accountId, quota, keyQuotas, found: findRate(pair, past) };
    });

    const charges = chargesOf(day);
    for (const [{ number, account }, units] of charged) {
      charges.addToPeriod(account.number, units);
      charges.addToDay(account.number, number, units);
    }
    for (const [{ id }, units] of granted) charges.addToGrant(id, units);
    charges.write();
    return outcomes;
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
