import type { Quota } from "../billing/rules.ts";
import type { IssuedToken } from "../mail/store.ts";

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly emailVerifiedAt: string | undefined;
}

export interface AccountSummary {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly emailVerifiedAt: string | undefined;
  readonly activeKeys: number;
  readonly quota: Quota;
}

export interface AccountStore {
  /**
   * Stores an account with the token that verifies its email, and that token's mail.
   *
   * @returns false, and stores nothing, when the email is taken.
   */
  createAccount(account: Account, verification: IssuedToken): Promise<boolean>;
  accountByEmail(email: string): Promise<Account | undefined>;
  /** Every account in order of creation, or only the email's, with its units in a period. */
  listAccounts(period: string, email?: string): Promise<AccountSummary[]>;
  /** @returns false when there is no such account. The plan must exist. */
  setAccountPlan(email: string, plan: string): Promise<boolean>;
}

export interface Session {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The stored hash that a password matched, and the hash to store from now on. */
export interface CheckedPassword {
  readonly hash: string;
  readonly nextHash: string;
}

export interface SessionStore {
  /**
   * Stores a session, removes the account's expired ones, and updates the password's hash.
   *
   * @returns false, and stores nothing, when the password has changed since the check.
   */
  createSession(session: Session, password: CheckedPassword): Promise<boolean>;
  /**
   * @param issuedBy sessions created later are invalid; `now`, or slightly later.
   * @returns the account's id, or undefined when no session of that token is valid at `now`.
   */
  sessionAccount(tokenHash: string, now: string, issuedBy?: string): Promise<string | undefined>;
  endSession(tokenHash: string): Promise<void>;
}

export interface AuthWindow {
  /** The digest of an address, or of an address and an email. */
  readonly scope: string;
  /** Calls in the window so far, including the current one. */
  readonly calls: number;
  readonly endsAt: string;
}

export interface AuthLimitStore {
  /** Reads the scopes' windows that are open at `now`. Writes nothing. */
  currentAuthWindows(scopes: readonly string[], now: string): Promise<AuthWindow[]>;
  /** Counts one call in each scope's window; a window that has ended by `now` restarts. */
  countAuthAttempt(scopes: readonly string[], now: string, endsAt: string): Promise<AuthWindow[]>;
}
