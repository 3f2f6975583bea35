/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** The one place that tells the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}
