import { DAY_MS, rfc3339 } from "./calendar.ts";

export interface Quoted {
  readonly rate: string;
  readonly asOfMs: number;
}

export interface PairState extends Quoted {
  isSuspended: boolean;
  /** What jumped too far and waits for the operator. */
  held: Quoted | undefined;
}

export type ImportOutcome = "stored" | "held" | "rejected";

/** @returns a decimal text as a whole number of millionths; the texts of stories have no more. */
export function millionths(rate: string): bigint {
  const [whole = "0", fraction = ""] = rate.split(".");
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}

/** What becomes of a rate that the operator imports (contract, Rates). */
export function judgeImport(
  standing: PairState | undefined,
  { rate, asOfMs }: Quoted,
  nowMs: number,
): ImportOutcome {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(rate) || millionths(rate) === 0n) return "rejected";
  if (asOfMs > nowMs + DAY_MS) return "rejected";
  if (standing === undefined) return "stored";
  if (asOfMs < standing.asOfMs) return "rejected";
  const [last, next] = [millionths(standing.rate), millionths(rate)];
  return next * 2n < last || next * 2n > last * 3n ? "held" : "stored";
}

/** RFC 3339 with nanoseconds, as a Rate tells its time. */
export const asOfText = (asOfMs: number) => rfc3339(asOfMs).replace("Z", "000000Z");
