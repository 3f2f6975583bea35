import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { administer } from "../../harness/postgres.ts";
import { type Client, clientOf, openConnection } from "../support/client.ts";
import { eventually } from "../support/mails.ts";
import { DISAGREEING_UNITS } from "../support/nodes.ts";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { checkAcknowledged } from "./audit.ts";
import type { Books, KeyEntry, Reader } from "./ledger.ts";

/** Who is told to come again waits this long: it bounds what a store that is away has to answer. */
const PAUSE_AFTER_REFUSAL_MS = 40;

/** What the load has been told so far. */
export interface Figures {
  answers: number;
  refusals: number;
  unavailable: number;
  writes: number;
  slowestMs: number;
  /** When the latest read was answered with 200 or 429, by performance.now(). */
  lastServedMs: number;
}

export interface Load extends AsyncDisposable {
  readonly books: Books;
  readonly figures: Figures;
  /**
   * Whether a read that is sent now may reach the store. While it may not, a read that is answered
   * with 503 must not be charged.
   */
  mayReachStore: boolean;
  /** Whether something went wrong in it: stop() tells what. */
  readonly hasFailed: boolean;
  /** Ends the load after the answers that are due. @throws what went wrong in it. */
  stop(): Promise<void>;
}

/** Starts a node on a database, with a directory of its own. */
export async function startNode(
  databaseUrl: string,
  resources: AsyncDisposableStack,
): Promise<Server> {
  const { path: dataDirectory } = resources.use(await temporaryDirectory());
  const env = { DATABASE_URL: databaseUrl, AUTH_LIMIT: "1000000" };
  return resources.use(await serve({ dataDirectory, env }));
}

/**
 * Opens accounts that read: the first on a quota that ends soon, the others without one in reach.
 *
 * @param label begins their emails: it is another for each of several books on one store.
 */
export async function openBooks(
  client: Client,
  databaseUrl: string,
  quotas: readonly number[],
  label = "reader",
): Promise<Books> {
  const readers: Reader[] = [];
  for (const [index, quota] of quotas.entries()) {
    const email = `${label}-${index}@example.org`;
    const plan = `plan-of-${label}-${index}`;
    const session = await client.openSession(email);
    const keys = [await client.createKey(session), await client.createKey(session)];
    const apiKeys = keys.map(({ apiKey }) => apiKey);
    // As the commands would, which take 0.6 s of processor time for each reader.
    await administer(
      databaseUrl,
      `INSERT INTO plans (name, units_per_period) VALUES ('${plan}', ${quota})`,
      `UPDATE accounts SET plan = '${plan}' WHERE email = '${email}'`,
    );
    readers.push({
      ...{ email, plan, quota, session, apiKeys },
      ...{ answered: 0, lost: 0, wasRefused: false },
    });
  }
  return { readers, accounts: [], sessions: [], keys: new Map() };
}

/** Reads on many connections and writes beside them, whatever the store does. */
export function startLoad(
  nodes: readonly Server[],
  books: Books,
  { connections = 16, writers = 2, label = "load" } = {},
): Load {
  let isOn = true;
  const figures: Figures = {
    ...{ answers: 0, refusals: 0, unavailable: 0, writes: 0, slowestMs: 0 },
    lastServedMs: performance.now(),
  };
  const urlOf = (turn: number) => nodes[turn % nodes.length]?.url ?? "";

  const read = async (turn: number) => {
    const reader = books.readers[turn % books.readers.length] as Reader;
    const apiKey = reader.apiKeys[Math.floor(turn / books.readers.length) % 2] ?? "";
    using connection = openConnection(urlOf(turn));
    while (isOn) {
      const mayBeCharged = load.mayReachStore;
      const sentMs = performance.now();
      const { status, body } = await connection.readRate("EUR/USD", apiKey);
      figures.slowestMs = Math.max(figures.slowestMs, performance.now() - sentMs);
      assert.ok([200, 429, 503].includes(status), body);
      if (status === 503) {
        figures.unavailable += 1;
        if (mayBeCharged) reader.lost += 1;
        await after(PAUSE_AFTER_REFUSAL_MS);
        continue;
      }
      figures.lastServedMs = performance.now();
      if (status === 200) reader.answered += 1;
      else reader.wasRefused = true;
      figures[status === 200 ? "answers" : "refusals"] += 1;
    }
  };
  const write = async (turn: number) => {
    for (let count = 0; isOn; count += 1) {
      try {
        const email = `${label}-${turn}-${count}@example.org`;
        await writeOnce(clientOf(urlOf(turn)), books, email);
        figures.writes += 1;
      } catch (error) {
        if (!/, got 503 /.test(String(error))) throw error;
        figures.unavailable += 1;
        await after(PAUSE_AFTER_REFUSAL_MS);
      }
    }
  };

  let hasFailed = false;
  let work: Promise<void>[] = [];
  const load: Load = {
    books,
    figures,
    mayReachStore: true,
    get hasFailed() {
      return hasFailed;
    },
    async stop() {
      isOn = false;
      await Promise.all(work).catch(async (error: unknown) => {
        // A node that is gone says itself why.
        await Promise.race([after(500), ...nodes.map(({ program }) => program.ended)]);
        for (const node of nodes) checkNode(node);
        throw error;
      });
    },
    async [Symbol.asyncDispose]() {
      isOn = false;
      await Promise.allSettled(work);
    },
  };
  work = [
    ...Array.from({ length: connections }, (_, turn) => read(turn)),
    ...Array.from({ length: writers }, (_, turn) => write(turn)),
  ];
  // What fails is told by stop(), and ends the rest at once.
  Promise.all(work).catch(() => {
    hasFailed = true;
    isOn = false;
  });
  return load;
}

