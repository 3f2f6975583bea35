import { DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";

/** The farthest jump of the clock that needs no operator, after the last hourly cleanup. */
const JUMP_MS_MAX = DAY_MS + HOUR_MS;

/** Whether a clock is so far ahead of the trusted time that it may have jumped. */
export function isAhead(nowMs: number, trusted: string): boolean {
  return nowMs > Date.parse(trusted) + JUMP_MS_MAX;
}
