import { sleep } from "../../platform/async/sleep.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { type DeliverMail, LEASE_MS, REJECTED_RETRY_MS } from "./deliver.ts";
import type { MailStore } from "./store.ts";

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
