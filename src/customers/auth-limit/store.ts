export interface AuthWindow {
  /** The digest of an address, or of an address and an email. */
  readonly scope: string;
  /** Calls in the window so far, including the current one. */
  readonly calls: number;
  readonly endsAt: string;
}

export interface AuthWindowStore {
  /** Reads the scopes' windows that are open at `now`. Writes nothing. */
  current(scopes: readonly string[], now: string): Promise<AuthWindow[]>;
  /** Counts one call in each scope's window; a window that has ended by `now` restarts. */
  countAttempt(scopes: readonly string[], now: string, endsAt: string): Promise<AuthWindow[]>;
}
