import type { Customer, Ledger } from "./ledger.ts";
import { nameOfDay, type Stored } from "./stored.ts";

export interface Findings {
  readonly complaints: string[];
  /** Uncharged units of successful responses, and other lost acknowledged changes. */
  lost: number;
}

/** Compares the charged units with the responses, by account and by key and day. */
export function auditUnits(ledger: Ledger, stored: Stored, findings: Findings): void {
  const known = new Set<string>();
  const periods = new Map<string, { least: number; most: number }>();
  for (const { id, owner, days } of ledger.keys.values()) {
    for (const [day, { charged, answered, inDoubt }] of days) {
      const name = nameOfDay(id, day);
      known.add(name);
      const least = charged + answered;
      const most = least + inDoubt;
      const what = `${owner.email}, key ${id}, ${day}`;
      checkUnits(what, stored.days.get(name) ?? 0, { least, most, inDoubt }, findings);
      const account = `${owner.email} ${day.slice(0, 7)}`;
      const sum = periods.get(account) ?? { least: 0, most: 0 };
      periods.set(account, { least: sum.least + least, most: sum.most + most });
    }
  }
  for (const [name, units] of stored.days) {
    if (known.has(name)) continue;
    findings.complaints.push(`key and day ${name}: ${units} units without a read`);
  }
  auditPeriods(ledger, { stored, periods }, findings);
}

function auditPeriods(
  ledger: Ledger,
  { stored, periods }: { stored: Stored; periods: Map<string, { least: number; most: number }> },
  findings: Findings,
): void {
  const seen = new Map<string, number>();
  for (const { email, period, units } of stored.periods) {
    seen.set(`${email} ${period}`, units);
    const customer = ledger.customers.get(email);
    if (customer !== undefined) auditQuota(ledger, { customer, period, units }, findings);
  }
  for (const [account, { least, most }] of periods) {
    checkUnits(account, seen.get(account) ?? 0, { least, most, inDoubt: most - least }, findings);
  }
}

function auditQuota(
  ledger: Ledger,
  { customer, period, units }: { customer: Customer; period: string; units: number },
  { complaints }: Findings,
): void {
  const { email, ceilingUnits, wasRefused } = customer;
  const quotas = ledger.quotasOf(customer.plans);
  const found = `${email}, ${period}: ${units} units, quota ${quotas}`;
  if (units > ceilingUnits) complaints.push(`${found}: more than the possible ${ceilingUnits}`);
  if (wasRefused && units < Math.min(...quotas)) {
    complaints.push(`${found}: rejected before the quota was used up`);
  }
}

function checkUnits(
  what: string,
  units: number,
  { least, most, inDoubt }: { least: number; most: number; inDoubt: number },
  findings: Findings,
): void {
  const found = `${what}: ${units} units charged, ${least} certain, ${inDoubt} in doubt`;
  if (units < least) {
    findings.complaints.push(`lost: ${found}`);
    findings.lost += least - units;
  } else if (units > most) findings.complaints.push(`charged twice: ${found}`);
}

/** After an audit without complaints, the next round starts from the store's units. */
export function carryUnits(ledger: Ledger, stored: Stored): void {
  for (const { id, days } of ledger.keys.values()) {
    for (const [day, tally] of days) {
      tally.charged = stored.days.get(nameOfDay(id, day)) ?? 0;
      tally.answered = 0;
      tally.inDoubt = 0;
    }
  }
  const latest = stored.periods.toSorted((left, right) => (left.period < right.period ? -1 : 1));
  for (const { email, units } of latest) {
    const customer = ledger.customers.get(email);
    if (customer === undefined) continue;
    customer.sentUnits = units;
    customer.ceilingUnits = Math.max(ledger.quotaMax(customer), units);
  }
}
