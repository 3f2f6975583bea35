import { type Answer, type Call, PASSWORD } from "../../test/support/client.ts";
import { Draws } from "../../test/support/random.ts";
import type { AccountEntry, MailToken } from "../support/ledger.ts";
import { spendingOf } from "../support/ledger-audit.ts";
import { Violation } from "./event-log.ts";
import type { Node } from "./nodes.ts";
import type { Round } from "./round.ts";

const KEYS_MAX = 8;

/** The cap of a key: it is used up within a round. */
const CAP_MAX = 80;

/** Per account; the service allows this many per UTC day. */
const KEYS_PER_DAY_MAX = 100;
const SESSIONS_MAX = 4;

/** The weights of the actions. */
const actionWeights = {
  register: 3,
  "log in": 2,
  "log out": 2,
  "create key": 3,
  "revoke key": 4,
  "rotate key": 3,
  "ask for reset": 2,
  "use mail": 6,
  "try ended session": 2,
} as const;
type Action = keyof typeof actionWeights;

/** Actions of accounts besides reads, one after the other, until the load ends. */
export async function actOn(round: Round, workerIndex: number): Promise<void> {
  const { settings, plan, nodes } = round;
  const draws = new Draws([settings.seed, plan.round, "act", workerIndex]);
  for (let count = 0; round.isOn; count += 1) {
    const node = nodes.living(draws.whole(0, settings.nodes - 1));
    if (node === undefined) return;
    const action = draws.kind(actionWeights);
    const actor = new Actor(round, node, draws);
    if (action === "register")
      await actor.register(`c${plan.round}-${workerIndex}-${count}@example.org`);
    else if (action === "use mail") await actor.useMail();
    else await actor.act(action);
  }
}

class Actor {
  readonly #round: Round;
  readonly #node: Node;
  readonly #draws: Draws;

  constructor(round: Round, node: Node, draws: Draws) {
    this.#round = round;
    this.#node = node;
    this.#draws = draws;
  }

