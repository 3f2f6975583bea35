/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** The only source of the current time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

/** How far the clocks of several nodes may differ, or one be set back: beyond, a time is wrong. */
export const CLOCK_DIFFERENCE_MAX_MS = 5 * 60_000;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
