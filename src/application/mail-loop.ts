import { timestamp } from "../domain/instant.ts";
import { type DeliverDueMails, LEASE_MS } from "./deliver-mail.ts";
import type { MailStore } from "./mail-ports.ts";
import { pause } from "./pause.ts";
import type { Clock } from "./ports.ts";

/**
 * How often the outbox is looked at. A request does not wake the loop: work that follows at once
 * for a known address alone could be told from outside by how long the next answer takes.
 */
const LOOK_INTERVAL_MS = 1000;

/** Mails that were delivered or given up are kept this long for `kurs mail list`. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

const TIDY_INTERVAL_MS = 60 * 60_000;

/**
 * Delivers mails in the background until it is aborted, and forgets old ones. A start is a new
 * chance: what failed before is tried at once, but not what another node may have in hand.
 */
export async function keepMailMoving(
  uses: {
    readonly store: MailStore;
    readonly clock: Clock;
    readonly deliverDueMails: DeliverDueMails;
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
  const { store, clock, deliverDueMails, onError } = uses;
  let tidyAtMs = 0;
  try {
    const nowMs = clock.nowMs();
    await store.hastenMails(timestamp(nowMs), timestamp(nowMs + LEASE_MS));
  } catch (error) {
    onError(error);
  }
  while (!signals.stop.aborted) {
    try {
      let handled = 1;
      while (handled > 0 && !signals.stop.aborted) {
        handled = await deliverDueMails(signals.breakOff);
      }
      const nowMs = clock.nowMs();
      if (nowMs >= tidyAtMs) {
        await store.removeEndedMails(timestamp(nowMs - KEPT_MS));
        tidyAtMs = nowMs + TIDY_INTERVAL_MS;
      }
    } catch (error) {
      onError(error);
    }
    await pause(LOOK_INTERVAL_MS, signals.stop);
  }
}
