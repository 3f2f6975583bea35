import { rfc3339 } from "./calendar.ts";

export interface PairState {
  readonly rate: string;
  readonly asOfMs: number;
  isSuspended: boolean;
}

/** @returns a decimal text in millionths; stories use no more places. */
export function millionths(rate: string): bigint {
  const [whole = "0", fraction = ""] = rate.split(".");
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}

/** RFC 3339 with nanoseconds, as in a Rate. */
export const asOfText = (asOfMs: number) => rfc3339(asOfMs).replace("Z", "000000Z");
