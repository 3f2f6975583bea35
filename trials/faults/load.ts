import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { type Client, openConnection } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { DISAGREEING_UNITS, nth } from "../../test/support/nodes.ts";
import { type Server, serve, temporaryDirectory } from "../../test/support/process.ts";
import { startRelay } from "../../test/support/stalls.ts";
import { enterCharge, enterDoubt, Ledger, openReader, today } from "../support/ledger.ts";
import { assertLedger } from "../support/ledger-audit.ts";

/** The pause of a client after a 503. It limits the load while the store is unavailable. */
const PAUSE_AFTER_REFUSAL_MS = 40;

/** Ends the connections of every node. */
export const CUT_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kurs'`;

/** Starts a node on a database, with its own data directory. */
export async function startNode(
  databaseUrl: string,
  resources: AsyncDisposableStack,
): Promise<Server> {
  const { path: dataDirectory } = resources.use(await temporaryDirectory());
  const env = { DATABASE_URL: databaseUrl, AUTH_LIMIT: "1000000" };
  return resources.use(await serve({ dataDirectory, env }));
}

/** Starts a database, a way to it on which packets can get lost, and a node on that way. */
export async function startBehindRelay(resources: AsyncDisposableStack) {
  const postgres = resources.use(await startPostgres());
  const relay = resources.use(await startRelay(postgres));
  return { postgres, relay, node: await startNode(relay.url, resources) };
}

/**
 * Opens accounts that read.
 *
 * @param ledger of what was acknowledged on this store before.
 * @param label begins their emails: it is another for each time on one store.
 */
export async function openReaders(
  client: Client,
  databaseUrl: string,
  { ledger = new Ledger(), label = "reader", quotas = [300, 1_000_000, 1_000_000] } = {},
): Promise<Ledger> {
  ledger.readers = [];
  for (const [index, quotaUnits] of quotas.entries()) {
    const reader = {
      email: `${label}-${index}@example.org`,
      plan: `${label}-${index}`,
      quotaUnits,
    };
    const runSql = (sql: string) => administer(databaseUrl, sql);
    ledger.readers.push(await openReader(ledger, client, reader, runSql));
  }
  return ledger;
}

/** Reads on many connections and writes concurrently until it is stopped. */
export class Load implements AsyncDisposable {
  /** Counts of the responses so far. */
  readonly figures = { answers: 0, refusals: 0, unavailable: 0, writes: 0, slowestMs: 0 };
  /**
   * Whether a read that is sent now may reach the store. While it may not, a read that returns 503
   * must not be charged.
   */
  mayReachStore = true;
  readonly #nodes: readonly Server[];
  readonly #ledger: Ledger;
  #isOn = true;
  #hasFailed = false;
  readonly #work: readonly Promise<void>[];

  constructor(
    nodes: readonly Server[],
    ledger: Ledger,
    { connections = 16, writers = 2, label = "load" } = {},
  ) {
    this.#nodes = nodes;
    this.#ledger = ledger;
    this.#work = [
      ...Array.from({ length: connections }, (_, turn) => this.#read(turn)),
      ...Array.from({ length: writers }, (_, turn) => this.#write(turn, label)),
    ];
    // An error ends the load at once, and stop() throws it.
    Promise.all(this.#work).catch(() => {
      this.#hasFailed = true;
      this.#isOn = false;
    });
  }

