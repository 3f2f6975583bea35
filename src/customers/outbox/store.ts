/** The purpose of the token in a mail's link. */
export type TokenPurpose = "verification" | "password_reset";

export type MailKind =
  | TokenPurpose
  | "password_changed"
  | "account_created"
  | "invitation"
  | "quota_reached"
  | "key_ends";

/** What a mail says of reached thresholds. */
export interface QuotaFigures {
  /** The highest of the account's in percent of the quota; 0 for none. */
  readonly threshold: number;
  /** All of them in words. Unset in mails that wait since before an upgrade. */
  readonly reached?: readonly string[];
  readonly used_units: number;
  readonly quota_units: number;
  /** RFC 3339 in UTC. */
  readonly resets_at: string;
}

/** What a mail says of a key that ends soon. */
export interface EndingKeyFigures {
  /** Its name and prefix. */
  readonly label: string;
  readonly ends_at: string;
}

/** A new token with the mail that carries it: they are stored together or not at all. */
export interface IssuedToken {
  readonly purpose: TokenPurpose;
  /** The kind of its mail, unless it is named like the purpose. */
  readonly kind?: MailKind;
  /** The secret itself: it stays in the mail's row until the mail is delivered. */
  readonly token: string;
  readonly tokenHash: string;
  readonly mailId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A mail to deliver. */
export interface OutgoingMail {
  readonly id: string;
  readonly kind: MailKind | "test";
  /** The recipient's address. */
  readonly email: string;
  /** The link's secret and its expiry; a notice has none. */
  readonly link: { readonly token: string; readonly expiresAt: string } | undefined;
  /** Only of `quota_reached`. */
  readonly quota?: QuotaFigures;
  /** Only of `key_ends`. */
  readonly endingKey?: EndingKeyFigures;
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
  claim(claim: {
    readonly now: string;
    readonly until: string;
    readonly limit: number;
  }): Promise<ClaimedMail[]>;
  /** Extends the lease of a mail in delivery, or sets the time of its next attempt. */
  reschedule(id: string, until: string, error?: string): Promise<void>;
  /** Makes mails due now whose next attempt is after `waitingBeyond`. */
  rescheduleStuck(now: string, waitingBeyond: string): Promise<void>;
  /** Records a delivery and removes the mail's secret. */
  markDelivered(id: string, at: string): Promise<void>;
  /** Ends the attempts and removes the mail's secret. */
  markGivenUp(id: string, at: string, error: string): Promise<void>;
  outboxState(): Promise<OutboxState>;
  /** All mails that wait or were given up, oldest first; on request the delivered ones, too. */
  list(options: { readonly withDelivered: boolean }): Promise<MailRecord[]>;
}
