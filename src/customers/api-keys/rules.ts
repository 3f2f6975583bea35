import type { Caller, KeyRejection } from "../../platform/shared/caller.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { API_KEY_PREFIX } from "../../platform/shared/text/credentials.ts";
import type { KeyLimits } from "./store.ts";

export const KEY_LIMITS: KeyLimits = { active: 100, perDay: 100, total: 10_000 };

const apiKey = new RegExp(`^${API_KEY_PREFIX}[0-9a-f]{64}$`);

/** Whether a text has the form of an API key. The store is not searched for other texts. */
export function isApiKey(text: string): boolean {
  return apiKey.test(text);
}

const keyPrefix = new RegExp(`^${API_KEY_PREFIX}[0-9a-f]{8}$`);

/** Whether a text has the form of a key's prefix, as `keyPrefixOf` returns it. */
export function isKeyPrefix(text: string): boolean {
  return keyPrefix.test(text);
}

/** @returns the 17 characters that identify a key in a list (section 2). */
export function keyPrefixOf(key: string): string {
  return key.slice(0, API_KEY_PREFIX.length + 8);
}

/**
 * Why a stored key may not read: unless it was revoked or has ended, its account is suspended.
 *
 * @param now RFC 3339 in UTC, as the stored times are.
 */
export function explainRejection(
  {
    revokedAt,
    expiresAt,
  }: { readonly revokedAt: string | null; readonly expiresAt: string | null },
  now: string,
): KeyRejection {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "suspended";
}

// The failures of a read are created once. Creating an Error costs several microseconds, most of
// them for a stack that is never read.
export const apiKeyRequired = new Failure("unauthorized", "A valid API key is required.");

/** The same failure, with what the log says of the key. */
export class KeyRejected extends Failure {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super(apiKeyRequired.code, apiKeyRequired.message);
    this.caller = caller;
  }
}

export const apiKeyNotFound = new Failure("not_found", "There is no active API key with this id.");

const limitReached = (message: string) => new Failure("key_limit_reached", message);

/** What the creation of a key beyond each limit gets. */
export const keyLimitReached: Readonly<Record<keyof KeyLimits, Failure>> = {
  active: limitReached(
    `An account has at most ${KEY_LIMITS.active} active API keys. Revoke one first.`,
  ),
  perDay: limitReached(
    `An account can create at most ${KEY_LIMITS.perDay} API keys per UTC day. ` +
      "Use a key that you have, or create one after 00:00 UTC.",
  ),
  total: limitReached(
    `An account has at most ${KEY_LIMITS.total.toLocaleString("en")} API keys in total, ` +
      "revoked ones included. Use a key that you have, or ask the operator.",
  ),
};
