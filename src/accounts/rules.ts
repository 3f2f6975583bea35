import { Failure } from "../shared/failure.ts";
import { CREDENTIAL_PREFIX } from "../shared/secrets.ts";

/** What every session token begins with. */
export const SESSION_TOKEN_PREFIX = `${CREDENTIAL_PREFIX}_sess_`;

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

const sessionToken = new RegExp(`^${SESSION_TOKEN_PREFIX}[0-9a-f]{64}$`);

/** Whether a text has the form of a session token. */
export function isSessionToken(text: string): boolean {
  return sessionToken.test(text);
}

/** Whether a text has the form of a token that came by mail: the bare secret. */
export function isMailToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** One text for a token that is unknown, used, void because another one was used, or expired. */
export const invalidToken = new Failure(
  "invalid_token",
  "This link is invalid, was used already or has expired. Please ask for a new one.",
);

export const emailNotVerified = new Failure(
  "email_not_verified",
  "Please confirm your email first: open the link that was mailed to you, or ask for a new one.",
);
