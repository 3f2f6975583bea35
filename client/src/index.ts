import { type Account, createAccount, logIn } from "./accounts.ts";
import { addressOf } from "./address.ts";
import { type CacheOptions, createCache } from "./cache.ts";
import type { CallOptions } from "./deadline.ts";
import type { Result } from "./operations.ts";
import { createRates, MISSED_MAX, type Rates } from "./rates.ts";
import type { Tally } from "./tally.ts";

export type { Account, KeyLimits } from "./accounts.ts";
export type { At } from "./at.ts";
export type { CacheOptions } from "./cache.ts";
export type { CallOptions } from "./deadline.ts";
export { type Precision, type Rounding, times, toNumber } from "./money.ts";
export type { components, operations, paths } from "./openapi.ts";
export type {
  ClientError,
  DataOf,
  ErrorCode,
  Failed,
  Operation,
  RateResult,
  Result,
  ServiceError,
  StaleRate,
  Success,
  UnitsCharged,
} from "./operations.ts";
export type { Rates, ReadOptions } from "./rates.ts";

export interface ClientOptions {
  /** The address of the service, such as `https://kurs.example.org`. */
  readonly url: string;
  /** `svc_live_…`, for rates. */
  readonly apiKey?: string | undefined;
  /** By default the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds for a whole call with its retries, by default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Ends every call of this client. */
  readonly signal?: AbortSignal | undefined;
  /** Whether reads of a pair at the same time share one request, and its unit. */
  readonly share?: boolean | undefined;
  /**
   * How many publications a rate's publisher may have missed since, 0 to 99: beyond it a read
   * returns `client:stale`. By default, and with 99, a rate may have any age.
   */
  readonly maxMissed?: number | undefined;
  /** Whether to keep a rate until `Rate-Next`, and one of the past for the life of the client. */
  readonly cache?: boolean | CacheOptions | undefined;
  /** Counts what each read costs: see `@kurs/client/tally`. */
  readonly tally?: Tally | undefined;
}

export interface Client {
  readonly rates: Rates;
  /** Opens a session, which is valid for 24 hours; pass its `session_token` to `account`. */
  logIn(email: string, password: string, options?: CallOptions): Promise<Result<"logIn">>;
  /** The calls of an account, with the token of a session. */
  account(sessionToken: string): Account;
}

/**
 * Makes a client of a Kurs service. It sends nothing yet.
 *
 * @throws {TypeError} for a `url` that is none.
 * @throws {RangeError} for an invalid `maxMissed`.
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, signal, timeoutMs = 5000, share = false, cache = false } = options;
  const { maxMissed = MISSED_MAX } = options;
  if (!(Number.isInteger(maxMissed) && maxMissed >= 0 && maxMissed <= MISSED_MAX)) {
    const range = `a whole number from 0 to ${MISSED_MAX}`;
    throw new RangeError(`maxMissed must be ${range} (got ${maxMissed})`);
  }
  const connection = {
    url: addressOf(options.url),
    // A global fetch rejects another `this`.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    timeoutMs,
    signal,
  };
  return {
    rates: createRates(connection, apiKey, {
      cache: cache === false ? undefined : createCache(cache === true ? {} : cache),
      isShared: share,
      maxMissed,
      tally: options.tally,
    }),
    logIn: (email, password, callOptions) => logIn(connection, email, password, callOptions),
    account: (sessionToken) => createAccount(connection, sessionToken),
  };
}
