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
