import { pause } from "../async/sleep.ts";
import type { Clock } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import { type DeliverMail, LEASE_MS, REFUSED_RETRY_MS } from "./deliver.ts";
import type { MailStore } from "./store.ts";

/**
 * How often the outbox is looked at. A request does not wake the loop: work that follows at once
 * for a known address alone could be told from outside by how long the next answer takes.
 */
const LOOK_INTERVAL_MS = 1000;

/** Mails that one node has in hand at a time. */
const MAILS_AT_ONCE = 10;

/**
 * Delivers mails in the background until it is aborted. A start is a new
 * chance: what failed before is tried at once, but not what another node may have in hand.
 */
export async function runDeliveryLoop(
  uses: {
    readonly store: MailStore;
    readonly clock: Clock;
    readonly deliverMail: DeliverMail;
    /** For what is no fault of a mail: the loop goes on. */
    readonly onError: (error: unknown) => void;
  },
  signals: {
    /** Ends the loop after the mails in hand. */
    readonly stop: AbortSignal;
    /** Breaks off the mails in hand. */
    readonly breakOff: AbortSignal;
  },
): Promise<void> {
  const { store, clock, deliverMail, onError } = uses;
  const { stop, breakOff } = signals;
  const inMs = (milliseconds: number) => timestamp(clock.nowMs() + milliseconds);
  const inHand = new Set<Promise<void>>();

  const takeDue = async (): Promise<void> => {
    const limit = MAILS_AT_ONCE - inHand.size;
    if (limit === 0) return;
    // What waits longer than any mail may was put off before the clock was set back.
    await store.rescheduleStuckMails(inMs(0), inMs(2 * REFUSED_RETRY_MS));
    const mails = await store.claimMails({ now: inMs(0), until: inMs(LEASE_MS), limit });
    for (const mail of mails) {
      const delivery = deliverMail(mail, breakOff)
        .catch(onError)
        .finally(() => inHand.delete(delivery));
      inHand.add(delivery);
    }
  };

  await store.rescheduleStuckMails(inMs(0), inMs(LEASE_MS)).catch(onError);
  while (!stop.aborted) {
    await takeDue().catch(onError);
    // A mail that its server is slow with holds up no other, while there is a hand free.
    const rest = pause(LOOK_INTERVAL_MS, stop);
    await (inHand.size < MAILS_AT_ONCE ? rest : Promise.race([rest, ...inHand]));
  }
  await Promise.all(inHand);
}
