/** What the token of a mail's link is good for. */
export type TokenPurpose = "verification" | "password_reset";

export type MailKind = TokenPurpose | "password_changed";

/** A new token with the mail that carries it: they are stored together or not at all. */
export interface IssuedToken {
  readonly purpose: TokenPurpose;
  /** The secret itself: it stays in the mail's row until the mail is delivered. */
  readonly token: string;
  readonly tokenHash: string;
  readonly mailId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface PasswordReset {
  readonly tokenHash: string;
  readonly passwordHash: string;
  /** The notice that tells of it. */
  readonly mailId: string;
  readonly now: string;
}

export interface MailTokenStore {
  /**
   * Stores a token and its mail for the account of an email; older tokens stay valid. Does nothing
   * for an email without an account, to verify for one that is verified, or where the account has
   * its most tokens or mails, but takes as long and does not tell.
   */
  issueToken(email: string, token: IssuedToken): Promise<void>;
  /** @returns the email of the account that may still use the token; spends nothing. */
  tokenEmail(tokenHash: string, purpose: TokenPurpose, now: string): Promise<string | undefined>;
  /**
   * Spends a token and marks its account's email as verified; the account's other tokens of the
   * purpose are void. @returns false: no such token.
   */
  verifyEmail(tokenHash: string, now: string): Promise<boolean>;
  /**
   * Spends a token as `verifyEmail` does, sets the password, marks the email as verified, ends
   * every session of the account and writes the notice, in one transaction. When the email was not
   * verified before, the account's keys are revoked. @returns false: no such token.
   */
  resetPassword(reset: PasswordReset): Promise<boolean>;
  /** Marks an email as verified, whoever says so. @returns false when there is no such account. */
  markEmailVerified(email: string, now: string): Promise<boolean>;
}

/** A mail as it is to be delivered. */
export interface OutgoingMail {
  readonly id: string;
  readonly kind: MailKind | "test";
  /** The address that it goes to. */
  readonly email: string;
  /** The secret of its link, and until when that works; a notice has none. */
  readonly link: { readonly token: string; readonly expiresAt: string } | undefined;
  readonly createdAt: string;
}

export interface ClaimedMail extends OutgoingMail {
  /** Attempts to deliver it, this one included. */
  readonly attempts: number;
}

export interface MailRecord {
  readonly id: string;
  readonly kind: string;
  readonly email: string;
  readonly createdAt: string;
  readonly attempts: number;
  /** Unset once it is delivered or given up. */
  readonly nextAttemptAt: string | undefined;
  readonly lastError: string | undefined;
  readonly deliveredAt: string | undefined;
  readonly givenUpAt: string | undefined;
}

/** How full the outbox is. */
export interface OutboxState {
  readonly waiting: number;
  /** When the oldest of those that wait was written; undefined when none does. */
  readonly oldestWaitingAt: string | undefined;
  /** Those that were given up, within the last 30 days: then their rows go. */
  readonly givenUp: number;
}

/** The outbox. */
export interface MailStore {
  /** Takes mails that are due, oldest first: until a moment they are nobody else's. */
  claimMails(claim: {
    readonly now: string;
    readonly until: string;
    readonly limit: number;
  }): Promise<ClaimedMail[]>;
  /** Keeps a mail that is being delivered from others for longer, or has it tried again then. */
  rescheduleMail(id: string, until: string, error?: string): Promise<void>;
  /** Makes mails due that are to be tried after a moment only. */
  rescheduleStuckMails(now: string, waitingBeyond: string): Promise<void>;
  /** Notes a delivery and removes the mail's secret. */
  markDelivered(id: string, at: string): Promise<void>;
  /** Ends the attempts and removes the mail's secret. */
  markGivenUp(id: string, at: string, error: string): Promise<void>;
  outboxState(): Promise<OutboxState>;
  /** Every mail that waits or was given up, oldest first; the delivered ones, too, if asked for. */
  listMails(options: { readonly withDelivered: boolean }): Promise<MailRecord[]>;
}
