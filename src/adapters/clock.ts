import type { Clock } from "../application/ports.ts";

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };
