import type { RateResult } from "./operations.ts";

export interface CacheOptions {
  /** How many rates it keeps, by default 1,000; beyond that it drops the one that it got first. */
  readonly maxPairs?: number | undefined;
  /** The time in milliseconds, as from `Date.now`, which is the default. */
  readonly nowMs?: (() => number) | undefined;
}

/** Keeps rates until their publisher's next one is due, and those of the past without an end. */
export interface RateCache {
  /** @returns a rate that has cost nothing this time. */
  get(key: string): RateResult | undefined;
  /**
   * Keeps a result that is a rate with a `Rate-Next` in the future.
   *
   * @param at asks for a past time, as in Accept-Datetime: keeps its rate where that time is past
   *   and the service lacks no publication before it, which may still arrive.
   */
  put(key: string, result: RateResult, at?: string): void;
}

/** @throws {RangeError} for an invalid `maxPairs`. */
export function createCache({ maxPairs = 1000, nowMs = Date.now }: CacheOptions = {}): RateCache {
  if (!(maxPairs >= 1)) throw new RangeError(`maxPairs must be at least 1 (got ${maxPairs})`);
  const entries = new Map<string, { result: RateResult; untilMs: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (nowMs() < entry.untilMs) return { ...entry.result };
      entries.delete(key);
      return undefined;
    },
    put(key, result, at) {
      if (result.error !== undefined) return;
      const { headers } = result.response;
      // By the service's own time, where it is readable: a wrong clock here keeps nothing longer.
      const serviceMs = Date.parse(headers.get("date") ?? "");
      const nowHereMs = nowMs();
      const nowThereMs = Number.isNaN(serviceMs) ? nowHereMs : serviceMs;
      const isPast = at !== undefined && Date.parse(at) < nowThereMs;
      // The response to a time, past or not, has no Rate-Next.
      const isSettled = isPast && !headers.has("rate-missed");
      const nextMs = isSettled ? Infinity : Date.parse(headers.get("rate-next") ?? "");
      const leftMs = nextMs - nowThereMs;
      if (!(leftMs > 0)) return;
      const cachedSince = new Date(nowHereMs).toISOString();
      entries.delete(key);
      entries.set(key, {
        result: { ...result, unitsCharged: 0, cachedSince },
        untilMs: nowHereMs + leftMs,
      });
      for (const oldest of entries.keys()) {
        if (entries.size <= maxPairs) break;
        entries.delete(oldest);
      }
    },
  };
}
