import { Failure } from "../../platform/shared/failure.ts";

/** What the deletion of a session's account with a wrong password gets: it sends no email. */
export const wrongPassword = new Failure("unauthorized", "The password is incorrect.");

const MIN_CHARACTERS = 8;

const MAX_CHARACTERS = 256;

/** UTF-16 units as typed: NFKC makes one character of at most four, such as alpha and its marks. */
const MAX_TYPED_UNITS = 4 * MAX_CHARACTERS;

const part = /.{1,64}/gsu;

/**
 * Normalizes a password to NFKC before it is hashed, so that the same characters typed on another
 * keyboard are the same password.
 *
 * NFKC sorts marks in quadratic time: 16 KiB of them took 0.4 s, and 1,024 units take 1.2 ms. So
 * its parts are counted first: where two of them meet, at most four characters become one.
 *
 * @returns an empty text, which is nobody's password, for one that is too long.
 */
export function normalizePassword(typed: string): string {
  if (typed.length > MAX_TYPED_UNITS) return "";
  const parts = typed.match(part) ?? [];
  const atLeast = parts.reduce((sum, text) => sum + [...text.normalize("NFKC")].length - 4, 0);
  return atLeast > MAX_CHARACTERS ? "" : typed.normalize("NFKC");
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
