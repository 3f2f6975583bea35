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

/** Counts of the responses so far. */
export interface Figures {
  answers: number;
  refusals: number;
  unavailable: number;
  writes: number;
  slowestMs: number;
}

export interface Load extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly figures: Figures;
  /**
   * Whether a read that is sent now may reach the store. While it may not, a read that returns 503
   * must not be charged.
   */
  mayReachStore: boolean;
  /** Whether a part of the load has failed: stop() throws the error. */
  readonly hasFailed: boolean;
  /** Ends the load after its requests in flight. @throws the load's first error. */
  stop(): Promise<void>;
}

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
export function startLoad(
  nodes: readonly Server[],
  ledger: Ledger,
  { connections = 16, writers = 2, label = "load" } = {},
): Load {
  let isOn = true;
  const figures: Figures = { answers: 0, refusals: 0, unavailable: 0, writes: 0, slowestMs: 0 };
  const { readers } = ledger;

  const read = async (turn: number) => {
    const reader = nth(readers, turn);
    const key = nth(reader.keys, Math.floor(turn / readers.length));
    using connection = openConnection(nth(nodes, turn).url);
    while (isOn) {
      const mayBeCharged = load.mayReachStore;
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
  };
  const write = async (turn: number) => {
    for (let count = 0; isOn; count += 1) {
      try {
        const email = `${label}-${turn}-${count}@example.org`;
        await writeOnce(nth(nodes, turn), ledger, email);
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
    ledger,
    figures,
    mayReachStore: true,
    get hasFailed() {
      return hasFailed;
    },
    async stop() {
      isOn = false;
      await Promise.all(work).catch(async (error: unknown) => {
        // If the node has ended, its stderr contains the reason.
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
  // An error ends the load at once, and stop() throws it.
  Promise.all(work).catch(() => {
    hasFailed = true;
    isOn = false;
  });
  return load;
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

/** Waits until /readyz returns 200. @returns the time that it took, in ms. */
export async function untilServed(client: Client): Promise<number> {
  const sinceMs = performance.now();
  await eventually("service again", async () => {
    const { status } = await client.get("/readyz");
    return status === 200 || undefined;
  });
  return performance.now() - sinceMs;
}

/** Waits until a number of further reads have returned 200. */
export async function untilAnswered(load: Load, more: number): Promise<void> {
  const wanted = load.figures.answers + more;
  await eventually(`${more} answers`, async () => {
    if (load.hasFailed) await load.stop();
    return load.figures.answers >= wanted || undefined;
  });
}

export function tell({ figures, ledger }: Load): string {
  const { answers, refusals, unavailable, writes, slowestMs } = figures;
  return (
    `${answers} answers, ${refusals} times over the quota, ${unavailable} times 503, ` +
    `${ledger.inDoubt()} reads in doubt, ${writes} accounts with keys, slowest ${Math.round(slowestMs)} ms`
  );
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
