import assert from "node:assert/strict";
import { type Call, type Client, PASSWORD } from "../../test/support/client.ts";
import { Draws } from "../../test/support/random.ts";
import {
  type KeyEntry,
  keepOnly,
  type Ledger,
  type LineEntry,
  type MailToken,
  type SessionEntry,
  today,
} from "./ledger.ts";

/** Of what is older than the last audit, so much is tried again. */
const OLDER_TRIED = 10;

/** A log-in takes some 30 ms for its hash, so not every password is tried. */
const PASSWORDS_TRIED = 5;

/** Keys and sessions that are tried at once. */
const TRIED_AT_ONCE = 8;

/** What an audit finds wrong. */
export class Findings {
  readonly complaints: string[] = [];
  /** Units that were answered and are not charged, and whatever else was acknowledged and is gone. */
  lost = 0;

  complain(complaint: string): void {
    this.complaints.push(complaint);
  }

  lose(complaint: string, count = 1): void {
    this.complaints.push(complaint);
    this.lost += count;
  }
}

/** All that an audit looks at, as it lies in the store. */
export interface Stored {
  readonly accounts: ReadonlyMap<string, { readonly plan: string; readonly isVerified: boolean }>;
  readonly plans: ReadonlyMap<string, number>;
  /** Whether it is revoked, by id. */
  readonly keys: ReadonlyMap<string, boolean>;
  readonly sessions: ReadonlySet<string>;
  /** Units by account, then billing period. */
  readonly periods: readonly { readonly email: string; readonly period: string; units: number }[];
  /** Units by key and day. */
  readonly days: ReadonlyMap<string, number>;
  /** Units that were granted, by account. */
  readonly granted: ReadonlyMap<string, number>;
  /** Those that were used, by account and billing period. */
  readonly grantedUsage: ReadonlyMap<string, number>;
  /** Grants of which more was used than granted. */
  readonly overdrawn: readonly string[];
}

type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export async function readStored(query: Query): Promise<Stored> {
  const accounts = await query("SELECT email, plan, email_verified_at FROM accounts");
  const plans = await query("SELECT name, units_per_period FROM plans");
  const keys = await query("SELECT id, revoked_at FROM api_keys");
  const sessions = await query("SELECT token_hash FROM sessions");
  const periods = await query(`
    SELECT a.email, u.period, u.units FROM period_usage u JOIN accounts a ON a.id = u.account_id`);
  const days = await query("SELECT api_key_id, day, units FROM daily_usage");
  const ofAccount = "JOIN accounts a ON a.id = g.account_id";
  const granted = await query(`
    SELECT a.email, sum(g.units) AS units FROM unit_grants g ${ofAccount} GROUP BY a.email`);
  const used = "granted_usage u JOIN unit_grants g ON g.id = u.grant_id";
  const grantedUsage = await query(`
    SELECT a.email, u.period, sum(u.units) AS units FROM ${used} ${ofAccount}
    GROUP BY a.email, u.period`);
  const overdrawn = await query(
    `SELECT g.id FROM ${used} GROUP BY g.id, g.units HAVING sum(u.units) > g.units`,
  );
  return {
    granted: new Map(granted.map(({ email, units }) => [String(email), Number(units)])),
    grantedUsage: new Map(
      grantedUsage.map(({ email, period, units }) => [`${email} ${period}`, Number(units)]),
    ),
    overdrawn: overdrawn.map(({ id }) => String(id)),
    accounts: new Map(
      accounts.map(({ email, plan, email_verified_at: verifiedAt }) => [
        String(email),
        { plan: String(plan), isVerified: verifiedAt !== null },
      ]),
    ),
    plans: new Map(plans.map((row) => [String(row.name), Number(row.units_per_period)])),
    keys: new Map(keys.map(({ id, revoked_at: at }) => [String(id), at !== null])),
    sessions: new Set(sessions.map((row) => String(row.token_hash))),
    periods: periods.map(({ email, period, units }) => ({
      email: String(email),
      period: String(period),
      units: Number(units),
    })),
    days: new Map(days.map((row) => [nameOfDay(row.api_key_id, row.day), Number(row.units)])),
  };
}

