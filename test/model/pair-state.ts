import { rfc3339 } from "./calendar.ts";

export interface PairState {
  readonly rate: string;
  readonly asOfMs: number;
  isSuspended: boolean;
}

/** What is stored of a pair at a time; a suspended one keeps it, and so does a deleted one. */
export type PairFigure = Pick<PairState, "rate" | "asOfMs">;

/** RFC 3339 with nanoseconds, as in a Rate. */
export const asOfText = (asOfMs: number) => rfc3339(asOfMs).replace("Z", "000000Z");
