import type { Clock } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { type Origin, ownerNow, type SessionInUse } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { normalizePassword, wrongPassword } from "../passwords/rules.ts";

/** The parts of an export that are read in pages. */
export const exportSections = [
  "api_keys",
  "sessions",
  "mailed_links",
  "mails",
  "usage",
  "terms",
  "grants",
  "quota_notices",
] as const;

export type ExportSection = (typeof exportSections)[number];

/** A stored row, by its columns' names. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** What an operator does to accounts. An account is named by its email in normal form. */
export interface AdministrationStore {
  /**
   * Suspends an account: its keys and sessions are rejected from then on, on every node.
   *
   * @returns undefined when there is no such account, "unchanged" when it is suspended already.
   */
  suspend(email: string, origin: Origin): Promise<"changed" | "unchanged" | undefined>;
  /** Makes a suspended account's keys and sessions valid again. @returns as `suspend`. */
  resume(email: string, origin: Origin): Promise<"changed" | "unchanged" | undefined>;
  /** @returns how many sessions were ended; undefined when there is no such account. */
  endSessions(email: string, origin: Origin): Promise<number | undefined>;
  /** Stores a token that sets a password, without a mail. @returns undefined: no such account. */
  createResetToken(
    email: string,
    token: { readonly tokenHash: string; readonly expiresAt: string },
    origin: Origin,
  ): Promise<{ readonly isSuspended: boolean } | undefined>;
  /** What a deletion concerns; undefined when there is no such account. */
  contents(
    email: string,
    now: string,
  ): Promise<
    { readonly id: string; readonly activeKeys: number; readonly units: number } | undefined
  >;
  /**
   * Deletes an account. What remains of it: its id, plan, quota, customer number and times, its
   * keys' ids, digests, limits and times, its grants, the units by period and by key and day, and
   * its events without addresses and details.
   *
   * @param passwordHash deletes nothing when the account has another one.
   * @returns false when there is no such account.
   */
  delete(email: string, origin: Origin, passwordHash?: string): Promise<boolean>;
  /** Deletes the invitations of an email, and their mails. @returns how many there were. */
  withdrawInvitations(email: string, origin: Origin): Promise<number>;
  /**
   * Records the export of an account, and reads its own row, without its password's digest.
   *
   * @returns undefined, and records nothing, when there is no such account.
   */
  beginExport(
    accountId: string,
    origin: Origin,
  ): Promise<{ readonly createdAt: string; readonly row: StoredRow } | undefined>;
  /** A page of an account's rows after a place ("": all). */
  section(
    section: ExportSection,
    accountId: string,
    after: string,
    limit: number,
  ): Promise<{ readonly place: string; readonly row: StoredRow }[]>;
}

/**
 * Deletes the account of a session, as `kurs accounts delete` does. Its password counts and is
 * checked as at a log-in: otherwise a stolen session could try passwords without a limit.
 *
 * @throws {Failure} `too_many_requests`; `unauthorized` for a wrong password, and when the session
 *   has lost its access meanwhile.
 */
export type DeleteAccount = (session: SessionInUse, password: string) => Promise<void>;

export function createDeleteAccount(uses: {
  readonly store: {
    readonly accounts: AccountStore;
    readonly administration: AdministrationStore;
  };
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
}): DeleteAccount {
  const { store, passwords, consumeAuthAttempt } = uses;

  const findAccount = async (accountId: string) => {
    const account = await store.accounts.findById(accountId);
    if (account === undefined) throw sessionRequired;
    return account;
  };

  return async (session, typed) => {
    const { accountId, clientAddress } = session;
    const { email } = await findAccount(accountId);
    await consumeAuthAttempt(clientAddress, email);
    const password = normalizePassword(typed);
    for (;;) {
      const { passwordHash } = await findAccount(accountId);
      const { matches } = await passwords.verify(passwordHash || undefined, password);
      if (!matches) throw wrongPassword;
      // Otherwise the password changed meanwhile: check again.
      if (await store.administration.delete(email, ownerNow(session, uses), passwordHash)) return;
    }
  };
}