function nameOfDay(keyId: unknown, day: unknown): string {
  return `${keyId} ${day}`;
}

/** Holds all that the store has against the ledger. What was in doubt is settled by what is found. */
export function auditStore(ledger: Ledger, stored: Stored, findings: Findings): void {
  auditUnits(ledger, stored, findings);
  auditPlans(ledger, stored, findings);
  auditGrants(ledger, stored, findings);
  const lines = new Set([...ledger.keys.values()].flatMap(({ line }) => line ?? []));
  for (const line of lines) auditLine(line, stored, findings);
  auditAccounts(ledger, stored, findings);
  for (const key of ledger.keys.values()) auditKey(key, stored, findings);
  for (const { sessions } of ledger.accounts.values()) {
    for (const session of sessions) auditSession(session, stored, findings);
  }
}

/** Holds the units that are charged against the answers, by account and by key and day. */
function auditUnits(ledger: Ledger, stored: Stored, findings: Findings): void {
  const known = new Set<string>();
  const periods = new Map<string, { least: number; most: number }>();
  for (const { id, owner, days } of ledger.keys.values()) {
    for (const [day, { charged, answered, inDoubt }] of days) {
      const name = nameOfDay(id, day);
      known.add(name);
      const least = charged + answered;
      const most = least + inDoubt;
      compareUnits(
        `${owner.email}, key ${id}, ${day}`,
        stored.days.get(name) ?? 0,
        { least, most },
        findings,
      );
      const account = `${owner.email} ${day.slice(0, 7)}`;
      const sum = periods.get(account) ?? { least: 0, most: 0 };
      periods.set(account, { least: sum.least + least, most: sum.most + most });
    }
  }
  for (const [name, units] of stored.days) {
    if (known.has(name)) continue;
    findings.complain(`key and day ${name}: ${units} units, and nobody has read`);
  }
  const seen = new Map<string, number>();
  for (const { email, period, units } of stored.periods) {
    seen.set(`${email} ${period}`, units);
    const fromGrants = stored.grantedUsage.get(`${email} ${period}`) ?? 0;
    auditQuota(ledger, { email, period, units }, fromGrants, findings);
  }
  for (const [account, bounds] of periods)
    compareUnits(account, seen.get(account) ?? 0, bounds, findings);
}

function auditQuota(
  ledger: Ledger,
  { email, period, units }: Stored["periods"][number],
  fromGrants: number,
  findings: Findings,
): void {
  const account = ledger.accounts.get(email);
  if (account === undefined) return;
  const { ceilingUnits, wasRejected, granted } = account;
  const quotas = ledger.quotasOf(account.plans);
  const ofPlan = units - fromGrants;
  const found = `${email}, ${period}: ${ofPlan} units, quota ${quotas}, ${fromGrants} from grants`;
  if (ofPlan > ceilingUnits) findings.complain(`${found}: past the ${ceilingUnits} it may have`);
  if (wasRejected && (ofPlan < Math.min(...quotas) || fromGrants < Math.min(...granted))) {
    findings.complain(`${found}: rejected before the quota was spent`);
  }
}

/** A grant in doubt is there once or not at all, and no unit of it was used twice. */
function auditGrants(ledger: Ledger, stored: Stored, findings: Findings): void {
  for (const id of stored.overdrawn) findings.complain(`more was used of grant ${id} than it has`);
  for (const { email, granted } of ledger.accounts.values()) {
    const units = stored.granted.get(email) ?? 0;
    if (!granted.has(units)) {
      findings.lose(`${email} was granted ${units} units, not ${[...granted]}`);
    } else if (granted.size > 1) ledger.settleChange(() => keepOnly(granted, units));
  }
}

/** No line has more units than its cap, nor fewer once it has rejected a read. */
function auditLine({ cap, keys, wasRejected }: LineEntry, stored: Stored, findings: Findings) {
  const month = today().slice(0, 7);
  let units = 0;
  for (const { id, days } of keys) {
    for (const day of days.keys()) {
      if (day.startsWith(month)) units += stored.days.get(nameOfDay(id, day)) ?? 0;
    }
  }
  const found = `${keys[0]?.owner.email}: ${units} units of keys with a cap of ${cap}`;
  if (units > cap) findings.complain(found);
  if (wasRejected && units < cap) findings.lose(`${found}, which has rejected a read`);
}

