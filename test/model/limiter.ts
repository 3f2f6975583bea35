import { SECOND_MS, secondsUntil } from "./calendar.ts";
import type { AddressName } from "./names.ts";

/** Calls per (address, mailbox) and window in the configuration of the service under test. */
export const AUTH_LIMIT = 4;
export const AUTH_WINDOW_SECONDS = 900;
export const ADDRESS_CEILING = 30 * AUTH_LIMIT;

interface Window {
  calls: number;
  readonly endsMs: number;
}

/**
 * The auth limiter (section 8): a fixed window opens with its first call and later starts anew. An
 * address that has reached its ceiling is rejected, and its further calls do not count.
 */
export class Limiter {
  readonly #windows = new Map<string, Window>();

  /**
   * Counts the confirmation of a reset, which only the address's ceiling limits.
   *
   * @returns the seconds to wait when the call is over the ceiling.
   */
  spendOfAddress(address: AddressName, nowMs: number): number | undefined {
    const spentUntilMs = this.#spentUntilMs(address, ADDRESS_CEILING, nowMs);
    if (spentUntilMs !== undefined) return secondsUntil(spentUntilMs, nowMs);
    this.#count(address, nowMs);
    return undefined;
  }

  /** @returns the seconds to wait when the call is over the limit. */
  spend(address: AddressName, mailbox: string, nowMs: number): number | undefined {
    const spent = [
      this.#spentUntilMs(address, ADDRESS_CEILING, nowMs),
      this.#spentUntilMs(`${address} ${mailbox}`, AUTH_LIMIT, nowMs),
    ];
    if (spent[0] !== undefined) {
      return secondsUntil(Math.max(...spent.filter((endsMs) => endsMs !== undefined)), nowMs);
    }
    const ofMailbox = this.#count(`${address} ${mailbox}`, nowMs);
    const ofAddress = this.#count(address, nowMs);
    const ends = [
      ...(ofMailbox.calls > AUTH_LIMIT ? [ofMailbox.endsMs] : []),
      ...(ofAddress.calls > ADDRESS_CEILING ? [ofAddress.endsMs] : []),
    ];
    return ends.length === 0 ? undefined : secondsUntil(Math.max(...ends), nowMs);
  }

  /** The end of the window of an (address, mailbox), if one is open. */
  endsMs(address: AddressName, mailbox: string): number | undefined {
    return this.#windows.get(`${address} ${mailbox}`)?.endsMs;
  }

  #spentUntilMs(scope: string, budget: number, nowMs: number): number | undefined {
    const window = this.#windows.get(scope);
    const isSpent = window !== undefined && nowMs < window.endsMs && window.calls >= budget;
    return isSpent ? window.endsMs : undefined;
  }

  #count(scope: string, nowMs: number): Window {
    const current = this.#windows.get(scope);
    const isOpen = current !== undefined && nowMs < current.endsMs;
    const endsMs = nowMs + AUTH_WINDOW_SECONDS * SECOND_MS;
    const window = isOpen ? current : { calls: 0, endsMs };
    window.calls += 1;
    this.#windows.set(scope, window);
    return window;
  }
}
