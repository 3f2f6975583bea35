import type { StatedThreshold } from "./api/account.ts";
import type { ApiError } from "./api/request.ts";
import { counted } from "./format.ts";

/** The most of an account. */
export const THRESHOLDS_MAX = 10;

/** @param labels of active keys, by id. */
export function describeThreshold(
  { api_key_id: id, percent, units }: StatedThreshold,
  labels: ReadonlyMap<string, string>,
): string {
  const label = id === undefined ? undefined : (labels.get(id) ?? "a key that is not active");
  if (percent !== undefined) {
    return `${percent ?? ""}% of ${label === undefined ? "the quota" : `the month's cap of ${label}`}`;
  }
  const amount = typeof units === "number" ? counted(units, "unit") : `${units ?? ""} units`;
  return label === undefined ? `${amount} in a month` : `${amount} of ${label} in a month`;
}

/** What the service says of one of the thresholds that were sent, by its words instead of its place. */
export function errorOfThreshold(
  error: ApiError | undefined,
  sent: readonly StatedThreshold[],
  labels: ReadonlyMap<string, string>,
): string | undefined {
  const [, index, rule] = /^thresholds\.(\d+)(?:\.\w+)? (.+)$/s.exec(error?.message ?? "") ?? [];
  const threshold = sent[Number(index)];
  return threshold && `“${describeThreshold(threshold, labels)}” ${rule}`;
}
