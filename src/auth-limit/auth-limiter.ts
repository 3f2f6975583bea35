import type { AuthWindow, AuthWindowStore } from "../accounts/store.ts";
import type { Clock } from "../shared/clock.ts";
import { Failure } from "../shared/failure.ts";
import { timestamp } from "../shared/instant.ts";
import type { Secrets } from "../shared/secrets.ts";

/** The ceiling per address is this many times the budget per (address, email). */
const CALLS_PER_IP_FACTOR = 30;

/**
 * Counts one call of register, login, password-reset or verification-resend against the auth
 * budget (specification, section 8), or one change of an account's settings against another.
 *
 * @param email or another name for what is called; undefined for the confirmation of a reset, which
 *   counts only for the address.
 * @throws {Failure} `too_many_requests` when the window's budget is spent.
 */
export type ConsumeAuthAttempt = (clientIp: string, email?: string) => Promise<void>;

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
  return async (clientIp, email) => {
    const nowMs = clock.nowMs();
    const now = timestamp(nowMs);
    // Stored under digests: the store does not need the addresses and emails themselves.
    const address = secrets.hash(clientIp);
    const budgets = new Map([[address, callsPerAddress]]);
    if (email !== undefined) budgets.set(secrets.hash(`${clientIp} ${email}`), callsPerWindow);
    const scopes = [...budgets.keys()];

    // An address that has reached its ceiling causes no more writes to the store.
    const open = await store.authWindows.current(scopes, now);
    const spent = open.filter(({ scope, calls }) => calls >= (budgets.get(scope) ?? 0));
    if (spent.some(({ scope }) => scope === address)) throw tooManyRequests(spent, nowMs);

    const counted = await store.authWindows.countAttempt(
      scopes,
      now,
      timestamp(nowMs + windowSeconds * 1000),
    );
    const exceeded = counted.filter(({ scope, calls }) => calls > (budgets.get(scope) ?? 0));
    if (exceeded.length > 0) throw tooManyRequests(exceeded, nowMs);
  };
}

function tooManyRequests(windows: readonly AuthWindow[], nowMs: number): Failure {
  const endsMs = Math.max(...windows.map(({ endsAt }) => Date.parse(endsAt)));
  return new Failure("too_many_requests", "Too many attempts. Please wait and try again.", {
    retryAfterSeconds: Math.ceil((endsMs - nowMs) / 1000),
  });
}
