import { DAY_MS, HOUR_MS } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";

/** How long an invitation is valid, and the link to the first password of a created account. */
export const INVITATION_LIFETIME_MS = 7 * DAY_MS;

/** How long the link of a verification mail is valid. */
export const VERIFICATION_LIFETIME_MS = DAY_MS;

/** How long the link of a password-reset mail is valid. */
export const PASSWORD_RESET_LIFETIME_MS = HOUR_MS;

/**
 * The most tokens of one account and purpose that are valid at once. Further requests issue none,
 * so that a stranger who knows the email cannot void a link that was sent to the owner.
 */
export const VALID_TOKENS_MAX = 5;

/** The most mails to one address per hour. A notice counts, but is always sent. */
export const MAILS_PER_HOUR_MAX = 5;

/** Whether a text has the form of a mailed token: a secret without a prefix. */
export function isMailToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** One message for a token that is unknown, used, void because another one was used, or expired. */
export const invalidToken = new Failure(
  "invalid_token",
  "This link is invalid, was used already or has expired. Please ask for a new one.",
);
