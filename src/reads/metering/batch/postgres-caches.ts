import { explainRejection } from "../../../customers/api-keys/rules.ts";
import type { KeyRejection } from "../../../platform/shared/caller.ts";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import { type Instant, timestamp } from "../../../platform/shared/instant.ts";
import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { RunStatement } from "../../../platform/storage/postgres/engine.ts";
import { servedRate } from "../../../rates/served/headers.ts";
import { type AssetSymbol, type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { RateRead } from "../store.ts";
import { capsOf, endMs, type KeyCap, type PlanQuota } from "./take-unit.ts";

/** The grants `g` that count in the period $2: some of their units are left, or were used in it. */
export const GRANTS_IN_PERIOD = `
  unit_grants g CROSS JOIN LATERAL (
    SELECT coalesce(sum(units), 0) AS units,
      coalesce(sum(units) FILTER (WHERE period = $2), 0) AS of_period
    FROM granted_usage WHERE grant_id = g.id
  ) used
  WHERE (used.of_period > 0 OR (g.revoked_at IS NULL AND used.units < g.units))`;

// Each statement reads rows and their epoch in one snapshot.
const FIND_KEYS = `
  SELECT e.epoch, k.key_hash, k.id, k.account_id, p.units_per_period AS quota,
    k.revoked_at, a.suspended_at, k.expires_at, coalesce(k.line, k.id) AS line,
    k.units_per_period, k.units_per_day, a.quota_units, a.quota_until, EXISTS (
      SELECT FROM ${GRANTS_IN_PERIOD} AND g.account_id = k.account_id
    ) AS has_grants
  FROM read_epochs e LEFT JOIN (
    api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN plans p ON p.name = a.plan
  ) ON k.key_hash = ANY ($1::text[])
  WHERE e.name = 'access'`;

const FIND_RATES = `
  SELECT e.epoch, r.base, r.quote, r.rate, r.as_of, r.source, r.suspended_at, r.headers
  FROM read_epochs e LEFT JOIN (
    unnest($1::text[], $2::text[]) AS s (base, quote)
    JOIN rates r ON r.base = s.base AND r.quote = s.quote
  ) ON true
  WHERE e.name = 'rates'`;

interface KeyRow {
  readonly epoch: number;
  readonly key_hash: string | null;
  readonly id: string;
  readonly account_id: string;
  readonly quota: number | null;
  readonly revoked_at: string | null;
  readonly suspended_at: string | null;
  readonly expires_at: string | null;
  readonly line: string;
  readonly units_per_period: number | null;
  readonly units_per_day: number | null;
  readonly quota_units: number | null;
  readonly quota_until: string | null;
  readonly has_grants: boolean;
}

interface RateRow {
  readonly epoch: number;
  readonly base: AssetSymbol;
  readonly quote: AssetSymbol;
  readonly rate: Decimal;
  readonly as_of: Instant;
  readonly source: string;
  readonly suspended_at: string | null;
  readonly headers: string | null;
}

/** A stored key. */
export interface KnownKey {
  readonly id: string;
  readonly accountId: string;
  /** Undefined when the account's plan is not stored. */
  readonly plan: PlanQuota | undefined;
  readonly expiresAtMs: number;
  /** The keys with which it shares its caps. */
  readonly line: string;
  readonly caps: readonly Pick<KeyCap, "span" | "quotaUnits">[];
  /** Whether more than its account's plan and units decide on its reads. */
  readonly isLimited: boolean;
  /** Unset for a key that may read until its end. */
  readonly rejection: KeyRejection | undefined;
}

export type KnownRate = ReturnType<typeof servedRate> | "suspended" | StoreUnavailable;

/** Limits the memory of one cache to about 30 MB; a full cache is cleared. */
const ENTRIES_MAX = 100_000;

/** Rows by name, all of one epoch of the database. Missing rows are searched for each time. */
export interface FoundRows<Value> {
  readonly rows: ReadonlyMap<string, Value>;
  /** Undefined when no row was wanted before the first search. */
  readonly epoch: number | undefined;
}

interface SearchedRows<Value> extends FoundRows<Value> {
  readonly epoch: number;
  /** The rows that a node may keep. */
  readonly lasting: Iterable<readonly [string, Value]>;
}

/**
 * The rows that a node knows. They are valid for as long as the database has their epoch: the
 * caller must compare it with the database's in the statement that charges.
 */
export class EpochCache<Wanted, Value> {
  #epoch: number | undefined;
  readonly #values = new Map<string, Value>();
  readonly #search;

  constructor(
    search: (
      run: RunStatement,
      wanted: ReadonlyMap<string, Wanted>,
    ) => Promise<SearchedRows<Value>>,
  ) {
    this.#search = search;
  }

  /** Finds rows in the cache, and the missing ones in the database. */
  async find(run: RunStatement, wanted: ReadonlyMap<string, Wanted>): Promise<FoundRows<Value>> {
    const epoch = this.#epoch;
    const rows = new Map<string, Value>();
    const missing = new Map<string, Wanted>();
    for (const [name, each] of wanted) {
      const known = this.#values.get(name);
      if (known === undefined) missing.set(name, each);
      else rows.set(name, known);
    }
    if (missing.size === 0) return { rows, epoch };
    const found = await this.search(run, missing);
    if (rows.size === 0) return found;
    if (found.epoch !== epoch) return this.search(run, wanted);
    for (const [name, row] of found.rows) rows.set(name, row);
    return { rows, epoch };
  }

  /** Finds rows in the database. */
  async search(run: RunStatement, wanted: ReadonlyMap<string, Wanted>): Promise<FoundRows<Value>> {
    const { rows, epoch, lasting } = await this.#search(run, wanted);
    this.enter(epoch);
    for (const [name, value] of lasting) {
      if (this.#values.size >= ENTRIES_MAX) this.#values.clear();
      this.#values.set(name, value);
    }
    return { rows, epoch };
  }

  /** Drops all rows unless they are of this epoch. */
  enter(epoch: number): void {
    if (epoch !== this.#epoch) this.#values.clear();
    this.#epoch = epoch;
  }

  clear(): void {
    this.#values.clear();
  }
}

/** Caches keys that may read by their hash. */
export function createKeyCache(): EpochCache<RateRead, KnownKey> {
  return new EpochCache(async (run, wanted) => {
    const [read] = wanted.values();
    const values = [[...wanted.keys()], read?.period.name];
    const found = (await run(FIND_KEYS, values)).rows as KeyRow[];
    const rows = new Map<string, KnownKey>();
    for (const row of found) {
      if (row.key_hash !== null) rows.set(row.key_hash, knownKey(row, read?.nowMs ?? 0));
    }
    const lasting = [...rows].filter(([, key]) => {
      return key.plan !== undefined && key.rejection === undefined;
    });
    return { rows, epoch: epochOf(found), lasting };
  });
}

function knownKey(row: KeyRow, nowMs: number): KnownKey {
  const { id, account_id: accountId, line, expires_at: expiresAt, revoked_at: revokedAt } = row;
  const mayRead = revokedAt === null && row.suspended_at === null;
  const rejection = mayRead
    ? undefined
    : explainRejection({ revokedAt, expiresAt }, timestamp(nowMs));
  const untilMs = endMs(row.quota_until);
  const own = row.quota_units === null ? undefined : { units: row.quota_units, untilMs };
  const plan = row.quota === null ? undefined : { planUnits: row.quota, own };
  const caps = capsOf(row.units_per_period, row.units_per_day);
  const isLimited = caps.length > 0 || row.has_grants || (own !== undefined && untilMs < Infinity);
  return { id, accountId, plan, expiresAtMs: endMs(expiresAt), line, caps, isLimited, rejection };
}

/**
 * Caches the rates of pairs by the pair's name. A pair without a row is not supported. A search
 * finds both directions: the response to a read of an unsupported pair names the other one.
 */
export function createRateCache(): EpochCache<Pair, KnownRate> {
  return new EpochCache(async (run, wanted) => {
    const bases = [...wanted.values()].map(({ base }) => base);
    const quotes = [...wanted.values()].map(({ quote }) => quote);
    const directions = [bases.concat(quotes), quotes.concat(bases)];
    const found = (await run(FIND_RATES, directions)).rows as RateRow[];
    const rows = new Map<string, KnownRate>();
    for (const row of found) if (isRate(row)) rows.set(pairName(row), rateOf(row));
    const lasting = [...rows].filter(([, rate]) => !(rate instanceof StoreUnavailable));
    return { rows, epoch: epochOf(found), lasting };
  });
}

function epochOf([row]: readonly { readonly epoch: number }[]): number {
  if (row === undefined) throw new StoreUnavailable(new Error("read_epochs lacks a row"));
  return row.epoch;
}

/** The epoch comes with one row without a rate when none of the pairs has one. */
function isRate(row: RateRow): boolean {
  return row.base !== null;
}

/** A rate that cannot be read becomes a failure: its unit is still charged (section 4). */
function rateOf({ as_of: asOf, suspended_at, headers, ...rate }: RateRow): KnownRate {
  if (suspended_at !== null) return "suspended";
  try {
    return servedRate({ ...rate, asOf }, headers);
  } catch (error) {
    return new StoreUnavailable(error);
  }
}
