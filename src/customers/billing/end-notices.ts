import { DAY_MS } from "../../platform/shared/clock.ts";
import type { Origin } from "../../platform/shared/origin.ts";

/** How long before the end of a key its account gets a mail, in days. */
export const END_NOTICE_DAYS = [1, 7] as const;

/** A place in the order of the keys' ends. */
export interface KeyPlace {
  readonly expiresAt: string;
  readonly keyId: string;
}

export interface EndingKey extends KeyPlace {
  readonly accountId: string;
  readonly createdAt: string;
  /** How long before the end the last mail about it was due, or Infinity. */
  readonly noticeDays: number;
}

export interface EndNoticeStore {
  /** A page of the keys that end after a place and until a time, in the order of their ends. */
  page(after: KeyPlace, until: string, limit: number): Promise<EndingKey[]>;
  /**
   * Writes the mail about a key, unless it was revoked or its end moved, its account has no access,
   * or a rotation set its end no longer before.
   */
  write(key: EndingKey, days: number, origin: Origin): Promise<void>;
}

/** @returns how long before its end a key is due a mail now, in days; undefined for none. */
export function dueEndNotice(key: EndingKey, nowMs: number): number | undefined {
  const { createdAt, expiresAt, noticeDays } = key;
  const days = END_NOTICE_DAYS.find((each) => Date.parse(expiresAt) - nowMs <= each * DAY_MS);
  const isDue = days !== undefined && days < noticeDays && lastsLonger(createdAt, expiresAt, days);
  return isDue ? days : undefined;
}

/** Whether there were more days to an end: else its choice is as recent as a mail would be. */
export function lastsLonger(since: string, end: string, days: number): boolean {
  return Date.parse(end) - Date.parse(since) > days * DAY_MS;
}
