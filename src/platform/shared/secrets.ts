interface PasswordCheck {
  readonly matches: boolean;
  /** The stored form was made with weaker parameters than today's. */
  readonly outdated: boolean;
}

/** Randomness, and hashes of secrets. */
export interface Secrets {
  /** A UUIDv7 (RFC 9562): its order is the order of creation. */
  uuid(): string;
  /** 32 random bytes as 64 lowercase hexadecimal digits. */
  secret(): string;
  /** SHA-256 of a credential in hexadecimal: the only form in which one is stored. */
  hash(credential: string): string;
  /** The stored form of a password, with its parameters. */
  hashPassword(password: string): Promise<string>;
  /** Takes as long for no account (`stored` undefined) as for a wrong password. */
  verifyPassword(stored: string | undefined, password: string): Promise<PasswordCheck>;
  /** The passwords that wait to be hashed, and those rejected so far because the queue was full. */
  passwordQueue(): { readonly waiting: number; readonly rejected: number };
  /** Rejects passwords that wait or are being hashed, and later ones that would have to wait. */
  closePasswords(): void;
}

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