/** One account, one session, two keys, one of them revoked; each entered once it is answered. */
async function writeOnce(client: Client, books: Books, email: string): Promise<void> {
  await client.register(email);
  books.accounts.push(email);
  const session = await client.logIn(email);
  books.sessions.push(session);
  for (const isRevoked of [true, false]) {
    const { id, apiKey } = await client.createKey(session);
    const entry: KeyEntry = { id, session, revocation: "none" };
    books.keys.set(apiKey, entry);
    if (!isRevoked) continue;
    entry.revocation = "sent";
    const path = `/v1/account/api-keys/${id}`;
    const { status, text } = await client.call("DELETE", path, { session });
    if (status !== 204) throw new Error(`DELETE ${path}: want 204, got ${status} ${text}`);
    entry.revocation = "acknowledged";
  }
}

/** Holds what the store has against what was acknowledged. */
export async function checkBooks(client: Client, books: Books, databaseUrl: string): Promise<void> {
  await checkSums(databaseUrl);
  const rows = await administer(databaseUrl, "SELECT email FROM accounts");
  const stored = (rows as { email: string }[]).map(({ email }) => email);
  await checkAcknowledged(client, books, stored);
}

/** That the two counts of units agree, for every account and period. */
export async function checkSums(databaseUrl: string): Promise<void> {
  assert.deepEqual(await administer(databaseUrl, DISAGREEING_UNITS), []);
}

/** That a node has survived, and never took the store's failure for one of its own. */
export function checkNode({ program, logLines }: Server): void {
  assert.ok(program.isRunning, `the node has ended: ${program.stderr}`);
  const own = logLines().filter(({ code }) => code === "internal_error");
  assert.deepEqual(own, []);
  assert.doesNotMatch(program.stderr, /unhandled|uncaught|Error/i);
}

/** @returns how long it took from now on. */
export async function untilServed(client: Client): Promise<number> {
  const sinceMs = performance.now();
  await eventually("service again", async () => {
    const { status } = await client.get("/readyz");
    return status === 200 || undefined;
  });
  return performance.now() - sinceMs;
}

/** Waits until a number of further reads were answered with 200. */
export async function untilAnswered(load: Load, more: number): Promise<void> {
  const wanted = load.figures.answers + more;
  await eventually(`${more} answers`, async () => {
    if (load.hasFailed) await load.stop();
    return load.figures.answers >= wanted || undefined;
  });
}

export function inDoubtOf({ readers }: Books): number {
  return readers.reduce((sum, { lost }) => sum + lost, 0);
}

export function tell({ figures, books }: Load): string {
  const inDoubt = inDoubtOf(books);
  const { answers, refusals, unavailable, writes, slowestMs } = figures;
  return (
    `${answers} answers, ${refusals} times over the quota, ${unavailable} times 503, ` +
    `${inDoubt} reads in doubt, ${writes} accounts with keys, slowest ${Math.round(slowestMs)} ms`
  );
}
