import { Draws } from "../../test/support/random.ts";
import type { AccountEntry } from "../support/ledger.ts";
import { auditApi, auditStore, carryUnits, Findings, readStored } from "../support/ledger-audit.ts";
import { importRates } from "./operator.ts";
import {
  CHUNK,
  IMPORTED_PAIRS,
  importedPair,
  importOf,
  SELECT_BROKEN_HISTORIES,
  SELECT_BROKEN_SERIES,
  SELECT_IMPORTED,
  SELECT_IMPORTED_OBSERVATIONS,
} from "./rates.ts";
import type { Round } from "./round.ts";
import { auditStatement } from "./statements.ts";

/**
 * Compares the store with what was acknowledged: all of it in the database, new items and some
 * older ones over HTTP on every node. The result settles what was in doubt.
 */
export async function audit(round: Round): Promise<Findings> {
  const { ledger, store, nodes, settings, plan } = round;
  const findings = new Findings();
  for (const account of ledger.fresh.passwords) await settlePassword(round, account, findings);
  findings.complaints.push(...(await store.complaints()));
  const stored = await readStored(store.query);
  auditStore(ledger, stored, findings);
  await auditImports(round, findings);
  await auditObservations(round, findings);
  const servers = nodes.all().map(({ server }) => server);
  await auditApi(ledger, servers, new Draws([settings.seed, plan.round, "audit"]), findings);
  nodes.check();
  if (findings.complaints.length > 0) return findings;
  carryUnits(ledger, stored);
  await auditStatements(round, findings);
  ledger.forgetFresh();
  return findings;
}

/** Of some accounts, on each node in turn: each takes a dozen processes. */
async function auditStatements({ ledger, nodes, counts }: Round, findings: Findings) {
  const accounts = [...ledger.readers.slice(0, 2), ...ledger.readers.slice(-2)];
  for (const [index, account] of accounts.entries()) {
    const session = account.sessions.find(({ end }) => end === "none");
    const node = nodes.living(index);
    if (session === undefined || node === undefined) continue;
    await auditStatement(node.server, account, session.token, findings);
    counts.add("statements");
  }
}

/**
 * An import is there wholly once it was done, and one that was cut off as whole chunks from its first
 * pair.
 */
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
    findings.lose(`lost: ${description}`);
  } else if (begun !== done && whole % CHUNK !== 0) {
    findings.complain(`import ${begun} ends within a chunk: ${whole} rates`);
  } else if (begun !== done) {
    round.story.tell(`import ${begun} had stored ${whole} rates and is repeated`);
    ledger.imports.done = begun - 1;
    await importRates(round, { killedAfterAnswers: undefined });
    await auditImports(round, findings);
  }
}

/**
 * The history of each pair has every import that was done exactly once and in order, then at most
 * the one that was cut off; and what is served is the last of it.
 */
async function auditObservations(round: Round, findings: Findings): Promise<void> {
  const { ledger, store, counts } = round;
  const { begun, done } = ledger.imports;
  const broken = await store.query(SELECT_BROKEN_HISTORIES);
  if (broken.length > 0) findings.complain(`broken histories: ${JSON.stringify(broken)}`);
  const series = await store.query(SELECT_BROKEN_SERIES);
  if (series.length > 0) findings.complain(`broken series: ${JSON.stringify(series.slice(0, 9))}`);
  const rows = await store.query(SELECT_IMPORTED_OBSERVATIONS);
  const lasts = new Map<string, number>();
  for (const row of rows) {
    const [base, sequence, number] = [String(row.base), Number(row.sequence), importOf(row)];
    // Import 1 brought the first observation of each pair, and so on.
    if (number !== sequence) {
      findings.complain(`observation ${sequence} of ${base} is of import ${number}`);
    }
    lasts.set(base, sequence);
    counts.add("observations audited");
  }
  for (let index = 0; index < IMPORTED_PAIRS && done > 0; index += 1) {
    const { base } = importedPair(index);
    const last = lasts.get(base) ?? 0;
    if (last < done || last > begun) {
      findings.lose(`lost: ${base} has ${last} observations after ${done} imports`);
    }
  }
}

/** Exactly one of two possible passwords is valid; with the new one all sessions have ended. */
async function settlePassword(round: Round, account: AccountEntry, findings: Findings) {
  const { email, password, doubtfulPassword } = account;
  if (doubtfulPassword === undefined) return;
  const isNew = await worksOn(round, email, doubtfulPassword);
  const isOld = await worksOn(round, email, password);
  if (isNew === isOld) findings.complain(`${email}: neither or both passwords work`);
  account.password = isNew ? doubtfulPassword : password;
  account.doubtfulPassword = undefined;
  account.resetMail = "none";
  for (const session of account.sessions) {
    if (session.end === "sent") session.end = isNew ? "acknowledged" : "none";
  }
}

async function worksOn({ nodes, ledger }: Round, email: string, password: string) {
  const answer = await nodes
    .living(0)
    ?.server.call("POST", "/v1/auth/login", { json: { email, password } });
  const account = ledger.accounts.get(email);
  if (answer?.status === 200 && account !== undefined) {
    ledger.addSession(account, String(answer.body.session_token));
  }
  return answer?.status === 200;
}
