interface PasswordCheck {
  readonly matches: boolean;
  /** The stored form was made with weaker parameters than today's. */
  readonly outdated: boolean;
}

/** Hashes passwords, and checks them. */
export interface Passwords {
  /** The stored form of a password, with its parameters. */
  hash(password: string): Promise<string>;
  /** Takes as long for no account (`stored` undefined) as for a wrong password. */
  verify(stored: string | undefined, password: string): Promise<PasswordCheck>;
  /** The passwords that wait to be hashed, and those rejected so far because the queue was full. */
  queue(): { readonly waiting: number; readonly rejected: number };
  /** Rejects passwords that wait or are being hashed, and later ones that would have to wait. */
  close(): void;
}
