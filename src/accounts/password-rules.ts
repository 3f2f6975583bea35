const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 256;

/**
 * Brings a password into the form that is hashed: NFKC, so that the same characters typed on
 * another keyboard are the same password.
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/**
 * @param password in normal form.
 * @param email of the account, in normal form.
 * @returns why the password may not be set, or `undefined` when it may.
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
    return "password is on the list of common passwords: choose another.";
  }
  return undefined;
}
