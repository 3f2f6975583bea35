import { tryDoor } from "./audit-api.ts";
import { auditUnits, carryUnits, type Findings } from "./audit-units.ts";
import { type Customer, forgetFresh, keepOnly, type Ledger } from "./ledger.ts";
import { importRates } from "./operator.ts";
import { CHUNK, IMPORTED_PAIRS, importedPair, importOf, SELECT_IMPORTED } from "./rates.ts";
import type { Round } from "./round.ts";
import { readStored, type Stored } from "./stored.ts";

/**
 * Compares the store with what was acknowledged: all of it in the database, new items and some
 * older ones over HTTP on every node. The result settles what was in doubt.
 */
export async function audit(round: Round): Promise<Findings> {
  const { ledger, store, nodes } = round;
  const findings: Findings = { complaints: [], lost: 0 };
  for (const customer of ledger.fresh.passwords) await settlePassword(round, customer, findings);
  findings.complaints.push(...(await store.complaints()));
  const stored = await readStored(store);
  auditUnits(ledger, stored, findings);
  auditPlans(ledger, stored, findings);
  auditAccounts(ledger, stored, findings);
  await auditImports(round, findings);
  for (const customer of ledger.customers.values()) {
    auditKeys(customer, stored, findings);
    auditSessions(customer, stored, findings);
  }
  await tryDoor(round, findings);
  nodes.check();
  if (findings.complaints.length > 0) return findings;
  carryUnits(ledger, stored);
  forgetFresh(ledger);
  return findings;
}

function auditPlans(ledger: Ledger, { plans, accounts }: Stored, findings: Findings): void {
  for (const [name, quotas] of ledger.plans) {
    const units = plans.get(name);
    if (units === undefined || !quotas.has(units)) {
      findings.complaints.push(`plan ${name} has ${units} units, not ${[...quotas]}`);
      findings.lost += 1;
    } else if (quotas.size > 1) ledger.settleChange(() => keepOnly(quotas, units));
  }
  for (const customer of ledger.customers.values()) {
    const plan = accounts.get(customer.email)?.plan;
    if (plan === undefined) continue;
    if (!customer.plans.has(plan)) {
      findings.complaints.push(`${customer.email} is on ${plan}, not ${[...customer.plans]}`);
      findings.lost += 1;
    } else if (customer.plans.size > 1) {
      ledger.settleChange(() => keepOnly(customer.plans, plan));
    }
  }
}

function auditAccounts({ customers, asked }: Ledger, stored: Stored, findings: Findings): void {
  for (const customer of customers.values()) {
    const account = stored.accounts.get(customer.email);
    if (account === undefined) {
      findings.complaints.push(`${customer.email}: the account is lost`);
      findings.lost += 1;
    } else if (customer.verification === "acknowledged" && !account.isVerified) {
      findings.complaints.push(`${customer.email}: its verification is lost`);
      findings.lost += 1;
    }
  }
  for (const email of stored.accounts.keys()) {
    if (!asked.has(email)) findings.complaints.push(`${email}: an account without a registration`);
  }
}

/** A finished import is complete; an interrupted one has stored whole chunks from its beginning. */
async function auditImports(round: Round, findings: Findings): Promise<void> {
  const { ledger, store } = round;
  const { begun, done } = ledger.imports;
  const rows = await store.query(SELECT_IMPORTED);
  const numbers = new Map(rows.map((row) => [String(row.base), importOf(row)]));
  const found = Array.from({ length: IMPORTED_PAIRS }, (_, index) =>
    numbers.get(importedPair(index).base),
  );
  const end = found.findIndex((number) => number !== begun);
  const whole = end === -1 ? IMPORTED_PAIRS : end;
  const before = done === 0 ? undefined : done;
  if (found.some((number, index) => index >= whole && number !== before)) {
    const description = `${whole} rates of import ${begun}, then others than those of ${before}`;
    findings.complaints.push(`lost: ${description}`);
    findings.lost += 1;
  } else if (begun !== done && whole % CHUNK !== 0) {
    findings.complaints.push(`import ${begun} ends within a chunk: ${whole} rates`);
  } else if (begun !== done) {
    round.story.tell(`import ${begun} had stored ${whole} rates and is repeated`);
    ledger.imports.done = begun - 1;
    await importRates(round, { killedAfterAnswers: undefined });
    await auditImports(round, findings);
  }
}

/** Exactly one of two possible passwords is valid; with the new one all sessions have ended. */
async function settlePassword(round: Round, customer: Customer, findings: Findings) {
  const { email, password, doubtfulPassword } = customer;
  if (doubtfulPassword === undefined) return;
  const isNew = await worksOn(round, email, doubtfulPassword);
  const isOld = await worksOn(round, email, password);
  if (isNew === isOld) findings.complaints.push(`${email}: neither or both passwords work`);
  customer.password = isNew ? doubtfulPassword : password;
  customer.doubtfulPassword = undefined;
  customer.resetMail = "none";
  for (const session of customer.sessions) {
    if (session.end === "sent") session.end = isNew ? "acknowledged" : "none";
  }
}

async function worksOn({ nodes, ledger }: Round, email: string, password: string) {
  const { client } = nodes.living(0) ?? {};
  const answer = await client?.call("POST", "/v1/auth/login", { json: { email, password } });
  const customer = ledger.customers.get(email);
  if (answer?.status === 200 && customer !== undefined) {
    ledger.addSession(customer, String(answer.body.session_token));
  }
  return answer?.status === 200;
}

function auditKeys({ email, keys }: Customer, stored: Stored, findings: Findings): void {
  for (const key of keys) {
    const isRevoked = stored.keys.get(key.id);
    const description = `${email}: key ${key.id}`;
    if (isRevoked === undefined) findings.complaints.push(`${description} is lost`);
    else if (isRevoked && key.revocation === "none")
      findings.complaints.push(`${description} is revoked without a request`);
    else if (!isRevoked && key.revocation === "acknowledged") {
      findings.complaints.push(`${description} is valid again`);
    } else {
      key.revocation = isRevoked ? "acknowledged" : "none";
      continue;
    }
    findings.lost += 1;
  }
}

function auditSessions(customer: Customer, stored: Stored, findings: Findings): void {
  const { email } = customer;
  for (const session of customer.sessions) {
    const exists = stored.sessions.has(session.tokenHash);
    if (session.end === "none" && !exists) {
      findings.complaints.push(`${email}: session ${session.tokenHash} is lost`);
      findings.lost += 1;
    } else if (session.end === "acknowledged" && exists) {
      findings.complaints.push(`${email}: session ${session.tokenHash} is valid again`);
      findings.lost += 1;
    } else if (session.end === "sent") session.end = exists ? "none" : "acknowledged";
  }
}
