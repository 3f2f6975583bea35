import { Failure } from "../shared/failure.ts";
import { CREDENTIAL_PREFIX } from "../shared/secrets.ts";

/** What every API key begins with: 9 characters. */
export const API_KEY_PREFIX = `${CREDENTIAL_PREFIX}_live_`;

export const apiKey = new RegExp(`^${API_KEY_PREFIX}[0-9a-f]{64}$`);

/** Whether a text has the form of an API key. Saves the store a search for what it cannot hold. */
export function isApiKey(text: string): boolean {
  return apiKey.test(text);
}

export const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text has the form of a key's id. No other is for the store: it may hold a NUL. */
export function isApiKeyId(text: string): boolean {
  return uuid.test(text);
}

/** @returns the 17 characters by which a key is recognised in a list (section 2). */
export function keyPrefixOf(key: string): string {
  return key.slice(0, API_KEY_PREFIX.length + 8);
}

// The refusals that a read can end in are made once. Making an Error costs several microseconds,
// most of them for a stack that nobody reads.
export const apiKeyRequired = new Failure("unauthorized", "A valid API key is required.");
