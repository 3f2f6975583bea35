import { DAY_MS } from "../../platform/shared/clock.ts";
import type { Origin } from "../../platform/shared/origin.ts";

/** How long before the end of a key its account gets a mail, in days. */
export const END_NOTICE_DAYS = [1, 7] as const;

export interface EndingKey {
  readonly expiresAt: string;
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: string;
  /** How many days before the end the last mail was due; Infinity without one. */
  readonly noticeDays: number;
}

export interface EndNoticeStore {
  /** A page of the keys that end after another one and until a time, in the order of their ends. */
  page(
    after: Pick<EndingKey, "expiresAt" | "id">,
    until: string,
    limit: number,
  ): Promise<EndingKey[]>;
  /** Writes the mail about a key once, unless it has another end by now or its account no access. */
  write(key: EndingKey, days: number, origin: Origin): Promise<void>;
}

/** @returns how many days before an end a mail about it is due by a time; undefined before those. */
export function reachedNoticeDays(end: string, nowMs: number): number | undefined {
  return END_NOTICE_DAYS.find((days) => Date.parse(end) - nowMs <= days * DAY_MS);
}

/** @returns how many days before its end a key is due a mail now; undefined for none. */
export function dueEndNotice(key: EndingKey, nowMs: number): number | undefined {
  const { expiresAt, createdAt, noticeDays } = key;
  const days = reachedNoticeDays(expiresAt, nowMs);
  // Who makes a key for a week knows when it ends.
  const isShort = reachedNoticeDays(expiresAt, Date.parse(createdAt)) === days;
  return days === undefined || isShort || days >= noticeDays ? undefined : days;
}
