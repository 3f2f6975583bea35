import type { Findings } from "./audit-units.ts";
import { passwordOf, spendingOf } from "./customer-worker.ts";
import type { Key, Session } from "./ledger.ts";
import type { Node } from "./nodes.ts";
import { Draws } from "./random.ts";
import type { Round } from "./round.ts";

/** Of the older items, this many are checked again. */
const OLDER_TRIED = 10;

/** A log-in takes some 30 ms for its hash, so only some passwords are checked. */
const PASSWORDS_TRIED = 3;

/**
 * Checks over HTTP on every node what is new since the last audit, and some of the older items:
 * keys, sessions, used tokens, passwords. None of these requests costs a unit.
 */
export async function tryDoor(round: Round, findings: Findings): Promise<void> {
  const { ledger, nodes, settings, plan } = round;
  const { fresh, customers, spentTokens } = ledger;
  const draws = new Draws(settings.seed, plan.round, "audit");
  const some = <Thing>(things: readonly Thing[]): Thing[] =>
    Array.from({ length: OLDER_TRIED }, () => draws.one(things)).filter(
      (thing) => thing !== undefined,
    );
  const owners = some([...customers.values()]);
  const keys = new Set([...fresh.keys, ...some([...ledger.keys.values()])]);
  const sessions = new Set([...fresh.sessions, ...owners.flatMap((owner) => owner.sessions)]);
  const tokens = new Set([...fresh.tokens, ...some(spentTokens)]);
  const report = (complaint: string) => {
    findings.complaints.push(complaint);
    findings.lost += 1;
  };
  for (const node of nodes.all()) {
    const checker = new Checker(node, report);
    await Promise.all([
      ...[...keys].map((key) => checker.tryKey(key)),
      ...[...sessions].map((session) => checker.trySession(session)),
    ]);
    for (const token of tokens)
      await checker.expect(400, ...spendingOf(token, "any good password"));
  }
  const [node] = nodes.all();
  if (node === undefined) return;
  const checker = new Checker(node, report);
  for (const { email, password } of [...fresh.passwords].slice(0, PASSWORDS_TRIED)) {
    const old = passwordOf(email);
    await checker.expect(200, "POST /v1/auth/login", { json: { email, password } });
    if (old === password) continue;
    await checker.expect(401, "POST /v1/auth/login", { json: { email, password: old } });
  }
}

class Checker {
  readonly #node: Node;
  readonly #report: (complaint: string) => void;

  constructor(node: Node, report: (complaint: string) => void) {
    this.#node = node;
    this.#report = report;
  }

  /** The server checks the key before the invalid symbol, and charges nothing. */
  async tryKey({ apiKey, id, owner, revocation }: Key): Promise<void> {
    const status = revocation === "none" ? 400 : 401;
    await this.expect(status, "GET /v1/rates/E/USD", { apiKey }, `${owner.email}: key ${id}`);
  }

  async trySession({ token, tokenHash, end }: Session): Promise<void> {
    const status = end === "none" ? 200 : 401;
    await this.expect(status, "GET /v1/account/usage", { session: token }, `session ${tokenHash}`);
  }

  async expect(
    status: number,
    what: string,
    how: Parameters<Node["client"]["call"]>[2],
    who = what,
  ): Promise<void> {
    const [method = "", path = ""] = what.split(" ");
    const answer = await this.#node.client.call(method, path, how);
    if (answer.status === status) return;
    const found = `want ${status}, got ${answer.status} ${answer.text}`;
    this.#report(`${who} on node ${this.#node.index}: ${found}`);
  }
}
