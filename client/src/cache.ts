import type { RateResult } from "./operations.ts";

export interface CacheOptions {
  /** How many pairs it keeps, by default 1,000; beyond that it drops the one that it got first. */
  readonly maxPairs?: number | undefined;
  /** The time in milliseconds, as from `Date.now`, which is the default. */
  readonly nowMs?: (() => number) | undefined;
}

/** Keeps rates until their publisher's next one is due. */
export interface RateCache {
  /** @returns a rate that has cost nothing this time. */
  get(path: string): RateResult | undefined;
  /** Keeps a result that is a rate with a `Rate-Next` in the future. */
  put(path: string, result: RateResult): void;
}

/** @throws {RangeError} for an invalid `maxPairs`. */
export function createCache({ maxPairs = 1000, nowMs = Date.now }: CacheOptions = {}): RateCache {
  if (!(maxPairs >= 1)) throw new RangeError(`maxPairs must be at least 1 (got ${maxPairs})`);
  const entries = new Map<string, { result: RateResult; untilMs: number }>();
  return {
    get(path) {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      if (nowMs() < entry.untilMs) return { ...entry.result };
      entries.delete(path);
      return undefined;
    },
    put(path, result) {
      if (result.error !== undefined) return;
      const { headers } = result.response;
      const nextMs = Date.parse(headers.get("rate-next") ?? "");
      // By the service's own time, where it is readable: a wrong clock here keeps nothing longer.
      const serviceMs = Date.parse(headers.get("date") ?? "");
      const nowHereMs = nowMs();
      const leftMs = nextMs - (Number.isNaN(serviceMs) ? nowHereMs : serviceMs);
      if (!(leftMs > 0)) return;
      const cachedSince = new Date(nowHereMs).toISOString();
      entries.delete(path);
      entries.set(path, {
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