function compareUnits(
  what: string,
  units: number,
  { least, most }: { least: number; most: number },
  findings: Findings,
): void {
  const inDoubt = most - least;
  const found = `${what}: ${units} units are charged, ${least} were answered, ${inDoubt} in doubt`;
  if (units < least) findings.lose(`lost: ${found}`, least - units);
  else if (units > most) findings.complain(`charged twice: ${found}`);
}

/** After an audit without complaints the store's figures are the ones to go on from. */
export function carryUnits(ledger: Ledger, stored: Stored): void {
  for (const { id, days } of ledger.keys.values()) {
    for (const [day, units] of days) {
      units.charged = stored.days.get(nameOfDay(id, day)) ?? 0;
      units.answered = 0;
      units.inDoubt = 0;
    }
  }
  const latest = stored.periods.toSorted((left, right) => (left.period < right.period ? -1 : 1));
  for (const { email, period, units } of latest) {
    const account = ledger.accounts.get(email);
    if (account === undefined) continue;
    account.sentUnits = units;
    const fromGrants = stored.grantedUsage.get(`${email} ${period}`) ?? 0;
    account.ceilingUnits = Math.max(ledger.quotaMax(account), units - fromGrants);
  }
}

function auditPlans(ledger: Ledger, { plans, accounts }: Stored, findings: Findings): void {
  for (const [name, quotas] of ledger.plans) {
    const units = plans.get(name);
    if (units === undefined || !quotas.has(units)) {
      findings.lose(`plan ${name} has ${units} units, not ${[...quotas]}`);
    } else if (quotas.size > 1) ledger.settleChange(() => keepOnly(quotas, units));
  }
  for (const account of ledger.accounts.values()) {
    const plan = accounts.get(account.email)?.plan;
    if (plan === undefined) continue;
    if (!account.plans.has(plan)) {
      findings.lose(`${account.email} is on ${plan}, not ${[...account.plans]}`);
    } else if (account.plans.size > 1) ledger.settleChange(() => keepOnly(account.plans, plan));
  }
}

function auditAccounts({ accounts, asked }: Ledger, stored: Stored, findings: Findings): void {
  for (const { email, verification } of accounts.values()) {
    const account = stored.accounts.get(email);
    if (account === undefined) findings.lose(`${email}: the account is lost`);
    else if (verification === "acknowledged" && !account.isVerified) {
      findings.lose(`${email}: its verification is lost`);
    }
  }
  for (const email of stored.accounts.keys()) {
    if (!asked.has(email)) findings.complain(`${email}: nobody has asked for this account`);
  }
}

function auditKey(key: KeyEntry, stored: Stored, findings: Findings): void {
  const isRevoked = stored.keys.get(key.id);
  const told = `${key.owner.email}: key ${key.id}`;
  if (isRevoked === undefined) findings.lose(`${told} is lost`);
  else if (isRevoked && key.revocation === "none") findings.lose(`${told} is dead`);
  else if (!isRevoked && key.revocation === "acknowledged") findings.lose(`${told} is alive again`);
  else key.revocation = isRevoked ? "acknowledged" : "none";
}

function auditSession(session: SessionEntry, stored: Stored, findings: Findings): void {
  const { owner, tokenHash, end } = session;
  const isThere = stored.sessions.has(tokenHash);
  const told = `${owner.email}: session ${tokenHash}`;
  if (end === "none" && !isThere) findings.lose(`${told} is lost`);
  else if (end === "acknowledged" && isThere) findings.lose(`${told} is alive again`);
  else if (end === "sent") session.end = isThere ? "none" : "acknowledged";
}

/**
 * Tries through the service's door what is new since the last audit, and some of what is older, on
 * every node: keys, sessions, spent tokens, passwords. Nothing of it costs a unit.
 */
