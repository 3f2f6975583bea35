import { Failure } from "../shared/failure.ts";

/** What the deletion of a session's account with a wrong password gets: it sends no email. */
export const wrongPassword = new Failure("unauthorized", "The password is incorrect.");

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
  // It would be hashed as U+FFFD, as any other one.
  if (!password.isWellFormed()) return "password must not have half of a surrogate pair.";
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
