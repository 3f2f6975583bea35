/** How long to wait after consecutive failures. */
export interface Backoff {
  /** After the first failure; doubled with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * @param failures consecutive ones before the current one.
 * @param random a number from 0 to 1: varies the wait by up to half more or less, so that nodes do
 *   not retry in lockstep.
 * @returns milliseconds to wait.
 */
export function backoffMs(
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: () => number,
): number {
  const fullMs = Math.min(firstMs * 2 ** Math.min(failures, 20), maxMs);
  return Math.round(fullMs * (0.5 + random()));
}
