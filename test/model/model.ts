import { DAY_MS, dayOf, HOUR_MS, monthStartMs } from "./calendar.ts";
import type { FromLast, PairName, Person, PlanName } from "./names.ts";
import type { PairFigure, PairState } from "./pair-state.ts";

// The specification and the contract in the simplest form: nothing here uses the service's own
// code, nothing is stored twice, and every sum is computed anew.

export interface SessionState {
  readonly token: string;
  readonly endsMs: number;
  isEnded: boolean;
}

export interface KeyState {
  /** 1 for the account's first key. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly createdMs: number;
  revokedMs: number | undefined;
}

export type Purpose = "verification" | "reset";

export interface TokenState {
  readonly purpose: Purpose;
  readonly text: string;
  readonly endsMs: number;
  /** Used, or void because another token of its purpose was used. */
  isSpent: boolean;
}

/** Per purpose. */
const VALID_TOKENS_MAX = 5;
const MAILS_PER_HOUR_MAX = 5;

/** One unit: the time of the charge, and its key. */
interface Charge {
  readonly atMs: number;
  readonly keyNumber: number;
}

export class AccountState {
  readonly person: Person;
  password: string;
  formerPassword: string | undefined;
  isVerified = false;
  plan: PlanName = "free";
  readonly sessions: SessionState[] = [];
  readonly keys: KeyState[] = [];
  /** In the order in which they were mailed. */
  readonly tokens: TokenState[] = [];
  /** The time of each mail. */
  readonly mailsMs: number[] = [];
  readonly charges: Charge[] = [];

  constructor(person: Person, password: string) {
    this.person = person;
    this.password = password;
  }

  usedUnits(nowMs: number): number {
    const startMs = monthStartMs(nowMs);
    return this.charges.filter(({ atMs }) => monthStartMs(atMs) === startMs).length;
  }

  /** The units by day and key, in the form of the `days` of the daily usage. */
  days(nowMs: number, count: number) {
    const dates = Array.from({ length: count }, (_, back) => dayOf(nowMs - back * DAY_MS));
    return dates.toReversed().flatMap((date) =>
      this.keys.flatMap(({ id, number }) => {
        const charged = this.charges.filter(
          ({ atMs, keyNumber }) => keyNumber === number && dayOf(atMs) === date,
        );
        return charged.length === 0 ? [] : [{ date, api_key_id: id, units: charged.length }];
      }),
    );
  }

  /** Whether a token is valid now: of that purpose, unused and not expired. */
  accepts(token: TokenState, purpose: Purpose, nowMs: number): boolean {
    const isOwn = this.tokens.includes(token) && token.purpose === purpose;
    return isOwn && !token.isSpent && nowMs < token.endsMs;
  }

  /**
   * Whether mails about the quota may decide whether there is a further mail: they count, too, and
   * when they come depends on when a node looks.
   */
  mayHaveBeenWarned(nowMs: number): boolean {
    const months = new Set(this.charges.map(({ atMs }) => monthStartMs(atMs)));
    const recent = this.mailsMs.filter((mailMs) => mailMs > nowMs - HOUR_MS).length;
    return recent < MAILS_PER_HOUR_MAX && recent + 2 * months.size >= MAILS_PER_HOUR_MAX;
  }

  /** Whether a request now causes a further mail. */
  mayBeMailed(purpose: Purpose, nowMs: number): boolean {
    const valid = this.tokens.filter((token) => this.accepts(token, purpose, nowMs));
    const recent = this.mailsMs.filter((mailMs) => mailMs > nowMs - HOUR_MS);
    return valid.length < VALID_TOKENS_MAX && recent.length < MAILS_PER_HOUR_MAX;
  }

  /** Uses a token, which voids the others of its purpose. */
  spend({ purpose }: TokenState): void {
    for (const token of this.tokens) if (token.purpose === purpose) token.isSpent = true;
  }
}

export class Model {
  nowMs: number;
  readonly accounts = new Map<Person, AccountState>();
  readonly plans = new Map<PlanName, number>();
  readonly pairs = new Map<PairName, PairState>();
  /** In the order of their times; of one time, the last is the last revision. */
  readonly figures = new Map<PairName, PairFigure[]>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  account(person: Person): AccountState {
    const account = this.accounts.get(person);
    if (account === undefined) throw new Error(`${person} has no account in the model`);
    return account;
  }

  session(person: Person, fromLast: FromLast): SessionState | undefined {
    return this.accounts.get(person)?.sessions.at(-1 - fromLast);
  }

  isValid({ isEnded, endsMs }: SessionState): boolean {
    return !isEnded && this.nowMs < endsMs;
  }

  key(person: Person, number: number): KeyState | undefined {
    return this.accounts.get(person)?.keys[number - 1];
  }

  token(person: Person, purpose: Purpose, fromLast: FromLast): TokenState | undefined {
    const tokens = this.accounts.get(person)?.tokens ?? [];
    return tokens.filter((token) => token.purpose === purpose).at(-1 - fromLast);
  }

  /** The account that a token belongs to, if it is valid now. */
  ownerOf(token: TokenState, purpose: Purpose): AccountState | undefined {
    return [...this.accounts.values()].find((account) =>
      account.accepts(token, purpose, this.nowMs),
    );
  }

  quotaUnits({ plan }: AccountState): number {
    return this.plans.get(plan) ?? 0;
  }

  unitsLeft(account: AccountState): number {
    return Math.max(this.quotaUnits(account) - account.usedUnits(this.nowMs), 0);
  }
}
