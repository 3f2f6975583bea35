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
   * @returns false when the email is taken, and then nothing is stored.
   */
  createAccount(account: Account, verification: IssuedToken): Promise<boolean>;
  accountByEmail(email: string): Promise<Account | undefined>;
  /** Every account in order of creation, or the one of an email, with its units in a period. */
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

/** A password as it stood when it was found right, and as it is to be stored from now on. */
export interface CheckedPassword {
  readonly hash: string;
  readonly nextHash: string;
}

export interface SessionStore {
  /**
   * Stores a session, removes those of the account that have expired, and renews the password's
   * stored form.
   *
   * @returns false when the password has been changed since it was checked: nothing is stored.
   */
  createSession(session: Session, password: CheckedPassword): Promise<boolean>;
  /**
   * @param issuedBy no session counts that was issued later; `now`, or a little after.
   * @returns the account's id, or undefined when no session of that token is valid at `now`.
   */
  sessionAccount(tokenHash: string, now: string, issuedBy?: string): Promise<string | undefined>;
  endSession(tokenHash: string): Promise<void>;
}

export interface AuthWindow {
  /** What is counted, as a digest: an address, or an address with an email. */
  readonly scope: string;
  /** Calls in the window so far, the one that is being counted included. */
  readonly calls: number;
  readonly endsAt: string;
}

export interface AuthLimitStore {
  /** Those of the scopes' windows that are open at `now`. Writes nothing. */
  currentAuthWindows(scopes: readonly string[], now: string): Promise<AuthWindow[]>;
  /** Counts one call in each scope's window; a window that is over at `now` starts anew. */
  countAuthAttempt(scopes: readonly string[], now: string, endsAt: string): Promise<AuthWindow[]>;
}