  async register(email: string): Promise<void> {
    const { ledger } = this.#round;
    ledger.asked.add(email);
    const json = { email, password: PASSWORD };
    const answer = await this.#ask(email, "POST /v1/auth/register", { json }, 201);
    if (answer === undefined) return;
    const customer = ledger.addAccount(email);
    ledger.readers.push(customer);
    await this.#alone(customer, async () => {
      await this.#logIn(customer);
      await this.#createKey(customer);
    });
  }

  /** Uses a token from a mail. */
  async useMail(): Promise<void> {
    const { mailbox, ledger } = this.#round;
    await mailbox.look();
    const purpose = this.#draws.chance(0.5) ? "verification" : "password_reset";
    const email = this.#draws.any(mailbox.addressees(purpose));
    const customer = email === undefined ? undefined : ledger.accounts.get(email);
    if (customer === undefined) return;
    await this.#alone(customer, async () => {
      const token = mailbox.take(customer.email, purpose);
      if (token === undefined) return;
      if (purpose === "verification") await this.#verify(customer, token);
      else await this.#resetPassword(customer, token);
    });
  }

  async act(action: Exclude<Action, "register" | "use mail">): Promise<void> {
    const customer = this.#draws.any(this.#round.ledger.readers);
    if (customer === undefined) return;
    await this.#alone(customer, async () => {
      if (action === "log in") await this.#logIn(customer);
      else if (action === "log out") await this.#logOut(customer);
      else if (action === "create key") await this.#createKey(customer);
      else if (action === "revoke key") await this.#revokeKey(customer);
      else if (action === "rotate key") await this.#rotateKey(customer);
      else if (action === "ask for reset") await this.#askForReset(customer);
      else await this.#tryEndedSession(customer);
    });
  }

  async #logIn(customer: AccountEntry): Promise<void> {
    const { email, password } = customer;
    if (liveSessions(customer).length >= SESSIONS_MAX) return;
    const answer = await this.#ask(
      email,
      "POST /v1/auth/login",
      { json: { email, password } },
      200,
    );
    if (answer === undefined) return;
    this.#round.ledger.addSession(customer, String(answer.body.session_token));
  }

  async #logOut(customer: AccountEntry): Promise<void> {
    const session = this.#draws.any(liveSessions(customer));
    if (session === undefined) return;
    session.end = "sent";
    this.#round.ledger.fresh.sessions.add(session);
    const how = { session: session.token };
    const answer = await this.#ask(customer.email, "POST /v1/auth/logout", how, 204);
    if (answer !== undefined) session.end = "acknowledged";
  }

  async #createKey(customer: AccountEntry): Promise<void> {
    const [session] = liveSessions(customer);
    if (session === undefined) return await this.#logIn(customer);
    if (liveKeys(customer).length >= KEYS_MAX || customer.keys.length >= KEYS_PER_DAY_MAX) return;
    const cap = this.#draws.chance(0.5) ? this.#draws.whole(5, CAP_MAX) : null;
    const how = { session: session.token, json: { name: "torture", units_per_period: cap } };
    const answer = await this.#ask(customer.email, "POST /v1/account/api-keys", how, 201);
    if (answer === undefined) return;
    const line = cap === null ? undefined : { cap, keys: [], wasRejected: false };
    this.#round.ledger.addKey(customer, keyIn(answer), line);
  }

  /** The new key goes on with the units of the old one. */
  async #rotateKey(customer: AccountEntry): Promise<void> {
    const [session] = liveSessions(customer);
    const key = this.#draws.any(liveKeys(customer).filter(({ line }) => line !== undefined));
    if (session === undefined || key === undefined) return;
    if (liveKeys(customer).length >= KEYS_MAX || customer.keys.length >= KEYS_PER_DAY_MAX) return;
    const hours = this.#draws.one([0, 24]);
    if (hours === 0) key.revocation = "sent";
    this.#round.ledger.fresh.keys.add(key);
    const how = { session: session.token, json: { overlap_hours: hours } };
    const path = `POST /v1/account/api-keys/${key.id}/rotate`;
    const answer = await this.#ask(customer.email, path, how, 201);
    if (answer === undefined) return;
    if (hours === 0) key.revocation = "acknowledged";
    this.#round.ledger.addKey(customer, keyIn(answer), key.line);
  }

  /** One key remains; otherwise there would soon be no reads. */
  async #revokeKey(customer: AccountEntry): Promise<void> {
    const [session] = liveSessions(customer);
    const keys = liveKeys(customer);
    const key = this.#draws.any(keys);
    if (session === undefined || key === undefined || keys.length < 2) return;
    key.revocation = "sent";
    this.#round.ledger.fresh.keys.add(key);
    const path = `DELETE /v1/account/api-keys/${key.id}`;
    const answer = await this.#ask(customer.email, path, { session: session.token }, 204);
    if (answer !== undefined) key.revocation = "acknowledged";
  }

  async #verify(customer: AccountEntry, token: MailToken): Promise<void> {
    if (customer.verification === "none") customer.verification = "sent";
    const answer = await this.#ask(customer.email, ...spendingOf(token), 204);
    if (answer === undefined) return;
    customer.verification = "acknowledged";
    this.#round.ledger.spend(token);
  }

  async #askForReset(customer: AccountEntry): Promise<void> {
    const { email } = customer;
    if (customer.resetMail !== "none" || !customer.mayBeMailed()) return;
    customer.resetMail = "sent";
    customer.noteMail();
    const answer = await this.#ask(email, "POST /v1/auth/password-reset", { json: { email } }, 202);
    if (answer !== undefined) customer.resetMail = "acknowledged";
  }

  async #resetPassword(customer: AccountEntry, token: MailToken): Promise<void> {
    const { fresh } = this.#round.ledger;
    const password = `${PASSWORD} ${token.token.slice(0, 6)}`;
    const sessions = liveSessions(customer);
    customer.doubtfulPassword = password;
    fresh.passwords.add(customer);
    for (const session of sessions) {
      session.end = "sent";
      fresh.sessions.add(session);
    }
    // The first verification revokes the keys; while it is in doubt, so are they.
    const { verification } = customer;
    const keys = verification === "acknowledged" ? [] : liveKeys(customer);
    for (const key of keys) {
      key.revocation = "sent";
      fresh.keys.add(key);
    }
    if (verification === "none") customer.verification = "sent";
    customer.noteMail();
    const answer = await this.#ask(customer.email, ...spendingOf(token, password), 204);
    if (answer === undefined) return;
    if (verification === "none") for (const key of keys) key.revocation = "acknowledged";
    customer.password = password;
    customer.doubtfulPassword = undefined;
    customer.verification = "acknowledged";
    customer.resetMail = "none";
    for (const session of sessions) session.end = "acknowledged";
    this.#round.ledger.spend(token);
    // Without a key there would be no reads: log in and create one.
    if (keys.length > 0) for (const _ of ["a log-in", "a key"]) await this.#createKey(customer);
  }

  async #tryEndedSession(customer: AccountEntry): Promise<void> {
    const session = this.#draws.any(customer.sessions.filter(({ end }) => end === "acknowledged"));
    if (session === undefined) return;
    const how = { session: session.token };
    await this.#ask(`${customer.email}, an ended session`, "GET /v1/account/usage", how, 401);
  }

  /** Prevents two workers from changing one account at the same time. */
  async #alone(customer: AccountEntry, act: () => Promise<void>): Promise<void> {
    if (customer.isBusy || customer.doubtfulPassword !== undefined) return;
    customer.isBusy = true;
    try {
      await act();
    } finally {
      customer.isBusy = false;
    }
  }

  /** @returns `undefined` when the outcome is in doubt. @throws {Violation} for another status. */
  async #ask(who: string, what: string, how: Call, status: number): Promise<Answer | undefined> {
    const { counts, story, answers } = this.#round;
    const [method = "", path = ""] = what.split(" ");
    const message = `${who}: ${what} on node ${this.#node.index}`;
    counts.add("requests");
    let answer: Answer;
    try {
      answer = await this.#node.server.call(method, path, how);
    } catch (error) {
      if (!this.#node.isDoomed) throw new Violation(`${message} broke off: ${error}`);
      story.tell(`${message} is in doubt`);
      return undefined;
    }
    answers.count();
    counts.add("answers");
    const isOfKey = path.startsWith("/v1/account/api-keys/");
    counts.add(isOfKey ? (method === "DELETE" ? "key revocations" : "key rotations") : what);
    story.tell(`${message} got ${answer.status}`);
    if (answer.status === 503) return undefined;
    if (answer.status !== status) {
      throw new Violation(`${message}: must be ${status}, got ${answer.status} ${answer.text}`);
    }
    return answer;
  }
}

function keyIn({ body }: Answer) {
  return { id: String(body.id), apiKey: String(body.api_key) };
}

function liveSessions({ sessions }: AccountEntry) {
  return sessions.filter(({ end }) => end === "none");
}

function liveKeys({ keys }: AccountEntry) {
  return keys.filter(({ revocation }) => revocation === "none");
}
