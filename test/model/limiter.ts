import { SECOND_MS, secondsUntil } from "./calendar.ts";
import type { AddressName } from "./names.ts";

/** Calls of one (address, mailbox) in a window, as the service under the model is configured. */
export const AUTH_LIMIT = 4;
export const AUTH_WINDOW_SECONDS = 900;
export const ADDRESS_CEILING = 30 * AUTH_LIMIT;

interface Window {
  calls: number;
  readonly endsMs: number;
}

/**
 * The auth limiter (section 8): a fixed window opens with its first call and then starts anew. An
 * address that has spent its ceiling is refused, and its calls count no more.
 */
export class Limiter {
  readonly #windows = new Map<string, Window>();

  /**
   * Counts the confirmation of a reset, which has no budget but the address's.
   *
   * @returns the seconds to wait when the call is over the ceiling.
   */
  spendOfAddress(address: AddressName, nowMs: number): number | undefined {
    const spentUntilMs = this.#spentUntilMs(address, ADDRESS_CEILING, nowMs);
    if (spentUntilMs !== undefined) return secondsUntil(spentUntilMs, nowMs);
    this.#count(address, nowMs);
    return undefined;
  }

  /** @returns the seconds to wait when the call is over the budget. */
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

  /** When the window of an (address, mailbox) ends, if one is open. */
  endsMs(address: AddressName, mailbox: string): number | undefined {
    return this.#windows.get(`${address} ${mailbox}`)?.endsMs;
  }

  #spentUntilMs(scope: string, budget: number, nowMs: number): number | undefined {
    const window = this.#windows.get(scope);
    const isSpent = window !== undefined && nowMs < window.endsMs && window.calls >= budget;
    return isSpent ? window.endsMs : undefined;
  }

  #count(scope: string, nowMs: number): Window {
    const standing = this.#windows.get(scope);
    const isOpen = standing !== undefined && nowMs < standing.endsMs;
    const endsMs = nowMs + AUTH_WINDOW_SECONDS * SECOND_MS;
    const window = isOpen ? standing : { calls: 0, endsMs };
    window.calls += 1;
    this.#windows.set(scope, window);
    return window;
  }
}
