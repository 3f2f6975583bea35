import { hash } from "node:crypto";

/** Units of a key on a day. */
export interface TableTotals {
  /** As they stood at the last audit. */
  charged: number;
  /** Answers since then that cost a unit: so many more are charged at least. */
  answered: number;
  /** Reads since then whose answer never came: each may be charged or not. */
  inDoubt: number;
}

/** Sent: it may have happened. Acknowledged: it must have. */
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

/** What a customer was told, and what may be besides. */
export class Customer {
  readonly email: string;
  /** The one that works. */
  password: string;
  /** One that a reset in doubt may have put in its place. */
  doubtfulPassword: string | undefined;
  verification: Progress = "none";
  /** Of a mail that was asked for: `sent` when the answer never came. */
  resetMail: Progress = "none";
  /** When a mail to it may have been written. */
  readonly #mailsMs = [Date.now()];
  sessions: Session[] = [];
  keys: Key[] = [];
  /** The plans that it may be on; more than one while a move is in doubt. */
  plans = new Set(["free"]);
  /** More units than these cannot have been charged. */
  ceilingUnits = 0;
  /** Charged at the last audit, and sent since then without being told to be free of charge. */
  sentUnits = 0;
  /** Whether the quota has ended since it was last changed. */
  wasRefused = false;
  /** Someone acts for it, or an answer that decides what it may do is in doubt. */
  isBusy = false;

  constructor(email: string, password: string) {
    this.email = email;
    this.password = password;
  }

  noteMail(): void {
    this.#mailsMs.push(Date.now());
  }

  /** Whether the service is sure to write a further mail: at most five go out within an hour. */
  mayBeMailed(): boolean {
    return this.#mailsMs.filter((mailMs) => mailMs > Date.now() - 3_600_000).length < 5;
  }

  /** Units of a billing period that are charged for certain. */
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

/** All that was asked of the service and acknowledged by it. */
export class Ledger {
  readonly customers = new Map<string, Customer>();
  /** Emails whose registration was asked for, answered or not. */
  readonly asked = new Set<string>();
  readonly keys = new Map<string, Key>();
  /** Those that are read with; the newest at the end. */
  readers: Customer[] = [];
  /** Units that a plan may have; more than one while a change is in doubt. */
  readonly plans = new Map<string, Set<number>>();
  readonly spentTokens: MailToken[] = [];
  /** Changes of quotas that went out or were settled. */
  changes = 0;
  /** Numbers of imports: the last that was begun, and the last that is done. */
  readonly imports = { begun: 0, done: 0 };
  /** What was done since the last audit, which looks at all of it through the service's door. */
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

  /** The most that the plans allow which a customer may be on. */
  quotaMax({ plans }: Customer): number {
    return Math.max(...this.quotasOf(plans));
  }

  quotasOf(plans: ReadonlySet<string>): number[] {
    return [...plans].flatMap((plan) => [...(this.plans.get(plan) ?? [])]);
  }

  /** A change of quotas goes out: from now on either may hold. */
  beginChange(change: () => void): void {
    change();
    this.changes += 1;
    for (const customer of this.customers.values()) {
      customer.ceilingUnits = Math.max(customer.ceilingUnits, this.quotaMax(customer));
      customer.wasRefused = false;
    }
  }

  /** A change is settled: beyond the new quota nothing is charged but what was sent before. */
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
    /** Whose password is new, or may be. */
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

/** A UTC day as the service counts them. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function keepOnly<Thing>(things: Set<Thing>, kept: Thing): void {
  things.clear();
  things.add(kept);
}
