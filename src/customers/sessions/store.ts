import type { Origin, OwnerOrigin } from "../../platform/shared/origin.ts";

export interface Session {
  /** A UUIDv7, which does not derive from the token. */
  readonly id: string;
  readonly tokenHash: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The client's at the log-in, of IPv6 the /64. */
  readonly address: string;
  /** The browser and system of the log-in, or the program; undefined if it did not say. */
  readonly client: string | undefined;
}

/** A session as its account sees it. */
export type ListedSession = Omit<Session, "accountId">;

/** The stored hash that a password matched, and the hash to store from now on. */
export interface CheckedPassword {
  readonly hash: string;
  readonly nextHash: string;
}

/** When a session is valid, in RFC 3339. */
export interface SessionTimes {
  /** Sessions that have ended by then are invalid. */
  readonly now: string;
  /** Sessions that were created later are invalid. */
  readonly issuedBy: string;
}

export interface SessionStore {
  /**
   * Stores a session and updates the password's hash.
   *
   * @returns false, and stores nothing, when the password has changed since the check or the
   *   account is suspended.
   */
  create(session: Session, password: CheckedPassword, origin: Origin): Promise<boolean>;
  /**
   * @param issuedBy sessions created later are invalid; `now`, or slightly later.
   * @returns the account's id, or undefined when no session of that token is valid at `now`.
   */
  findAccount(tokenHash: string, now: string, issuedBy?: string): Promise<string | undefined>;
  /** A page of an account's valid sessions before an id, newest first. Times: see `findAccount`. */
  list(
    accountId: string,
    beforeId: string,
    limit: number,
    times: SessionTimes,
  ): Promise<ListedSession[]>;
  /** Ends the session that acts. */
  end(origin: OwnerOrigin): Promise<void>;
  /**
   * Ends a session of the same account.
   *
   * @returns false for an id that is unknown, another account's or expired.
   */
  endOne(sessionId: string, origin: OwnerOrigin): Promise<boolean>;
  /** Ends the account's sessions but the one that acts. */
  endOthers(origin: OwnerOrigin): Promise<void>;
  /**
   * Ends the valid sessions of all accounts with these tokens.
   *
   * @param tokenHashes at most HASHES_PER_STATEMENT.
   * @returns how many it ended.
   */
  burn(tokenHashes: readonly string[], origin: Origin): Promise<number>;
  /** How many `burn` would end. Writes nothing. */
  previewBurn(tokenHashes: readonly string[], now: string): Promise<number>;
}
