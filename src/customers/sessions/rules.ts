import { DAY_MS } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { SESSION_TOKEN_PREFIX } from "../../platform/shared/text/credentials.ts";

/** A session ends this long after its log-in, and nothing extends it (section 8). */
export const SESSION_LIFETIME_MS = DAY_MS;

const sessionToken = new RegExp(`^${SESSION_TOKEN_PREFIX}[0-9a-f]{64}$`);

/** Whether a text has the form of a session token. */
export function isSessionToken(text: string): boolean {
  return sessionToken.test(text);
}

export const emailNotVerified = new Failure(
  "email_not_verified",
  "Please confirm your email first: open the link that was mailed to you, or ask for a new one.",
);

/** What a log-in with an unknown email or a wrong password gets. */
export const wrongCredentials = new Failure("unauthorized", "Email or password is incorrect.");

export const sessionNotFound = new Failure("not_found", "There is no valid session with this id.");

export const accountSuspended = new Failure(
  "unauthorized",
  "This account is suspended. Please contact the operator of this service.",
);
