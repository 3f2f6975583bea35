import type { Clock } from "../accounts/store.ts";

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };
