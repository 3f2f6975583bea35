import { hash } from "node:crypto";

/** Units of a key on a day. */
export interface TableTotals {
  /** The stored units at the last audit. */
  charged: number;
  /** Charged responses since then: at least this many more units are stored. */
  answered: number;
  /** Reads since then without a response: each may be charged or not. */
  inDoubt: number;
}

/** Sent: it may have happened. Acknowledged: it must have happened. */
export type Progress = "none" | "sent" | "acknowledged";

export interface Key {
  readonly id: string;
  readonly apiKey: string;
  readonly owner: Customer;
  revocation: Progress;
  readonly days: Map<string, TableTotals>;
}

export interface Session {
  readonly token: string;
  readonly tokenHash: string;
  end: Progress;
}

export interface MailToken {
  readonly token: string;
  readonly purpose: "verification" | "password_reset";
}

/** What an account may rely on, and what may be true besides. */
export class Customer {
  readonly email: string;
  /** The valid one. */
  password: string;
  /** One that a reset in doubt may have set. */
  doubtfulPassword: string | undefined;
  verification: Progress = "none";
  /** Of a requested mail: `sent` if no response came. */
  resetMail: Progress = "none";
  /** The times of the mails to it. */
  readonly #mailsMs = [Date.now()];
  sessions: Session[] = [];
  keys: Key[] = [];
  /** The plans that it may have; more than one while a change is in doubt. */
  plans = new Set(["free"]);
  /** At most this many units can have been charged. */
  ceilingUnits = 0;
  /** The units charged at the last audit, and the reads since then that may be charged. */
  sentUnits = 0;
  /** Whether the quota was exceeded since its last change. */
  wasRefused = false;
  /** A worker acts for it, or the outcome of an action is in doubt. */
  isBusy = false;

  constructor(email: string, password: string) {
    this.email = email;
    this.password = password;
  }

  noteMail(): void {
    this.#mailsMs.push(Date.now());
  }

  /** Whether the service surely sends a further mail: it sends at most five per hour. */
  mayBeMailed(): boolean {
    return this.#mailsMs.filter((mailMs) => mailMs > Date.now() - 3_600_000).length < 5;
  }

  /** Units of a billing period that are certainly charged. */
  certainUnits(period: string): number {
    let units = 0;
    for (const { days } of this.keys) {
      for (const [day, { charged, answered }] of days) {
        if (day.startsWith(period)) units += charged + answered;
      }
    }
    return units;
  }
}

/** Everything that the service was asked to do and has acknowledged. */
export class Ledger {
  readonly customers = new Map<string, Customer>();
  /** Emails with a registration request, acknowledged or not. */
  readonly asked = new Set<string>();
  readonly keys = new Map<string, Key>();
  /** Accounts that read; the newest at the end. */
  readers: Customer[] = [];
  /** Units that a plan may have; more than one while a change is in doubt. */
  readonly plans = new Map<string, Set<number>>();
  readonly spentTokens: MailToken[] = [];
  /** The number of quota changes that were sent or settled. */
  changes = 0;
  /** Numbers of imports: the last started one, and the last finished one. */
  readonly imports = { begun: 0, done: 0 };
  /** The changes since the last audit, all of which the audit checks over HTTP. */
  fresh = newFresh();

  addCustomer(email: string, password: string): Customer {
    const customer = new Customer(email, password);
    customer.ceilingUnits = this.quotaMax(customer);
    this.customers.set(email, customer);
    return customer;
  }

  addKey(owner: Customer, { id, apiKey }: { readonly id: string; readonly apiKey: string }): Key {
    const key: Key = { id, apiKey, owner, revocation: "none", days: new Map() };
    owner.keys.push(key);
    this.keys.set(id, key);
    this.fresh.keys.add(key);
    return key;
  }

  addSession(owner: Customer, token: string): Session {
    const session: Session = { token, tokenHash: hash("sha256", token), end: "none" };
    owner.sessions.push(session);
    this.fresh.sessions.add(session);
    return session;
  }

  spend(token: MailToken): void {
    this.spentTokens.push(token);
    this.fresh.tokens.push(token);
  }

  /** The largest quota of the plans that an account may have. */
  quotaMax({ plans }: Customer): number {
    return Math.max(...this.quotasOf(plans));
  }

  quotasOf(plans: ReadonlySet<string>): number[] {
    return [...plans].flatMap((plan) => [...(this.plans.get(plan) ?? [])]);
  }

  /** A quota change is sent: from now on either value may be valid. */
  beginChange(change: () => void): void {
    change();
    this.changes += 1;
    for (const customer of this.customers.values()) {
      customer.ceilingUnits = Math.max(customer.ceilingUnits, this.quotaMax(customer));
      customer.wasRefused = false;
    }
  }

  /** A change is settled: beyond the new quota, only reads sent before can be charged. */
  settleChange(change: () => void): void {
    change();
    this.changes += 1;
    for (const customer of this.customers.values()) {
      const before = Math.min(customer.ceilingUnits, customer.sentUnits);
      customer.ceilingUnits = Math.max(this.quotaMax(customer), before);
      customer.wasRefused = false;
    }
  }
}

function newFresh() {
  return {
    keys: new Set<Key>(),
    sessions: new Set<Session>(),
    tokens: [] as MailToken[],
    /** Accounts whose password is new, or may be. */
    passwords: new Set<Customer>(),
  };
}

export function forgetFresh(ledger: Ledger): void {
  ledger.fresh = newFresh();
}

export function totalsQuery(key: Key, day: string): TableTotals {
  const known = key.days.get(day) ?? { charged: 0, answered: 0, inDoubt: 0 };
  key.days.set(day, known);
  return known;
}

/** The current UTC day in the service's notation. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function keepOnly<Thing>(things: Set<Thing>, kept: Thing): void {
  things.clear();
  things.add(kept);
}