  async #read(turn: number): Promise<void> {
    const { readers } = this.#ledger;
    const { figures } = this;
    const reader = nth(readers, turn);
    const key = nth(reader.keys, Math.floor(turn / readers.length));
    using connection = openConnection(nth(this.#nodes, turn).url);
    while (this.#isOn) {
      const mayBeCharged = this.mayReachStore;
      const [sentMs, sentOn] = [performance.now(), today()];
      const { status, text } = await connection.readRate("EUR/USD", key.apiKey);
      figures.slowestMs = Math.max(figures.slowestMs, performance.now() - sentMs);
      assert.ok([200, 429, 503].includes(status), text);
      if (status === 503) {
        figures.unavailable += 1;
        if (mayBeCharged) enterDoubt(key, sentOn);
        await after(PAUSE_AFTER_REFUSAL_MS);
        continue;
      }
      if (status === 200) enterCharge(key, sentOn);
      else reader.wasRejected = true;
      figures[status === 200 ? "answers" : "refusals"] += 1;
    }
  }

  async #write(turn: number, label: string): Promise<void> {
    for (let count = 0; this.#isOn; count += 1) {
      try {
        const email = `${label}-${turn}-${count}@example.org`;
        await writeOnce(nth(this.#nodes, turn), this.#ledger, email);
        this.figures.writes += 1;
      } catch (error) {
        if (!/, got 503 /.test(String(error))) throw error;
        this.figures.unavailable += 1;
        await after(PAUSE_AFTER_REFUSAL_MS);
      }
    }
  }

  /** Waits until a number of further reads have returned 200. */
  async untilAnswered(more: number): Promise<void> {
    const wanted = this.figures.answers + more;
    await eventually(`${more} answers`, async () => {
      if (this.#hasFailed) await this.stop();
      return this.figures.answers >= wanted || undefined;
    });
  }

  /** Ends the load after its requests in flight. @throws the load's first error. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#work).catch(async (error: unknown) => {
      // If the node has ended, its stderr contains the reason.
      await Promise.race([after(500), ...this.#nodes.map(({ program }) => program.ended)]);
      for (const node of this.#nodes) checkNode(node);
      throw error;
    });
  }

  toString(): string {
    const { answers, refusals, unavailable, writes, slowestMs } = this.figures;
    return (
      `${answers} answers, ${refusals} times over the quota, ${unavailable} times 503, ` +
      `${this.#ledger.inDoubt()} reads in doubt, ${writes} accounts with keys, ` +
      `slowest ${Math.round(slowestMs)} ms`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOn = false;
    await Promise.allSettled(this.#work);
  }
}

/** Creates an account, a session and two keys, revokes one, and records what is acknowledged. */
async function writeOnce(client: Client, ledger: Ledger, email: string): Promise<void> {
  ledger.asked.add(email);
  await client.register(email);
  const account = ledger.addAccount(email);
  ledger.fresh.passwords.add(account);
  const { token } = ledger.addSession(account, await client.logIn(email));
  const revoked = ledger.addKey(account, await client.createKey(token));
  revoked.revocation = "sent";
  await client.revokeKey(token, revoked.id);
  revoked.revocation = "acknowledged";
  ledger.addKey(account, await client.createKey(token));
}

/** Holds what the store and its nodes have against what was acknowledged. */
export async function checkLedger(
  nodes: readonly Client[],
  ledger: Ledger,
  databaseUrl: string,
): Promise<void> {
  assert.deepEqual(await administer(databaseUrl, DISAGREEING_UNITS), []);
  await assertLedger(ledger, (sql) => administer(databaseUrl, sql), nodes);
}

/** Asserts that a node is running and has logged no internal error. */
export function checkNode({ program, logLines }: Server): void {
  assert.ok(program.isRunning, `the node has ended: ${program.stderr}`);
  const own = logLines().filter(({ code }) => code === "internal_error");
  assert.deepEqual(own, []);
  assert.doesNotMatch(program.stderr, /unhandled|uncaught|Error/i);
}

/** Waits for a status of /readyz. @returns how many requests, and how long, that took. */
export async function untilReady(client: Client, status = 200) {
  const sinceMs = performance.now();
  let attempts = 0;
  await eventually(`${status} of /readyz`, async () => {
    attempts += 1;
    return (await client.get("/readyz")).status === status || undefined;
  });
  return { attempts, tookMs: performance.now() - sinceMs };
}

/**
 * Starts a PostgreSQL on the data directory of a killed one, once the processes that the kill
 * orphaned have released it.
 */
export function restarted(start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  return eventually("restart", () =>
    start().catch((error: Error) => {
      if (!/pre-existing shared memory|lock file|in use/.test(error.message)) throw error;
      return undefined;
    }),
  );
}
