/** The service's abbreviation in every credential (specification, introduction). */
const CREDENTIAL_PREFIX = "svc";

/** The prefix of every API key: 9 characters. */
export const API_KEY_PREFIX = `${CREDENTIAL_PREFIX}_live_`;

/** The prefix of every session token. */
export const SESSION_TOKEN_PREFIX = `${CREDENTIAL_PREFIX}_sess_`;

const credential = new RegExp(
  `((?:${API_KEY_PREFIX}|${SESSION_TOKEN_PREFIX})[0-9a-f]{8})[0-9a-f]+`,
  "gi",
);

/**
 * Cuts every credential in a text, complete or not, after the 8 digits that are no secret, and the
 * password of every address: for a message that quotes what a person typed.
 */
export function withoutSecrets(text: string): string {
  return text.replace(credential, "$1…").replace(/(:\/\/[^\s:@]*):\S*@/g, "$1:***@");
}

/** Random bytes in a credential's secret: 256 bits, which cannot be guessed. */
export const SECRET_BYTES = 32;
