import { hash } from "node:crypto";
import { type Client, type Customer, PASSWORD } from "../../test/support/client.ts";

/** Units of a key on a day. */
export interface DayUnits {
  /** As they stood at the last audit. */
  charged: number;
  /** Answers since then that cost a unit: so many more are charged at least. */
  answered: number;
  /** Reads since then whose answer never came: each may be charged or not. */
  inDoubt: number;
}

/** Sent: it may have happened. Acknowledged: it must have. */
export type Progress = "none" | "sent" | "acknowledged";

export interface KeyEntry {
  readonly id: string;
  readonly apiKey: string;
  readonly owner: AccountEntry;
  revocation: Progress;
  readonly days: Map<string, DayUnits>;
  /** Undefined for a key without a cap. */
  readonly line: LineEntry | undefined;
}

/** Keys that replaced each other. */
export interface LineEntry {
  /** The most units of a billing period. */
  readonly cap: number;
  readonly keys: KeyEntry[];
  /** Whether the cap has rejected a read. */
  wasRejected: boolean;
}

export interface SessionEntry {
  readonly token: string;
  readonly tokenHash: string;
  readonly owner: AccountEntry;
  end: Progress;
}

export interface MailToken {
  readonly token: string;
  readonly purpose: "verification" | "password_reset";
}

/** What was acknowledged of an account, and what may be besides. */
export class AccountEntry {
  readonly email: string;
  /** The one that works. */
  password = PASSWORD;
  /** One that a reset in doubt may have put in its place. */
  doubtfulPassword: string | undefined;
  verification: Progress = "none";
  /** Of a mail that was asked for: `sent` when the answer never came. */
  resetMail: Progress = "none";
  /** When a mail to it may have been written. */
  readonly #mailsMs = [Date.now()];
  sessions: SessionEntry[] = [];
  keys: KeyEntry[] = [];
  /** The plans that it may be on; more than one while a move is in doubt. */
  plans = new Set(["free"]);
  /** The units that it may have been granted, likewise. */
  granted = new Set([0]);
  /** More units of the plan than these cannot have been charged. */
  ceilingUnits = 0;
  /** Charged at the last audit, and sent since then without being told to be free of charge. */
  sentUnits = 0;
  /** Whether the quota has ended since it was last changed. */
  wasRejected = false;
  /** Someone acts for it, or an answer that decides what it may do is in doubt. */
  isBusy = false;