export async function auditApi(
  ledger: Ledger,
  nodes: readonly Client[],
  draws: Draws,
  findings: Findings,
): Promise<void> {
  const { fresh, accounts, spentTokens } = ledger;
  const some = <Thing>(things: readonly Thing[]): Thing[] =>
    Array.from({ length: OLDER_TRIED }, () => draws.any(things)).filter(
      (thing) => thing !== undefined,
    );
  const owners = some([...accounts.values()]);
  const keys = new Set([...fresh.keys, ...some([...ledger.keys.values()])]);
  const sessions = new Set([...fresh.sessions, ...owners.flatMap((owner) => owner.sessions)]);
  const tokens = new Set([...fresh.tokens, ...some(spentTokens)]);
  for (const [index, node] of nodes.entries()) {
    const door = new Door(node, index, findings);
    const tries = [
      ...[...keys].map((key) => () => door.tryKey(key)),
      ...[...sessions].map((session) => () => door.trySession(session)),
    ].values();
    const work = async () => {
      for (const tryNext of tries) await tryNext();
    };
    await Promise.all(Array.from({ length: TRIED_AT_ONCE }, work));
    for (const token of tokens) await door.expect(400, ...spendingOf(token, "any good password"));
  }
  const [node] = nodes;
  if (node === undefined) return;
  const door = new Door(node, 0, findings);
  for (const { email, password } of [...fresh.passwords].slice(-PASSWORDS_TRIED)) {
    await door.expect(200, "POST /v1/auth/login", { json: { email, password } });
    if (password === PASSWORD) continue;
    await door.expect(401, "POST /v1/auth/login", { json: { email, password: PASSWORD } });
  }
}

class Door {
  readonly #node: Client;
  readonly #index: number;
  readonly #findings: Findings;

  constructor(node: Client, index: number, findings: Findings) {
    this.#node = node;
    this.#index = index;
    this.#findings = findings;
  }

  /** A symbol that is none is rejected after the key and before any charge. */
  async tryKey({ apiKey, id, owner, revocation }: KeyEntry): Promise<void> {
    const status = revocation === "none" ? 400 : 401;
    await this.expect(status, "GET /v1/rates/E/USD", { apiKey }, `${owner.email}: key ${id}`);
  }

  /** Its account has the keys that were acknowledged, and no unit less than was answered. */
  async trySession({ token: session, tokenHash, owner, end }: SessionEntry): Promise<void> {
    const isEnded = end !== "none";
    const who = `${owner.email}: session ${tokenHash}`;
    const usage = await this.expect(isEnded ? 401 : 200, "GET /v1/account/usage", { session }, who);
    if (isEnded || usage === undefined) return;
    const { used_units: units } = usage.usage as { used_units: number };
    const certain = owner.certainUnits(today().slice(0, 7));
    if (units < certain) this.#findings.lose(`${who}: ${units} units told of ${certain}`);
    const list = await this.expect(200, "GET /v1/account/api-keys", { session }, who);
    const listed = new Set((list?.api_keys as { id: string }[] | undefined)?.map(({ id }) => id));
    for (const { id } of owner.keys) {
      if (!listed.has(id)) this.#findings.lose(`${who}: key ${id} is not listed`);
    }
  }

  /** @returns the body of the response that is wanted. */
  async expect(status: number, what: string, how: Call, who = what) {
    const [method = "", path = ""] = what.split(" ");
    const answer = await this.#node.call(method, path, how);
    if (answer.status === status) return answer.body;
    const found = `want ${status}, got ${answer.status} ${answer.text}`;
    this.#findings.lose(`${who} on node ${this.#index}: ${found}`);
    return undefined;
  }
}

/** Asserts that a store, and what its nodes answer, is as the ledger has it. */
export async function assertLedger(
  ledger: Ledger,
  query: Query,
  nodes: readonly Client[] = [],
): Promise<void> {
  const findings = new Findings();
  auditStore(ledger, await readStored(query), findings);
  await auditApi(ledger, nodes, new Draws(["audit"]), findings);
  assert.deepEqual(findings.complaints, []);
}

/** How a token is spent. */
export function spendingOf(
  { purpose, token }: MailToken,
  password = "",
): [what: string, how: Call] {
  if (purpose === "verification") return ["POST /v1/auth/verification", { json: { token } }];
  return ["POST /v1/auth/password-reset/confirm", { json: { token, password } }];
}
