import type { Origin } from "../../platform/shared/origin.ts";
import type { Quota } from "./rules.ts";

/** A threshold of the usage of an account or a key, as clients send it and as it is stored. */
export interface Threshold {
  readonly api_key_id?: string | undefined;
  /** Of the account's quota or the key's cap. Either this or `units` is set. */
  readonly percent?: number | undefined;
  readonly units?: number | undefined;
}

/** The thresholds of an account that has not set its own. */
export const DEFAULT_THRESHOLDS: readonly Threshold[] = [{ percent: 80 }, { percent: 100 }];

export interface ThresholdStore {
  read(accountId: string): Promise<readonly Threshold[]>;
  /**
   * Sets an account's own thresholds.
   *
   * @returns the stored ones.
   * @throws {Failure} `invalid_request`
   */
  set(
    accountId: string,
    thresholds: readonly Threshold[],
    origin: Origin,
  ): Promise<readonly Threshold[]>;
}

/**
 * @param line the first key of the key's line: a rotation's old and new key have one threshold.
 * @returns what identifies a threshold: `80%`, `500`, or either after a key's id and a colon.
 */
export function thresholdName({ percent, units }: Threshold, line: string | undefined): string {
  const amount = percent === undefined ? `${units}` : `${percent}%`;
  return line === undefined ? amount : `${line}:${amount}`;
}

/** Whether usage has reached a threshold: without a quota, no percentage. */
export function isReached({ percent, units = 0 }: Threshold, { quotaUnits, usedUnits }: Quota) {
  if (percent === undefined) return usedUnits >= units;
  return quotaUnits > 0 && usedUnits * 100 >= quotaUnits * percent;
}