  constructor(email: string) {
    this.email = email;
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

/** All that was asked of a service and acknowledged by it: what must be found, whatever fails. */
export class Ledger {
  readonly accounts = new Map<string, AccountEntry>();
  /** Emails whose registration was asked for, answered or not. */
  readonly asked = new Set<string>();
  readonly keys = new Map<string, KeyEntry>();
  /** Those that are read with; the newest at the end. */
  readers: AccountEntry[] = [];
  /** Units that a plan may have; more than one while a change is in doubt. */
  readonly plans = new Map([["free", new Set([1000])]]);
  readonly spentTokens: MailToken[] = [];
  /** Changes of quotas that went out or were settled. */
  changes = 0;
  /** Numbers of imports: the last that was begun, and the last that is done. */
  readonly imports = { begun: 0, done: 0 };
  /** What was done since the last audit, which looks at all of it through the service's door. */
  fresh = newFresh();

  addAccount(email: string, plan = "free"): AccountEntry {
    const account = new AccountEntry(email);
    account.plans = new Set([plan]);
    account.ceilingUnits = this.quotaMax(account);
    this.asked.add(email);
    this.accounts.set(email, account);
    return account;
  }

  /** Enters an account that reads, on a plan of its own. */
  addReader(
    { email, session, keyId: id, apiKey }: Customer,
    { plan, quotaUnits }: { readonly plan: string; readonly quotaUnits: number },
  ): AccountEntry {
    this.plans.set(plan, new Set([quotaUnits]));
    const account = this.addAccount(email, plan);
    this.addSession(account, session);
    this.addKey(account, { id, apiKey });
    return account;
  }

  addKey(
    owner: AccountEntry,
    key: { readonly id: string; readonly apiKey: string },
    line?: LineEntry,
  ): KeyEntry {
    const entry: KeyEntry = { ...key, owner, revocation: "none", days: new Map(), line };
    owner.keys.push(entry);
    line?.keys.push(entry);
    this.keys.set(entry.id, entry);
    this.fresh.keys.add(entry);
    return entry;
  }

  addSession(owner: AccountEntry, token: string): SessionEntry {
    const entry: SessionEntry = { token, tokenHash: hash("sha256", token), owner, end: "none" };
    owner.sessions.push(entry);
    this.fresh.sessions.add(entry);
    return entry;
  }

  spend(token: MailToken): void {
    this.spentTokens.push(token);
    this.fresh.tokens.push(token);
  }

  /** The most that the plans allow which an account may be on. */
  quotaMax({ plans }: AccountEntry): number {
    return Math.max(...this.quotasOf(plans));
  }

  quotasOf(plans: ReadonlySet<string>): number[] {
    return [...plans].flatMap((plan) => [...(this.plans.get(plan) ?? [])]);
  }

  /** A change of quotas goes out: from now on either may hold. */
  beginChange(change: () => void): void {
    change();
    this.changes += 1;
    for (const account of this.accounts.values()) {
      account.ceilingUnits = Math.max(account.ceilingUnits, this.quotaMax(account));
      account.wasRejected = false;
    }
  }

  /** A change is settled: beyond the new quota nothing is charged but what was sent before. */
  settleChange(change: () => void): void {
    change();
    this.changes += 1;
    for (const account of this.accounts.values()) {
      const before = Math.min(account.ceilingUnits, account.sentUnits);
      account.ceilingUnits = Math.max(this.quotaMax(account), before);
      account.wasRejected = false;
    }
  }

  /** Reads whose answer never came. */
  inDoubt(): number {
    const days = [...this.keys.values()].flatMap((key) => [...key.days.values()]);
    return days.reduce((sum, { inDoubt }) => sum + inDoubt, 0);
  }

  forgetFresh(): void {
    this.fresh = newFresh();
  }
}

function newFresh() {
  return {
    keys: new Set<KeyEntry>(),
    sessions: new Set<SessionEntry>(),
    tokens: [] as MailToken[],
    /** Whose password is new, or may be. */
    passwords: new Set<AccountEntry>(),
  };
}

/** Opens an account with two keys, and gives it a plan of its own in the store. */
export async function openReader(
  ledger: Ledger,
  client: Client,
  reader: { readonly email: string; readonly plan: string; readonly quotaUnits: number },
  runSql: (...statements: string[]) => Promise<unknown>,
): Promise<AccountEntry> {
  const { email, plan, quotaUnits } = reader;
  const account = ledger.addReader(await client.newCustomer(email), reader);
  const [session] = account.sessions;
  ledger.addKey(account, await client.createKey(session?.token ?? ""));
  // As the commands would, which take 0.6 s of processor time for each reader.
  await runSql(`INSERT INTO plans (name, units_per_period) VALUES ('${plan}', ${quotaUnits})`);
  await runSql(`UPDATE accounts SET plan = '${plan}' WHERE email = '${email}'`);
  return account;
}

/** Enters a read that was answered and costs a unit. @param sentOn the UTC day of its request. */
export function enterCharge(key: KeyEntry, sentOn: string): void {
  // At midnight either day may have been charged, and neither must.
  if (sentOn === today()) unitsOn(key, sentOn).answered += 1;
  else enterDoubt(key, sentOn);
}

/** Enters a read that may have been charged. */
export function enterDoubt(key: KeyEntry, sentOn: string): void {
  for (const day of new Set([sentOn, today()])) unitsOn(key, day).inDoubt += 1;
}

function unitsOn({ days }: KeyEntry, day: string): DayUnits {
  const units = days.get(day) ?? { charged: 0, answered: 0, inDoubt: 0 };
  days.set(day, units);
  return units;
}

/** A UTC day as the service counts them. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function keepOnly<Thing>(things: Set<Thing>, kept: Thing): void {
  things.clear();
  things.add(kept);
}
