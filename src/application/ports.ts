import type { BillingPeriod, Quota } from "../domain/billing.ts";
import type { Decimal } from "../domain/decimal.ts";
import type { Rate } from "../domain/rate.ts";
import type { SourcedRate, Succession, Verdict } from "../domain/succession.ts";
import type { Pair } from "../domain/symbol.ts";
import type { ApiKeyStore } from "./key-ports.ts";
import type { IssuedToken, MailStore, MailTokenStore } from "./mail-ports.ts";
import type { SourceStore } from "./source-ports.ts";

/** The one place that tells the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

/** Randomness and what is made of secrets. */
export interface Secrets {
  /** A UUIDv7 (RFC 9562): its order is the order of creation. */
  uuid(): string;
  /** 32 random bytes as 64 lowercase hexadecimal digits. */
  secret(): string;
  /** SHA-256 of a credential in hexadecimal: the only form in which one is stored. */
  hash(credential: string): string;
  /** The stored form of a password, with its parameters beside it. */
  hashPassword(password: string): Promise<string>;
  /** Takes as long for no account (`stored` undefined) as for a wrong password. */
  verifyPassword(stored: string | undefined, password: string): Promise<PasswordCheck>;
  /** The passwords that wait to be hashed, and those refused so far because too many did. */
  passwordQueue(): { readonly waiting: number; readonly refused: number };
  /** Rejects passwords that wait or are being hashed, and later ones that would have to wait. */
  closePasswords(): void;
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** The stored form was made with weaker parameters than today's. */
  readonly outdated: boolean;
}

/** The store could not do what it was asked, and nothing of it counts as done. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("The store is unavailable", { cause });
    this.name = "StoreUnavailable";
  }
}

/** Why a start is refused: one line for the operator that says what is wrong and what to do. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartError";
  }
}

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
  openAuthWindows(scopes: readonly string[], now: string): Promise<AuthWindow[]>;
  /** Counts one call in each scope's window; a window that is over at `now` starts anew. */
  countAuthCall(scopes: readonly string[], now: string, endsAt: string): Promise<AuthWindow[]>;
}

export interface Plan {
  readonly name: string;
  readonly unitsPerPeriod: number;
}

export interface PlanStore {
  listPlans(): Promise<Plan[]>;
  /** Adds a plan, or changes the units of one. */
  setPlan(plan: Plan): Promise<void>;
  /** Names of plans that accounts are on and that are not stored. */
  missingPlans(): Promise<string[]>;
}

export interface AccountUsage extends Quota {
  readonly plan: string;
}

/** A UTC day of one key. */
export interface DayOfKey {
  readonly day: string;
  readonly keyId: string;
}

/** What one key was charged on one UTC day. */
export interface DailyUnits extends DayOfKey {
  readonly units: number;
}

export interface UsageStore {
  usageOf(accountId: string, period: string): Promise<AccountUsage | undefined>;
  /**
   * A page of an account's days with units, in order of the day, then of the key's creation: what
   * comes after a day and key ("": all of that day), up to a last day of the same month.
   */
  dailyUnits(
    accountId: string,
    after: DayOfKey,
    lastDay: string,
    limit: number,
  ): Promise<DailyUnits[]>;
}

export interface StoredRate extends SourcedRate {
  /** When its operator suspended the pair. */
  readonly suspendedAt: string | undefined;
}

/** What would become of a rate. */
export interface Judged {
  readonly next: SourcedRate;
  readonly standing: SourcedRate | undefined;
  readonly verdict: Verdict;
}

export interface HeldRate extends SourcedRate {
  readonly heldAt: string;
  /** The rate that is served meanwhile. */
  readonly standing: Decimal;
}

export interface RateStore {
  /**
   * Judges each rate by the stored one and does what the verdict says, all in one transaction: a
   * rate that is stored replaces a held one of its pair, a held rate replaces the one held before.
   *
   * @returns the verdicts.
   */
  storeRates(rates: readonly SourcedRate[], judge: Succession, now: string): Promise<Verdict[]>;
  /** What `storeRates` would do, without doing it, beside what is stored. */
  judgeRates(rates: readonly SourcedRate[], judge: Succession): Promise<Judged[]>;
  /** Every held rate, in order of its pair. */
  listHeldRates(): Promise<HeldRate[]>;
  /** Serves a held rate from now on. @returns it, or undefined when none is held. */
  releaseRate(pair: Pair): Promise<SourcedRate | undefined>;
  /** Forgets a held rate. @returns false when none is held. */
  dropHeldRate(pair: Pair): Promise<boolean>;
  /** Every rate in order of its pair, or those of one base. */
  listRates(base?: string): Promise<StoredRate[]>;
  hasRates(): Promise<boolean>;
  /** Suspends the pair at a time or, without one, resumes it. @returns false: no such pair. */
  suspendRate(pair: Pair, at: string | undefined): Promise<boolean>;
}

/** What is done once for all nodes, to keep the store small. */
export interface TidyingStore {
  /** @returns whether this node is to do it now; the next time is then `nextAt`, for all nodes. */
  takeDuty(name: string, now: string, nextAt: string): Promise<boolean>;
  /** Removes sessions, mail tokens and windows of the abuse limiter that are over at `now`. */
  removeExpired(now: string): Promise<void>;
  /** Removes mails that were delivered or given up before a moment. */
  removeEndedMails(before: string): Promise<void>;
}

export interface SharedStore {
  /** Whether another process has written since the last call, and would have to wait for us. */
  writtenByOthers(): Promise<boolean>;
  /** @throws {StoreUnavailable} when what was to be written last could not be, and still cannot. */
  checkWrites(): Promise<void>;
}

/** One metered read, as it goes into a batch. */
export interface RateRead {
  readonly keyHash: string;
  /** Without a pair the key is checked and its quota told, but nothing charged. */
  readonly pair: Pair | undefined;
  readonly period: BillingPeriod;
  /** The UTC day of the charge. */
  readonly day: string;
}

export type RateFound =
  | Rate
  | "not_asked"
  | "exhausted"
  | "unsupported"
  | "suspended"
  | StoreUnavailable;

/** A read of an account whose quota is not stored: nothing is charged. */
export interface ReadWithoutQuota {
  readonly quota: undefined;
  readonly found: "not_asked" | StoreUnavailable;
}

/** What became of a read; `undefined` when no active key has that hash. */
export type RateReadOutcome =
  | { readonly quota: Quota; readonly found: RateFound }
  | ReadWithoutQuota
  | undefined;

export interface MeterStore {
  /**
   * Checks the key, charges one unit and reads the rate, in one transaction that is on disk before
   * the promise resolves. A rate that cannot be read is charged; all else that fails is not.
   *
   * @throws {StoreUnavailable} nothing of this read is known to be charged.
   */
  read(read: RateRead): Promise<RateReadOutcome>;
}

export interface Store
  extends AccountStore,
    SessionStore,
    ApiKeyStore,
    AuthLimitStore,
    PlanStore,
    UsageStore,
    RateStore,
    SourceStore,
    MailTokenStore,
    MailStore,
    TidyingStore,
    SharedStore,
    MeterStore,
    AsyncDisposable {}
