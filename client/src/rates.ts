import { type At, acceptDatetimeOf } from "./at.ts";
import type { RateCache } from "./cache.ts";
import { type CallOptions, startDeadline } from "./deadline.ts";
import type { RateResult } from "./operations.ts";
import { type Connection, isObject, segmentOf, send, wholeNumber } from "./send.ts";
import type { Tally } from "./tally.ts";

export interface ReadOptions extends CallOptions {
  /** The past time to read: its figure has the last `as_of` at or before its whole second. */
  readonly at?: At | undefined;
}

export interface Rates {
  /**
   * Reads a pair's rate, for one unit of the quota. Its data is frozen: other calls may have it,
   * too.
   *
   * @param base 2 to 10 letters and digits, such as `EUR`.
   * @param quote likewise: the rate is its amount for one unit of the base.
   * @throws {TypeError} for a base or quote that is no text, and an `at` that is no time.
   * @throws {RangeError} for an invalid `timeoutMs` or text of `at`; every failure of the call is
   *   in the result.
   */
  get(base: string, quote: string, options?: ReadOptions): Promise<RateResult>;
}

/** What a call reads. */
interface Read {
  readonly path: string;
  /** The past time that it asks for, as in Accept-Datetime. */
  readonly at: string | undefined;
}

export function createRates(
  connection: Connection,
  apiKey: string | undefined,
  options: {
    readonly cache: RateCache | undefined;
    readonly isShared: boolean;
    readonly maxMissed: number;
    readonly tally: Tally | undefined;
  },
): Rates {
  const { cache, isShared, maxMissed, tally } = options;
  const authorization = apiKey === undefined ? undefined : `ApiKey ${apiKey}`;
  const open = new Map<string, Promise<RateResult>>();

  const read = async ({ path, at }: Read, options: CallOptions): Promise<RateResult> => {
    const isData = (value: unknown) => isRateOf({ path, at }, value);
    const headers = at === undefined ? {} : { "accept-datetime": at };
    const call = { method: "GET", path, headers, authorization, isMetered: true, isData } as const;
    const sinceMs = performance.now();
    const result: RateResult = await send<"getRate">(connection, call, options);
    tally?.count(result, performance.now() - sinceMs);
    if (result.error === undefined) Object.freeze(result.data);
    cache?.put(keyOf({ path, at }), result, at);
    return result;
  };

  const readShared = async (wanted: Read, options: CallOptions): Promise<RateResult> => {
    const key = keyOf(wanted);
    const { signal, timeoutMs = connection.timeoutMs } = options;
    const deadline = startDeadline(timeoutMs, [signal]);
    // Aborted before it began: it sends nothing for others either.
    const error = deadline.error();
    if (error !== undefined) {
      deadline.release();
      return { error, unitsCharged: 0, response: undefined };
    }
    const joined = open.get(key);
    // Other calls may join the request: the signal of this one does not end it.
    const sent = joined ?? read(wanted, { timeoutMs }).finally(() => open.delete(key));
    open.set(key, sent);
    const result = await deadline.race(sent);
    deadline.release();
    // The call that sent the request reports what it cost.
    const unitsCharged = joined === undefined ? undefined : 0;
    if ("code" in result) return { error: result, unitsCharged, response: undefined };
    return joined === undefined ? result : { ...result, unitsCharged: 0 };
  };

  return {
    async get(base, quote, { at: time, ...options } = {}) {
      const path = `/v1/rates/${symbolOf(base)}/${symbolOf(quote)}`;
      const at = time === undefined ? undefined : acceptDatetimeOf(time);
      const kept = cache?.get(keyOf({ path, at }));
      const result = kept ?? (await (isShared ? readShared : read)({ path, at }, options));
      return withoutStale(result, maxMissed, at);
    },
  };
}

const keyOf = ({ path, at }: Read) => (at === undefined ? path : `${path} ${at}`);

/** The most that `Rate-Missed` states: so many, or more. */
export const MISSED_MAX = 99;

/** Makes a rate an error whose publisher has missed more publications since than it may have. */
function withoutStale(result: RateResult, maxMissed: number, at: string | undefined): RateResult {
  if (result.error !== undefined) return result;
  const { data: rate, unitsCharged, response } = result;
  const missed = wholeNumber(response.headers.get("rate-missed")) ?? 0;
  if (missed <= maxMissed) return result;
  const count = missed === MISSED_MAX ? `${missed} or more` : missed;
  const publications = missed === 1 ? "publication" : "publications";
  const gap =
    at === undefined
      ? `its publisher has missed ${count} ${publications} since`
      : `the service lacks ${count} ${publications} between then and ${at}`;
  const message =
    `${rate.base}/${rate.quote} is of ${rate.as_of}: ${gap}, and at most ${maxMissed} may be ` +
    "missed.";
  const error = {
    code: "client:stale",
    message,
    rate,
    missed,
    retryAfterSeconds: undefined,
  } as const;
  return { error, unitsCharged, response };
}

/** A later figure than the one asked for is of a proxy that drops Accept-Datetime. */
const isRateOf = ({ path, at }: Read, value: unknown) =>
  isObject(value) &&
  typeof value.rate === "string" &&
  path === `/v1/rates/${value.base}/${value.quote}` &&
  (at === undefined || Date.parse(String(value.as_of)) <= Date.parse(at));

/** A symbol as the service reads it, so that a pair has one path however it is written. */
function symbolOf(symbol: string): string {
  if (typeof symbol === "string") {
    return segmentOf(symbol.trim().replace(/[a-z]+/g, (ascii) => ascii.toUpperCase()));
  }
  throw new TypeError(`base and quote must be texts such as "EUR" (got ${symbol})`);
}
