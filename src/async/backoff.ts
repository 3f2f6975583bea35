/** How long to wait after failures in a row. */
export interface Backoff {
  /** After the first failure; doubled with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * @param failures in a row before the present one.
 * @param random a number from 0 to 1: waits differ by half more or less, so that nodes do not come
 *   in step.
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
