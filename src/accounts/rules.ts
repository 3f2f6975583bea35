import { DAY_MS, HOUR_MS } from "../shared/clock.ts";
import { Failure } from "../shared/failure.ts";
import { SESSION_TOKEN_PREFIX } from "../shared/secrets.ts";

/** A session ends this long after its log-in, and nothing extends it (section 8). */
export const SESSION_LIFETIME_MS = DAY_MS;

/** Who can open an account: everybody, only people with an invitation, or nobody. */
export const registrations = ["open", "invite", "closed"] as const;
export type Registration = (typeof registrations)[number];

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

const sessionToken = new RegExp(`^${SESSION_TOKEN_PREFIX}[0-9a-f]{64}$`);

/** Whether a text has the form of a session token. */
export function isSessionToken(text: string): boolean {
  return sessionToken.test(text);
}

/** Whether a text has the form of a mailed token: a secret without a prefix. */
export function isMailToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * What a registration without a valid invitation gets; in mode `open` only one with an invalid
 * invitation. One failure for one that is unknown, used, expired or for another email.
 */
export const noValidInvitation: Record<Registration, Failure> = {
  open: new Failure(
    "invalid_token",
    "This invitation is for another email, was used already or has expired. Please use the email " +
      "that was invited, or create an account without an invitation.",
  ),
  invite: new Failure(
    "registration_closed",
    "Registration is by invitation only. Please open the link of your invitation's mail, use the " +
      "email that was invited, or ask the operator of this service for a new one.",
  ),
  closed: new Failure(
    "registration_closed",
    "Registration is closed. Please ask the operator of this service for an account.",
  ),
};

/** One message for a token that is unknown, used, void because another one was used, or expired. */
export const invalidToken = new Failure(
  "invalid_token",
  "This link is invalid, was used already or has expired. Please ask for a new one.",
);

export const emailNotVerified = new Failure(
  "email_not_verified",
  "Please confirm your email first: open the link that was mailed to you, or ask for a new one.",
);

/** What a log-in with an unknown email or a wrong password gets. */
export const wrongCredentials = new Failure("unauthorized", "Email or password is incorrect.");

/** What the deletion of a session's account with a wrong password gets: it sends no email. */
export const wrongPassword = new Failure("unauthorized", "The password is incorrect.");

export const sessionNotFound = new Failure("not_found", "There is no valid session with this id.");

export const accountSuspended = new Failure(
  "unauthorized",
  "This account is suspended. Please contact the operator of this service.",
);

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 256;

/**
 * Normalizes a password to NFKC before it is hashed, so that the same characters typed on another
 * keyboard are the same password.
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/**
 * @param password in normal form.
 * @param email of the account, in normal form.
 * @returns the rule that the password breaks, or `undefined` for a valid one.
 */
export function passwordProblem(
  password: string,
  email: string,
  isCommonPassword: (password: string) => boolean,
): string | undefined {
  const characters = [...password].length;
  if (characters < MIN_CHARACTERS || characters > MAX_CHARACTERS) {
    return `password must have ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters.`;
  }
  if (password.toLowerCase() === email) return "password must not be the email address.";
  if (isCommonPassword(password)) {
    return "That password is too common. Choose another.";
  }
  return undefined;
}
