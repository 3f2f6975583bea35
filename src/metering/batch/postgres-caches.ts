import type { PoolClient } from "pg";
import { parseHeaders } from "../../rates/headers.ts";
import type { ServedRate } from "../../rates/rules/rate.ts";
import { type AssetSymbol, type Pair, pairName } from "../../rates/rules/symbol.ts";
import type { Decimal } from "../../shared/decimal.ts";
import type { Instant } from "../../shared/instant.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import { ACTIVE_KEY } from "../../storage/columns.ts";
import type { RunStatement } from "../../storage/postgres/engine.ts";

// Each statement reads rows and their epoch in one snapshot.
const FIND_KEYS = `
  SELECT e.epoch, k.key_hash, k.id, k.account_id, p.units_per_period AS quota,
    a.suspended_at IS NOT NULL AS is_suspended
  FROM read_epochs e LEFT JOIN (
    api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN plans p ON p.name = a.plan
  ) ON k.key_hash = ANY ($1::text[]) AND k.${ACTIVE_KEY}
  WHERE e.name = 'access'`;

const FIND_RATES = `
  SELECT e.epoch, r.base, r.quote, r.rate, r.as_of, r.suspended_at, r.headers
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
  readonly is_suspended: boolean;
}

interface RateRow {
  readonly epoch: number;
  readonly base: AssetSymbol | null;
  readonly quote: AssetSymbol;
  readonly rate: Decimal;
  readonly as_of: Instant;
  readonly suspended_at: string | null;
  readonly headers: string | null;
}

/** An active key. */
export interface KnownKey {
  readonly id: string;
  readonly accountId: string;
  /** Undefined when the account's plan is not stored. */
  readonly quotaUnits: number | undefined;
  readonly isSuspended: boolean;
}

export type KnownRate = ServedRate | "unsupported" | "suspended" | StoreUnavailable;

/** Limits the memory of one cache to about 30 MB; a full cache is cleared. */
const ENTRIES_MAX = 100_000;

/** Rows of one epoch by name: valid for as long as the database has that epoch. */
class EpochCache<Value> {
  /** Undefined before the first row. */
  epoch: number | undefined;
  readonly #values = new Map<string, Value>();

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: Value): void {
    if (this.#values.size >= ENTRIES_MAX) this.#values.clear();
    this.#values.set(name, value);
  }

  /** Drops all rows unless they are of this epoch. */
  enter(epoch: number): void {
    if (epoch !== this.epoch) this.#values.clear();
    this.epoch = epoch;
  }
}

interface FoundKeys {
  /** The active ones, by their hash, all of one epoch. */
  readonly keys: ReadonlyMap<string, KnownKey>;
  readonly epoch: number | undefined;
}

export type FindKeys = (client: PoolClient, hashes: ReadonlySet<string>) => Promise<FoundKeys>;

/**
 * The keys that a node knows. The caller must compare their epoch with the database's when it
 * charges for them. Keys that grant nothing are searched for each time.
 */
export class KeyCache {
  readonly #cache = new EpochCache<KnownKey>();
  readonly #run;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  /** Finds keys in the cache, and the missing ones in the database. */
  readonly find: FindKeys = async (client, hashes) => {
    const { epoch } = this.#cache;
    const keys = new Map<string, KnownKey>();
    const missing = new Set<string>();
    for (const hash of hashes) {
      const known = this.#cache.get(hash);
      if (known === undefined) missing.add(hash);
      else keys.set(hash, known);
    }
    if (missing.size === 0) return { keys, epoch };
    const found = await this.search(client, missing);
    if (found.epoch !== epoch) return this.search(client, hashes);
    for (const [hash, key] of found.keys) keys.set(hash, key);
    return { keys, epoch };
  };

  /** Finds keys in the database. */
  readonly search: FindKeys = async (client, hashes) => {
    const rows = (await this.#run(client, FIND_KEYS, [[...hashes]])).rows as KeyRow[];
    const epoch = epochOf(rows);
    this.#cache.enter(epoch);
    const keys = new Map<string, KnownKey>();
    for (const { key_hash: hash, id, account_id: accountId, quota, is_suspended } of rows) {
      if (hash === null) continue;
      const key = { id, accountId, quotaUnits: quota ?? undefined, isSuspended: is_suspended };
      keys.set(hash, key);
      if (quota !== null && !is_suspended) this.#cache.set(hash, key);
    }
    return { keys, epoch };
  };

  /** Drops the keys unless they are of this epoch. */
  enter(epoch: number): void {
    this.#cache.enter(epoch);
  }
}

/** The rates that a node knows, including pairs that are not supported. */
export class RateCache {
  readonly #cache = new EpochCache<KnownRate>();
  readonly #run;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  /**
   * Finds the rates that are missing.
   *
   * @param epoch the database's: rates of another one are found again. Unset: the last known.
   */
  async find(
    client: PoolClient,
    pairs: ReadonlyMap<string, Pair>,
    epoch = this.#cache.epoch,
  ): Promise<ReadonlyMap<string, KnownRate>> {
    if (epoch !== undefined) this.#cache.enter(epoch);
    const rates = new Map<string, KnownRate>();
    const missing = new Map<string, Pair>();
    for (const [name, pair] of pairs) {
      const known = this.#cache.get(name);
      if (known === undefined) missing.set(name, pair);
      else rates.set(name, known);
    }
    if (missing.size > 0) await this.#load(client, missing, rates);
    return rates;
  }

  async #load(
    client: PoolClient,
    pairs: ReadonlyMap<string, Pair>,
    rates: Map<string, KnownRate>,
  ): Promise<void> {
    const bases = [...pairs.values()].map(({ base }) => base);
    const quotes = [...pairs.values()].map(({ quote }) => quote);
    const rows = (await this.#run(client, FIND_RATES, [bases, quotes])).rows as RateRow[];
    this.#cache.enter(epochOf(rows));
    for (const name of pairs.keys()) rates.set(name, "unsupported");
    for (const row of rows) if (row.base !== null) rates.set(pairName(row as Pair), rateOf(row));
    for (const name of pairs.keys()) {
      const rate = rates.get(name);
      if (rate !== undefined && !(rate instanceof StoreUnavailable)) this.#cache.set(name, rate);
    }
  }
}

function epochOf([row]: readonly { readonly epoch: number }[]): number {
  if (row === undefined) throw new StoreUnavailable(new Error("read_epochs lacks a row"));
  return row.epoch;
}

/** A rate that cannot be read becomes a failure: its unit is still charged (section 4). */
function rateOf({ base, quote, rate, as_of, suspended_at, headers }: RateRow): KnownRate {
  if (base === null) return "unsupported";
  if (suspended_at !== null) return "suspended";
  try {
    return { base, quote, rate, asOf: as_of, headers: parseHeaders(headers) };
  } catch (error) {
    return new StoreUnavailable(error);
  }
}
