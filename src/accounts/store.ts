import type { Quota } from "../billing/rules.ts";
import type { IssuedToken, TokenPurpose } from "../mail/store.ts";
import type { Origin } from "../shared/origin.ts";

export interface Account {
  readonly id: string;
  readonly email: string;
  /** Empty until the owner of an account that an operator created sets a password. */
  readonly passwordHash: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly emailVerifiedAt: string | undefined;
  /** Since when its keys and sessions are rejected. */
  readonly suspendedAt: string | undefined;
  /** Whether it gets mails about reached thresholds of its quota. */
  readonly quotaMails: boolean;
}

export interface AccountSummary {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly emailVerifiedAt: string | undefined;
  readonly suspendedAt: string | undefined;
  readonly activeKeys: number;
  readonly quota: Quota;
}

export interface AccountStore {
  /**
   * Stores an account with the token that verifies its email or sets its password, and the token's
   * mail.
   *
   * @returns false, and stores nothing, when the email is taken.
   */
  create(account: Account, token: IssuedToken, origin: Origin): Promise<boolean>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** @returns undefined for an unknown or deleted account. */
  findById(accountId: string): Promise<Account | undefined>;
  /**
   * A page of accounts in order of creation, with their units in a period: those after an id ("":
   * from the first).
   */
  list(period: string, afterId: string, limit: number): Promise<AccountSummary[]>;
  /** The account of an email, with its units in a period. */
  summarize(period: string, email: string): Promise<AccountSummary | undefined>;
  /** @returns false when there is no such account. The plan must exist. */
  setPlan(email: string, plan: string, origin: Origin): Promise<boolean>;
  /** Turns its mails about the quota on or off; writes nothing when they are so already. */
  setQuotaMails(accountId: string, quotaMails: boolean, origin: Origin): Promise<void>;
  /** Marks an email as verified without a token. @returns false when it has no account. */
  markEmailVerified(email: string, origin: Origin): Promise<boolean>;
}

/** An invitation to register with one email. */
export interface Invitation {
  readonly tokenHash: string;
  /** The id that the account will have. */
  readonly accountId: string;
  readonly email: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A new invitation with its mail: they are stored together or not at all. */
export interface NewInvitation extends Invitation {
  /** The secret itself: it stays in the mail's row until the mail is delivered. */
  readonly token: string;
  readonly mailId: string;
}

export interface InvitationStore {
  /**
   * Stores an invitation and its mail; older ones for the email stay valid. The plan must exist.
   *
   * @returns false, and stores nothing, when the email has an account.
   */
  create(invitation: NewInvitation, origin: Origin): Promise<boolean>;
  /** @returns the invitation of a token while it is valid for an email; does not spend it. */
  find(tokenHash: string, email: string, now: string): Promise<Invitation | undefined>;
  /**
   * Spends an invitation: stores the account, with the invitation's id and plan, and removes every
   * invitation for its email. Stores nothing in the other cases.
   */
  accept(
    tokenHash: string,
    account: Account,
    origin: Origin,
  ): Promise<"accepted" | "invalid" | "email_taken">;
}

export interface Session {
  /** A UUIDv7, which does not derive from the token. */
  readonly id: string;
  readonly tokenHash: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The client's at the log-in, of IPv6 the /64. */
  readonly address: string;
}

/** A session as its account sees it. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Unknown for a session that an older version stored. */
  readonly address: string | undefined;
  readonly tokenHash: string;
}

/** The session of a request, whose token the guard has accepted. */
export interface AskingSession {
  readonly accountId: string;
  readonly tokenHash: string;
}

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
  end(tokenHash: string, origin: Origin): Promise<void>;
  /**
   * Ends one of an account's sessions.
   *
   * @returns "not_found" for an id that is unknown, another account's or expired; "asker_ended",
   *   and nothing changes, when the session that asks has ended.
   */
  endOne(
    sessionId: string,
    asker: AskingSession,
    origin: Origin,
  ): Promise<"ended" | "not_found" | "asker_ended">;
  /** Ends an account's sessions but the one that asks. @returns as `endOne`. */
  endOthers(asker: AskingSession, origin: Origin): Promise<"ended" | "asker_ended">;
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

export interface PasswordReset {
  readonly tokenHash: string;
  readonly passwordHash: string;
  /** The id of the notice that reports the change. */
  readonly mailId: string;
}

export interface MailTokenStore {
  /**
   * Stores a token and its mail for the account of an email; older tokens stay valid. Stores
   * nothing when the email has no account, is already verified (for `verification`), or has reached
   * the limit of tokens or mails, but takes as long and does not report it.
   */
  issue(email: string, token: IssuedToken, origin: Origin): Promise<void>;
  /** @returns the email of the token's account while the token is valid; does not spend it. */
  findEmail(tokenHash: string, purpose: TokenPurpose, now: string): Promise<string | undefined>;
  /**
   * Spends a token and marks its account's email as verified; voids the account's other tokens of
   * the purpose. @returns false when the token is not valid.
   */
  verifyEmail(tokenHash: string, origin: Origin): Promise<boolean>;
  /**
   * Spends a token as `verifyEmail` does, sets the password, marks the email as verified, ends
   * every session of the account and writes the notice, in one transaction. Revokes the account's
   * keys if the email was not verified before. @returns false when the token is not valid.
   */
  resetPassword(reset: PasswordReset, origin: Origin): Promise<boolean>;
}

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
