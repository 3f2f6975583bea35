import { sleep } from "../../platform/async/sleep.ts";
import { type Clock, DAY_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { type Origin, originNow } from "../../platform/shared/origin.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { type BillingPeriod, noticePeriodsAt, timeWithin } from "./rules.ts";

/** How often one node looks for accounts that have reached a threshold. */
const LOOK_INTERVAL_MS = 60_000;

/** How often a node checks by its clock whether a look is due. */
const CHECK_INTERVAL_MS = 1000;

/** Accounts or keys per page. On the embedded database 500 accounts take 1.7 ms (median). */
const ROWS_PER_PAGE = 500;

/** The pause between pages and after each account's notices, in which the node serves requests. */
const PAUSE_MS = 10;

const JOB = "quota_notices";

/** The mails about reached thresholds of the quota. */
export interface QuotaNoticeStore {
  /**
   * Reads a page of accounts in the order of their ids.
   *
   * @param at the billing period, and when a quota of an account alone must not have ended.
   * @param afterId the last account of the page before; empty for the first page.
   */
  page(
    at: { readonly period: string; readonly now: string },
    afterId: string,
    limit: number,
  ): Promise<NoticePage>;
  /**
   * Writes the event of each threshold that an account has reached in a period and that has none
   * yet, and one mail about all of them. Writes nothing for an account that is suspended, deleted
   * or wants no mails.
   */
  write(accountId: string, period: BillingPeriod, origin: Origin): Promise<void>;
}

/** How long before the end of a key its account gets a mail, in days. */
const END_NOTICE_DAYS = [1, 7] as const;

interface EndingKey {
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
  /** Writes the mail about a key once, unless it has another end now or its account no access. */
  write(key: EndingKey, days: number, origin: Origin): Promise<void>;
}

/** @returns how many days before an end a mail about it is due by a time; undefined before. */
export function reachedNoticeDays(end: string, nowMs: number): number | undefined {
  return END_NOTICE_DAYS.find((days) => Date.parse(end) - nowMs <= days * DAY_MS);
}

/** @returns how many days before its end a key is due a mail now; undefined for none. */
function dueEndNotice(key: EndingKey, nowMs: number): number | undefined {
  const { expiresAt, createdAt, noticeDays } = key;
  const days = reachedNoticeDays(expiresAt, nowMs);
  // Who makes a key for a week knows when it ends.
  const isShort = reachedNoticeDays(expiresAt, Date.parse(createdAt)) === days;
  return days === undefined || isShort || days >= noticeDays ? undefined : days;
}

interface NoticePage {
  /** The accounts of the page for which there may be something to write. */
  readonly candidateIds: readonly string[];
  /** The last account of the page; undefined after the last page. */
  readonly lastId: string | undefined;
}

export interface NoticeUses {
  readonly store: { readonly quotaNotices: QuotaNoticeStore; readonly endNotices: EndNoticeStore };
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "uuid">;
}

/**
 * Writes the notices that are due in the current billing period and, within an hour of its start,
 * in the one before, and those of keys that end. Reads of rates are not involved: they neither wait
 * for it nor write for it.
 *
 * @param mayContinue awaited after each step; false ends the look.
 */
export async function writeDueNotices(
  uses: NoticeUses,
  mayContinue: () => Promise<boolean>,
): Promise<void> {
  for await (const _ of noticeSteps(uses)) if (!(await mayContinue())) return;
}

async function* noticeSteps(uses: NoticeUses): AsyncGenerator<void, void> {
  const { quotaNotices } = uses.store;
  for (const period of noticePeriodsAt(uses.clock.nowMs())) {
    let lastId: string | undefined = "";
    while (lastId !== undefined) {
      const now = timeWithin(period, timestamp(uses.clock.nowMs()));
      const at = { period: period.name, now };
      const page: NoticePage = await quotaNotices.page(at, lastId, ROWS_PER_PAGE);
      for (const accountId of page.candidateIds) {
        await quotaNotices.write(accountId, period, originNow({ kind: "service" }, uses));
        yield;
      }
      lastId = page.lastId;
      if (lastId !== undefined) yield;
    }
  }
  yield* endNoticeSteps(uses);
}

async function* endNoticeSteps({ store, clock, secrets }: NoticeUses): AsyncGenerator<void, void> {
  const nowMs = clock.nowMs();
  const until = timestamp(nowMs + Math.max(...END_NOTICE_DAYS) * DAY_MS);
  type Place = Pick<EndingKey, "expiresAt" | "id">;
  const read = (after: Place, limit: number) => store.endNotices.page(after, until, limit);
  const start = { expiresAt: timestamp(nowMs), id: "~" };
  for await (const page of pagesOf<EndingKey, Place>(start, read, (key) => key, ROWS_PER_PAGE)) {
    for (const key of page) {
      const days = dueEndNotice(key, nowMs);
      if (days === undefined) continue;
      await store.endNotices.write(key, days, originNow({ kind: "service" }, { clock, secrets }));
      yield;
    }
    if (page.length === ROWS_PER_PAGE) yield;
  }
}

/** Mails accounts that reach a threshold, or whose keys end, until it is aborted. */
export async function runQuotaNoticeLoop(
  uses: NoticeUses & {
    /** As `CleanupStore.claimJob`. */
    readonly claimJob: (name: string, now: string, nextAt: string) => Promise<boolean>;
    readonly onError: (error: unknown) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { clock, claimJob, onError } = uses;
  let claimedUntilMs = -Infinity;
  const claim = async (dueByMs: number): Promise<boolean> => {
    const untilMs = clock.nowMs() + LOOK_INTERVAL_MS;
    if (!(await claimJob(JOB, timestamp(dueByMs), timestamp(untilMs)))) return false;
    claimedUntilMs = untilMs;
    return true;
  };

  // A look that takes long extends its claim, so that no other node begins one meanwhile.
  const mayContinue = async (): Promise<boolean> => {
    await sleep(PAUSE_MS, signal);
    if (signal.aborted) return false;
    const isClaimEnding = claimedUntilMs - clock.nowMs() < LOOK_INTERVAL_MS / 2;
    return !isClaimEnding || (await claim(claimedUntilMs));
  };

  let nextLookMs = -Infinity;
  // After the clock was set back, the next look is not later than if one ran now.
  const isDue = (nowMs: number) => nowMs >= nextLookMs || nextLookMs > nowMs + LOOK_INTERVAL_MS;

  while (!signal.aborted) {
    const nowMs = clock.nowMs();
    if (isDue(nowMs)) {
      nextLookMs = nowMs + LOOK_INTERVAL_MS;
      const look = async () => {
        if (await claim(nowMs)) await writeDueNotices(uses, mayContinue);
      };
      await look().catch(onError);
    }
    await sleep(CHECK_INTERVAL_MS, signal);
  }
}
