import type { Origin } from "../../platform/shared/origin.ts";
import type { Quota } from "../billing/rules.ts";
import type { IssuedToken } from "../outbox/store.ts";

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

/** A quota of one account alone, instead of its plan's. */
interface OwnQuota {
  readonly units: number;
  /** RFC 3339 in UTC; undefined: without an end. */
  readonly until: string | undefined;
}

export interface AccountSummary extends Omit<Account, "passwordHash" | "quotaMails"> {
  readonly activeKeys: number;
  /** In the current billing period, grants included. */
  readonly quota: Quota;
  readonly ownQuota: OwnQuota | undefined;
  /** The account's name on the operator's invoices. */
  readonly customerNumber: string | undefined;
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
   * A page of accounts in order of creation, with their units in the billing period of a time:
   * those after an id ("": from the first).
   */
  list(now: string, afterId: string, limit: number): Promise<AccountSummary[]>;
  /** The account of an email, with its units in the billing period of a time. */
  summarize(now: string, email: string): Promise<AccountSummary | undefined>;
  /** @returns false when there is no such account. The plan must exist. */
  setPlan(email: string, plan: string, origin: Origin): Promise<boolean>;
  /**
   * Sets a quota of this account alone; undefined: that of its plan counts again.
   *
   * @returns false when there is no such account.
   */
  setQuota(email: string, quota: OwnQuota | undefined, origin: Origin): Promise<boolean>;
  /** Sets or, undefined, removes its customer number. @returns false: no such account. */
  setCustomerNumber(email: string, number: string | undefined, origin: Origin): Promise<boolean>;
  /** Turns its mails about the quota on or off; writes nothing when they are so already. */
  setQuotaMails(accountId: string, quotaMails: boolean, origin: Origin): Promise<void>;
  /** Marks an email as verified without a token. @returns false when it has no account. */
  markEmailVerified(email: string, origin: Origin): Promise<boolean>;
}
