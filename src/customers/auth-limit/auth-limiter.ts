import type { Clock } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { counted } from "../../platform/shared/text/counted.ts";

export interface AuthWindow {
  /** The digest of an address, or of an address and an email. */
  readonly scope: string;
  /** Calls in the window so far, including the current one. */
  readonly calls: number;
  readonly endsAt: string;
}

export interface AuthWindowStore {
  /** Reads the scopes' windows that are open at `now`. Writes nothing. */
  current(scopes: readonly string[], now: string): Promise<AuthWindow[]>;
  /** Counts one call in each scope's window; a window that has ended by `now` restarts. */
  countAttempt(scopes: readonly string[], now: string, endsAt: string): Promise<AuthWindow[]>;
}

/** The ceiling per address is this many times the budget per (address, email). */
const CALLS_PER_IP_FACTOR = 30;

/**
 * Counts one call of register, login, password-reset or verification-resend against the auth
 * budget (specification, section 8), or one change of an account's settings against another.
 *
 * @param clientAddress or `changesOf` an account.
 * @param email or another name for what is called; undefined for the confirmation of a reset, which
 *   counts only for the address.
 * @throws {Failure} `too_many_requests` when the window's budget is spent.
 */
export type ConsumeAuthAttempt = (clientAddress: string, email?: string) => Promise<void>;

/**
 * Creates the auth limiter: a fixed window per (address, email), which opens with its first call,
 * and a higher ceiling per address. The windows are in the store, so all nodes share them.
 */
export function createAuthLimiter(uses: {
  readonly store: { readonly authWindows: AuthWindowStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Calls per window for each (address, email). */
  readonly callsPerWindow: number;
  readonly windowSeconds: number;
}): ConsumeAuthAttempt {
  const { store, secrets, clock, callsPerWindow, windowSeconds } = uses;
  const callsPerAddress = callsPerWindow * CALLS_PER_IP_FACTOR;
  return async (clientAddress, email) => {
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    // Stored under digests: the store does not need the addresses and emails themselves.
    const address = secrets.hash(clientAddress);
    const budgets = new Map([[address, callsPerAddress]]);
    if (email !== undefined) budgets.set(secrets.hash(`${clientAddress} ${email}`), callsPerWindow);
    const scopes = [...budgets.keys()];

    // An address that has reached its ceiling causes no more writes to the store.
    const open = await store.authWindows.current(scopes, now);
    const spent = open.filter(({ scope, calls }) => calls >= (budgets.get(scope) ?? 0));
    if (spent.some(({ scope }) => scope === address)) throw tooManyRequests(spent, nowMs);

    const windows = await store.authWindows.countAttempt(
      scopes,
      now,
      timestamp(nowMs + windowSeconds * 1000),
    );
    const exceeded = windows.filter(({ scope, calls }) => calls > (budgets.get(scope) ?? 0));
    if (exceeded.length > 0) throw tooManyRequests(exceeded, nowMs);
  };
}

function tooManyRequests(windows: readonly AuthWindow[], nowMs: number): Failure {
  const endsMs = Math.max(...windows.map(({ endsAt }) => Date.parse(endsAt)));
  return tooManyAttempts(Math.ceil((endsMs - nowMs) / 1000));
}

/**
 * What counts the changes of an account in place of a client address: they take no log-in from
 * others on its address, and more addresses make no more of them.
 */
export const changesOf = (accountId: string) => `account ${accountId}`;

/** The failure of a call beyond a limit, which opens again after these seconds. */
export function tooManyAttempts(retryAfterSeconds: number): Failure {
  const wait =
    retryAfterSeconds < 120
      ? counted(retryAfterSeconds, "second")
      : counted(Math.ceil(retryAfterSeconds / 60), "minute");
  const message = `Too many attempts. Please wait ${wait} and try again.`;
  return new Failure("too_many_requests", message, { retryAfterSeconds });
}
