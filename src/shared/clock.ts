/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** The only source of the current time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
