import type { Findings } from "../support/ledger-audit.ts";
import { passwordOf, spendingOf } from "./customer-worker.ts";
import type { Key, Session } from "../support/ledger.ts";
import type { Node } from "./nodes.ts";
import { Draws } from "../support/random.ts";
import type { Round } from "./round.ts";

/** Of what is older than the last audit, so much is tried again. */
const OLDER_TRIED = 10;

/** A log-in takes some 30 ms for its hash, so not every password is tried. */
const PASSWORDS_TRIED = 3;

/**
 * Tries through the service's door what is new since the last audit, and some of what is older, on
 * every node: keys, sessions, spent tokens, passwords. Nothing of it costs a unit.
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
    const door = new Door(node, report);
    await Promise.all([
      ...[...keys].map((key) => door.tryKey(key)),
      ...[...sessions].map((session) => door.trySession(session)),
    ]);
    for (const token of tokens) await door.expect(400, ...spendingOf(token, "any good password"));
  }
  const [node] = nodes.all();
  if (node === undefined) return;
  const door = new Door(node, report);
  for (const { email, password } of [...fresh.passwords].slice(0, PASSWORDS_TRIED)) {
    const old = passwordOf(email);
    await door.expect(200, "POST /v1/auth/login", { json: { email, password } });
    if (old === password) continue;
    await door.expect(401, "POST /v1/auth/login", { json: { email, password: old } });
  }
}

class Door {
  readonly #node: Node;
  readonly #report: (complaint: string) => void;

  constructor(node: Node, report: (complaint: string) => void) {
    this.#node = node;
    this.#report = report;
  }

  /** A symbol that is none is judged after the key and before any charge. */
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
