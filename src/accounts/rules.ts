/** The abbreviation that stands in every credential (specification, introduction). */
const ABBREVIATION = "svc";

/** What every API key begins with: 9 characters. */
export const API_KEY_START = `${ABBREVIATION}_live_`;

/** What every session token begins with. */
export const SESSION_TOKEN_START = `${ABBREVIATION}_sess_`;

/** Random bytes in a credential's secret: 256 bits, beyond any guessing. */
export const SECRET_BYTES = 32;

/** A session ends this long after its log-in, and nothing prolongs it (section 8). */
export const SESSION_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** How long the link of a mail works that verifies an email. */
export const VERIFICATION_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** How long the link of a mail works that resets a password. */
export const PASSWORD_RESET_LIFETIME_MS = 60 * 60 * 1000;

/**
 * Tokens of one account and purpose that are valid at once. A request issues no further one, so
 * that a stranger who knows the email can void no link that the owner has been sent.
 */
export const VALID_TOKENS_MAX = 5;

/** Mails to one address within an hour. A notice counts, but is always sent. */
export const MAILS_PER_HOUR_MAX = 5;

const apiKey = new RegExp(`^${API_KEY_START}[0-9a-f]{64}$`);
const sessionToken = new RegExp(`^${SESSION_TOKEN_START}[0-9a-f]{64}$`);

/** Whether a text has the form of an API key. Saves the store a search for what it cannot hold. */
export function isApiKey(text: string): boolean {
  return apiKey.test(text);
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text has the form of a key's id. No other is for the store: it may hold a NUL. */
export function isApiKeyId(text: string): boolean {
  return uuid.test(text);
}

/** Whether a text has the form of a session token. */
export function isSessionToken(text: string): boolean {
  return sessionToken.test(text);
}

/** Whether a text has the form of a token that came by mail: the bare secret. */
export function isMailToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** @returns the 17 characters by which a key is recognised in a list (section 2). */
export function keyPrefixOf(key: string): string {
  return key.slice(0, API_KEY_START.length + 8);
}
