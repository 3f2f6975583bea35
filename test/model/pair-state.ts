import { DAY_MS, rfc3339 } from "./calendar.ts";

export interface Quoted {
  readonly rate: string;
  readonly asOfMs: number;
}

export interface PairState extends Quoted {
  isSuspended: boolean;
  /** A rate that jumped too far and waits for the operator. */
  held: Quoted | undefined;
}

export type ImportOutcome = "stored" | "older" | "unchanged" | "held" | "rejected";

/** @returns a decimal text in millionths; stories use no more places. */
export function millionths(rate: string): bigint {
  const [whole = "0", fraction = ""] = rate.split(".");
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}

/** The outcome of an imported rate (contract, Rates). */
export function outcomeOfImport(
  current: PairState | undefined,
  { rate, asOfMs }: Quoted,
  nowMs: number,
): ImportOutcome {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(rate) || millionths(rate) === 0n) return "rejected";
  if (asOfMs > nowMs + DAY_MS) return "rejected";
  if (current === undefined) return "stored";
  if (asOfMs < current.asOfMs) return "older";
  if (rate === current.rate && asOfMs === current.asOfMs) return "unchanged";
  const [last, next] = [millionths(current.rate), millionths(rate)];
  return next * 2n < last || next * 2n > last * 3n ? "held" : "stored";
}

/** RFC 3339 with nanoseconds, as in a Rate. */
export const asOfText = (asOfMs: number) => rfc3339(asOfMs).replace("Z", "000000Z");
