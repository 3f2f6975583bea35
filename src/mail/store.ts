/** The purpose of the token in a mail's link. */
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
  /** The id of the notice that reports the change. */
  readonly mailId: string;
  readonly now: string;
}

export interface MailTokenStore {
  /**
   * Stores a token and its mail for the account of an email; older tokens stay valid. Stores
   * nothing when the email has no account, is already verified (for `verification`), or has reached
   * the limit of tokens or mails, but takes as long and does not report it.
   */
  issueToken(email: string, token: IssuedToken): Promise<void>;
  /** @returns the email of the token's account while the token is valid; does not spend it. */
  tokenEmail(tokenHash: string, purpose: TokenPurpose, now: string): Promise<string | undefined>;
  /**
   * Spends a token and marks its account's email as verified; voids the account's other tokens of
   * the purpose. @returns false when the token is not valid.
   */
  verifyEmail(tokenHash: string, now: string): Promise<boolean>;
  /**
   * Spends a token as `verifyEmail` does, sets the password, marks the email as verified, ends
   * every session of the account and writes the notice, in one transaction. Revokes the account's
   * keys if the email was not verified before. @returns false when the token is not valid.
   */
  resetPassword(reset: PasswordReset): Promise<boolean>;
  /** Marks an email as verified without a token. @returns false when it has no account. */
  markEmailVerified(email: string, now: string): Promise<boolean>;
}

/** A mail to deliver. */
export interface OutgoingMail {
  readonly id: string;
  readonly kind: MailKind | "test";
  /** The recipient's address. */
  readonly email: string;
  /** The link's secret and its expiry; a notice has none. */
  readonly link: { readonly token: string; readonly expiresAt: string } | undefined;
  readonly createdAt: string;
}

export interface ClaimedMail extends OutgoingMail {
  /** Attempts to deliver it, including this one. */
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
  /** When the oldest waiting mail was written; undefined when none waits. */
  readonly oldestWaitingAt: string | undefined;
  /** Mails given up within the last 30 days; older rows are removed. */
  readonly givenUp: number;
}

/** The outbox. */
export interface MailStore {
  /** Claims due mails, oldest first: no other node can claim them before `until`. */
  claimMails(claim: {
    readonly now: string;
    readonly until: string;
    readonly limit: number;
  }): Promise<ClaimedMail[]>;
  /** Extends the lease of a mail in delivery, or sets the time of its next attempt. */
  rescheduleMail(id: string, until: string, error?: string): Promise<void>;
  /** Makes mails due now whose next attempt is after `waitingBeyond`. */
  rescheduleStuckMails(now: string, waitingBeyond: string): Promise<void>;
  /** Records a delivery and removes the mail's secret. */
  markDelivered(id: string, at: string): Promise<void>;
  /** Ends the attempts and removes the mail's secret. */
  markGivenUp(id: string, at: string, error: string): Promise<void>;
  outboxState(): Promise<OutboxState>;
  /** All mails that wait or were given up, oldest first; on request the delivered ones, too. */
  listMails(options: { readonly withDelivered: boolean }): Promise<MailRecord[]>;
}
