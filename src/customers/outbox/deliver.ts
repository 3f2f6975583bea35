import { type Backoff, backoffMs } from "../../platform/async/backoff.ts";
import { sleep } from "../../platform/async/sleep.ts";
import { type Clock, DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { StoreUnavailable } from "../../platform/shared/store.ts";
import { MailError, type Mailer } from "./mailer.ts";
import type { ClaimedMail, MailStore } from "./store.ts";

/** The mails that a crashed node was delivering are due on other nodes after this time. */
const LEASE_MS = 10_000;

/** A server may take minutes for a mail (RFC 5321, section 4.5.3.2): the lease is renewed. */
const RENEWAL_MS = 3_000;

const BACKOFF: Backoff = { firstMs: 5_000, maxMs: 15 * 60_000 };

/** A permanent rejection may be our mistake (sender, relaying): it is retried, but rarely. */
const REJECTED_RETRY_MS = HOUR_MS;

const GIVE_UP_AFTER_MS = DAY_MS;

/** The result of one attempt. */
export interface DeliveryReport {
  readonly mail: string;
  readonly kind: string;
  readonly attempts: number;
  /** The server's reply, or the file's name. */
  readonly deliveredTo?: string;
  readonly error?: string;
  /** Unset together with an error: the mail was given up. */
  readonly nextAttemptAt?: string;
}

/**
 * Makes one attempt to deliver a claimed mail, and records the result. A delivery is recorded after
 * the server has accepted the mail, so a crash in between sends it again.
 *
 * @throws errors other than the mail server's: the mail is tried again after its lease.
 */
export type DeliverMail = (mail: ClaimedMail, signal: AbortSignal) => Promise<void>;

export function createDeliverMail(uses: {
  readonly store: { readonly mails: MailStore };
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** The time by which mails are given up: a wrong clock is ahead of it. */
  readonly trustedNowMs: () => Promise<number>;
  /** A number from 0 to 1, for the jitter of the backoff. */
  readonly random: () => number;
  readonly onReport: (report: DeliveryReport) => void;
}): DeliverMail {
  const { store, mailer, clock, trustedNowMs, random, onReport } = uses;
  const inMs = (milliseconds: number) => timestamp(clock.nowMs() + milliseconds);

  const keepLease = async (id: string, ended: AbortSignal): Promise<void> => {
    for (;;) {
      await sleep(RENEWAL_MS, ended);
      if (ended.aborted) return;
      try {
        await store.mails.reschedule(id, inMs(LEASE_MS));
      } catch (error) {
        // The store may be back before the lease ends.
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    }
  };

  const recordFailure = async (mail: ClaimedMail, error: MailError) => {
    const { id, attempts } = mail;
    if ((await trustedNowMs()) - Date.parse(mail.createdAt) >= GIVE_UP_AFTER_MS) {
      await store.mails.markGivenUp(id, inMs(0), error.message);
      return undefined;
    }
    const waitMs = error.isRejected ? REJECTED_RETRY_MS : backoffMs(BACKOFF, attempts - 1, random);
    const nextAttemptAt = inMs(waitMs);
    await store.mails.reschedule(id, nextAttemptAt, error.message);
    return nextAttemptAt;
  };

  return async (mail, signal) => {
    const { id, kind, attempts } = mail;
    const about = { mail: id, kind, attempts };
    const ended = new AbortController();
    const leased = keepLease(id, ended.signal);
    // Awaited after the attempt. An unhandled rejection before that would end the process.
    leased.catch(() => undefined);
    try {
      const deliveredTo = await mailer.send(mail, signal);
      await store.mails.markDelivered(id, inMs(0));
      onReport({ ...about, deliveredTo });
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const nextAttemptAt = await recordFailure(mail, error);
      const next = nextAttemptAt === undefined ? {} : { nextAttemptAt };
      onReport({ ...about, error: error.message, ...next });
    } finally {
      ended.abort();
      await leased;
    }
  };
}

/**
 * How often the outbox is checked. Requests do not wake the loop: immediate work only for known
 * addresses would show in the duration of the next response
 * (docs/decisions/0005-mail-through-an-outbox.md).
 */
const CHECK_INTERVAL_MS = 1000;

/** The most mails that one node delivers at a time. */
const MAX_IN_FLIGHT = 10;

/**
 * Delivers mails in the background until it is aborted. At a start, mails that failed before are
 * tried again at once, except those that another node may be delivering.
 */
export async function runDeliveryLoop(
  uses: {
    readonly store: { readonly mails: MailStore };
    readonly clock: Clock;
    readonly deliverMail: DeliverMail;
    /** Called for an error that no mail caused; the loop continues. */
    readonly onError: (error: unknown) => void;
  },
  signals: {
    /** Ends the loop after the mails in flight. */
    readonly stop: AbortSignal;
    /** Aborts the mails in flight. */
    readonly abort: AbortSignal;
  },
): Promise<void> {
  const { store, clock, deliverMail, onError } = uses;
  const { stop, abort } = signals;
  const inMs = (milliseconds: number) => timestamp(clock.nowMs() + milliseconds);
  const inFlight = new Set<Promise<void>>();

  const claimDue = async (): Promise<void> => {
    const limit = MAX_IN_FLIGHT - inFlight.size;
    if (limit === 0) return;
    // A mail due later than any retry allows was postponed before the clock was set back.
    await store.mails.rescheduleStuck(inMs(0), inMs(2 * REJECTED_RETRY_MS));
    const mails = await store.mails.claim({ now: inMs(0), until: inMs(LEASE_MS), limit });
    for (const mail of mails) {
      const delivery = deliverMail(mail, abort)
        .catch(onError)
        .finally(() => inFlight.delete(delivery));
      inFlight.add(delivery);
    }
  };

  await store.mails.rescheduleStuck(inMs(0), inMs(LEASE_MS)).catch(onError);
  while (!stop.aborted) {
    await claimDue().catch(onError);
    // While fewer than MAX_IN_FLIGHT mails are in flight, a slow server delays no other mail.
    const rest = sleep(CHECK_INTERVAL_MS, stop);
    await (inFlight.size < MAX_IN_FLIGHT ? rest : Promise.race([rest, ...inFlight]));
  }
  await Promise.all(inFlight);
}
