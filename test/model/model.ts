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
  limits: KeyLimits;
  /** The number of the first key of those that replaced each other. */
  readonly line: number;
}

export interface KeyLimits {
  readonly endsMs?: number | undefined;
  /** The end as days from the creation, if it was given so. */
  readonly days?: number | undefined;
  readonly perPeriod: number | null;
  readonly perDay: number | null;
}

/** When a key was revoked or ended, if it was. */
export function endedMs({ revokedMs, limits: { endsMs } }: KeyState, nowMs: number) {
  return revokedMs ?? (endsMs !== undefined && endsMs <= nowMs ? endsMs : undefined);
}

export interface GrantState {
  /** 1 for the account's first grant. */
  readonly number: number;
  readonly id: string;
  readonly units: number;
  readonly grantedMs: number;
  readonly endsMs: number | undefined;
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

/** One unit: the time of the charge, its key, and the grant that it is from. */
interface Charge {
  readonly atMs: number;
  readonly keyNumber: number;
  readonly grantNumber?: number | undefined;
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
  readonly grants: GrantState[] = [];
  /** A quota of this account alone. */
  ownQuota: { readonly units: number; readonly untilMs: number | undefined } | undefined;

  constructor(person: Person, password: string) {
    this.person = person;
    this.password = password;
  }

  #chargesOfMonth(nowMs: number): Charge[] {
    const startMs = monthStartMs(nowMs);
    return this.charges.filter(({ atMs }) => monthStartMs(atMs) === startMs);
  }

  usedUnits(nowMs: number): number {
    return this.#chargesOfMonth(nowMs).length;
  }

  /** Those of the month's units that came from grants. */
  grantedUnits(nowMs: number): number {
    return this.#chargesOfMonth(nowMs).filter((unit) => unit.grantNumber !== undefined).length;
  }

  /** The units of a line of keys, in the month and on the day. */
  unitsOfLine(line: number, nowMs: number) {
    const units = this.#chargesOfMonth(nowMs).filter(
      ({ keyNumber }) => this.keys[keyNumber - 1]?.line === line,
    );
    const today = units.filter(({ atMs }) => dayOf(atMs) === dayOf(nowMs));
    return { period: units.length, day: today.length };
  }

  unitsFrom({ number }: GrantState): number {
    return this.charges.filter(({ grantNumber }) => grantNumber === number).length;
  }

  /** The units that a grant has left for a read. */
  unitsLeftIn(grant: GrantState, nowMs: number): number {
    const { endsMs = Number.POSITIVE_INFINITY, revokedMs, units } = grant;
    return revokedMs === undefined && nowMs < endsMs ? units - this.unitsFrom(grant) : 0;
  }

  /** The grant that the next unit beyond the quota is from: the one that ends first. */
  nextGrant(nowMs: number): GrantState | undefined {
    const usable = this.grants.filter((grant) => this.unitsLeftIn(grant, nowMs) > 0);
    return usable.sort(
      (one, other) =>
        (one.endsMs ?? Number.MAX_VALUE) - (other.endsMs ?? Number.MAX_VALUE) ||
        one.number - other.number,
    )[0];
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

  /** The units of the account's plan, or of its own quota. */
  planUnits({ plan, ownQuota }: AccountState): number {
    const { untilMs = Number.POSITIVE_INFINITY, units } = ownQuota ?? {};
    return units !== undefined && this.nowMs < untilMs ? units : (this.plans.get(plan) ?? 0);
  }

  /** With what grants have given in the month, and can give now. */
  quotaUnits(account: AccountState): number {
    const left = account.grants.map((grant) => account.unitsLeftIn(grant, this.nowMs));
    const leftUnits = left.reduce((sum, units) => sum + units, 0);
    const granted = account.grantedUnits(this.nowMs);
    // Of a plan that was lowered below its usage, nothing is missing from the grants.
    const usedOfPlan = leftUnits > 0 ? account.usedUnits(this.nowMs) - granted : 0;
    return Math.max(this.planUnits(account), usedOfPlan) + granted + leftUnits;
  }

  unitsLeft(account: AccountState): number {
    return Math.max(this.quotaUnits(account) - account.usedUnits(this.nowMs), 0);
  }
}
