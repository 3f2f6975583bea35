import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { assertFailure } from "../../test/support/assertions.ts";
import { type Client, PASSWORD } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { nth } from "../../test/support/nodes.ts";
import { databaseOf } from "../../test/support/postgres-databases.ts";
import type { Server } from "../../test/support/process.ts";
import { startService } from "../../test/support/service.ts";
import { freeze } from "../../test/support/stalls.ts";
import { Ledger } from "../support/ledger.ts";
import {
  CUT_ALL,
  checkLedger,
  checkNode,
  Load,
  openReaders,
  restarted,
  startBehindRelay,
  startNode,
  untilReady,
} from "./load.ts";

/**
 * The service guarantees 2 s, which test/platform/storage/postgres.test.ts tests with its timers. Here the
 * machine may be busy: this limit shows that no request waits for the database.
 */
const ANSWER_MS_MAX = 20_000;

/** The maximum number of connections of a node. */
const POOL_SIZE = 10;

type Behind = Awaited<ReturnType<typeof startBehindRelay>>;

const DURABLE = { fsync: "on" };

const COUNT_CONNECTIONS = `
  SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'kurs'`;

const IN_MID_COUNT = `
  SELECT 1 FROM pg_stat_activity
  WHERE state = 'idle in transaction' AND query LIKE '%auth_windows%'`;

/** Restarts a killed server on its data directory and port. */
function restartedOn({ dataDirectory, port }: PostgresServer, settings = {}) {
  return restarted(() => startPostgres({ dataDirectory, port, settings }));
}

/** Sends every kind of request that needs the store. @returns each response with its time. */
async function sendEveryRequest(client: Client, session: string, apiKey: string, email: string) {
  const account = { email, password: PASSWORD };
  const asked = {
    rate: () => client.get("/v1/rates/EUR/USD", { apiKey }),
    "bad symbol": () => client.get("/v1/rates/E/USD", { apiKey }),
    usage: () => client.get("/v1/account/usage", { session }),
    register: () => client.call("POST", "/v1/auth/register", { json: account }),
    "log-in": () => client.call("POST", "/v1/auth/login", { json: account }),
    "key creation": () =>
      client.call("POST", "/v1/account/api-keys", { session, json: { name: "away" } }),
    readiness: () => client.get("/readyz"),
  };
  return await Promise.all(
    Object.entries(asked).map(async ([what, send]) => {
      const sentMs = performance.now();
      const answer = await send();
      return { what, answer, tookMs: performance.now() - sentMs };
    }),
  );
}

/** Sends every kind of request that many times. @returns the time of the slowest response. */
async function assertAway(
  client: Client,
  ledger: Ledger,
  label: string,
  times: number,
): Promise<number> {
  const { sessions, keys } = nth(ledger.readers, 0);
  let slowestMs = 0;
  for (let turn = 0; turn < times; turn += 1) {
    const email = `away-${label}-${turn}@example.org`;
    ledger.asked.add(email);
    const answers = await sendEveryRequest(
      client,
      nth(sessions, 0).token,
      nth(keys, 0).apiKey,
      email,
    );
    for (const { what, answer, tookMs } of answers) {
      assertFailure(answer, 503, "temporarily_unavailable");
      assert.ok(tookMs < ANSWER_MS_MAX, `${what} took ${tookMs} ms`);
      slowestMs = Math.max(slowestMs, tookMs);
    }
    assert.equal((await client.get("/healthz")).status, 200);
  }
  return slowestMs;
}

async function connectionsOf(url: string): Promise<number> {
  return Number((await administer(url, COUNT_CONNECTIONS))[0]?.count);
}

/** Waits until the node has no more connections than its pool: it may still be closing lost ones. */
async function untilPooled(count: () => number | Promise<number>): Promise<void> {
  const isPooled = async () => (await count()) <= POOL_SIZE || undefined;
  await eventually("closed lost connections", isPooled);
}

/** A database and its only node, for tests that leave both unchanged. */
const shared = new AsyncDisposableStack();
let sharedPostgres: PostgresServer;
let sharedNode: Server;
const sharedLedger = new Ledger();
before(async () => {
  sharedPostgres = shared.use(await startPostgres());
  sharedNode = await startNode(sharedPostgres.url(), shared);
});
after(() => shared.disposeAsync());

test("after a database crash and restart nothing acknowledged is lost and service resumes", async (t) => {
  await using resources = new AsyncDisposableStack();
  let postgres = resources.use(await startPostgres({ settings: DURABLE }));
  const node = await startNode(postgres.url(), resources);
  const ledger = await openReaders(node, postgres.url());

  for (let round = 1; round <= 2; round += 1) {
    const connections = 16;
    const inDoubtBefore = ledger.inDoubt();
    await using load = new Load([node], ledger, { connections, label: `round-${round}` });
    await load.untilAnswered(1500);
    using frozen = await freeze(postgres);
    // From here on no database process can charge a read.
    load.mayReachStore = false;
    await frozen.kill();
    await untilReady(node, 503);
    const slowestMs = await assertAway(node, ledger, `round-${round}`, 5);
    await load.stop();
    assert.ok(load.figures.slowestMs < ANSWER_MS_MAX, String(load));
    assert.ok(ledger.inDoubt() - inDoubtBefore <= connections, String(load));

    postgres = resources.use(await restartedOn(postgres, DURABLE));
    const { tookMs: backMs } = await untilReady(node);
    t.diagnostic(
      `round ${round}: slowest 503 ${Math.round(slowestMs)} ms, back ${Math.round(backMs)} ms ` +
        `after the start; ${load}`,
    );
    await checkLedger([node], ledger, postgres.url());
    await untilPooled(() => connectionsOf(postgres.url()));
    checkNode(node);
  }
});

/** What makes the database unreachable. It ends when the result is disposed of. */
const absences: Readonly<Record<string, (behind: Behind) => Disposable | Promise<Disposable>>> = {
  "the database hangs": ({ postgres }) => freeze(postgres),
  "the network drops all packets": ({ relay }) => {
    relay.drop();
    return { [Symbol.dispose]: relay.forward };
  },
};

for (const [what, begin] of Object.entries(absences)) {
  test(`while ${what}, requests return 503 in time, and no connection leaks`, async (t) => {
    await using resources = new AsyncDisposableStack();
    const behind = await startBehindRelay(resources);
    const { postgres, relay, node } = behind;
    const ledger = await openReaders(node, postgres.url());
    await using load = new Load([node], ledger);
    await load.untilAnswered(1000);

    let slowestMs = 0;
    {
      using _absence = await begin(behind);
      slowestMs = await assertAway(node, ledger, "away", 3);
    }
    const { tookMs: backMs } = await untilReady(node);
    await load.untilAnswered(200);
    await load.stop();
    assert.ok(load.figures.slowestMs < ANSWER_MS_MAX, String(load));
    t.diagnostic(`slowest 503 ${Math.round(slowestMs)} ms; back ${Math.round(backMs)} ms; ${load}`);
    await checkLedger([node], ledger, postgres.url());
    await untilPooled(() => relay.openConnections());
    checkNode(node);
  });
}

test("a transaction that a network failure interrupts does not block later requests", async () => {
  await using resources = new AsyncDisposableStack();
  const { postgres, relay, node } = await startBehindRelay(resources);
  await node.register("ada@example.org");

  relay.delay(300);
  const account = { email: "ada@example.org", password: "correct horse battery" };
  const logIn = node.call("POST", "/v1/auth/login", { json: account });
  await eventually("a call that is being counted", async () => {
    return (await administer(postgres.url(), IN_MID_COUNT))[0];
  });
  relay.drop();
  assertFailure(await logIn, 503, "temporarily_unavailable");
  relay.forward();
  relay.delay(0);

  // The interrupted transaction still locks the count of the client address.
  await node.logIn("ada@example.org");
  checkNode(node);
});

test("each cut database connection fails only the requests in flight on it", async (t) => {
  const [postgres, node] = [sharedPostgres, sharedNode];
  const ledger = await openReaders(node, postgres.url(), { ledger: sharedLedger, label: "cut" });
  const connections = 8;
  const writers = 2;
  await using load = new Load([node], ledger, { connections, writers, label: "cuts" });

  const cuts = 10;
  for (let cut = 0; cut < cuts; cut += 1) {
    await load.untilAnswered(150);
    await administer(postgres.url(), CUT_ALL);
  }
  await load.untilAnswered(200);
  await load.stop();

  t.diagnostic(`${cuts} cuts: ${load}`);
  // At each cut every client sees one 503, and one more before the node notices the cut.
  assert.ok(load.figures.unavailable <= 2 * cuts * (connections + writers), String(load));
  await checkLedger([node], ledger, postgres.url());
  await untilPooled(() => connectionsOf(postgres.url()));
  checkNode(node);
});

test("service resumes after the database was read-only for a while", async () => {
  const [postgres, node] = [sharedPostgres, sharedNode];
  const ledger = await openReaders(node, postgres.url(), {
    ledger: sharedLedger,
    label: "unwritten",
    quotas: [300, 1_000_000],
  });
  await using load = new Load([node], ledger, { connections: 4, writers: 1, label: "waiting" });
  await load.untilAnswered(200);

  const reload = "SELECT pg_reload_conf()";
  await administer(postgres.url(), "ALTER SYSTEM SET default_transaction_read_only = on", reload);
  await untilReady(node, 503);
  await assertAway(node, ledger, "read-only", 1);
  // The setting also blocks its own reset, so this session switches it off first.
  await administer(
    postgres.url(),
    "SET default_transaction_read_only = off",
    "ALTER SYSTEM RESET default_transaction_read_only",
    reload,
  );
  await untilReady(node);
  await load.untilAnswered(200);
  await load.stop();

  await checkLedger([node], ledger, postgres.url());
  checkNode(node);
});

test("after a reload to synchronous_commit = off a database crash loses nothing acknowledged", async () => {
  await using resources = new AsyncDisposableStack();
  // With these settings asynchronous commits would stay in memory for up to 10 s.
  const settings = { wal_writer_delay: "10s", wal_writer_flush_after: "1GB" };
  const postgres = resources.use(await startPostgres({ settings }));
  const config = { database: databaseOf(postgres.url()) };
  const service = resources.use(await startService({ config }));
  const session = await service.openSession();
  const revoked = await service.createKey(session);
  const read = (apiKey: string) => service.get("/v1/rates/EUR/USD", { apiKey });
  // Opens several connections before the reload.
  await Promise.all(Array.from({ length: 10 }, () => service.usedUnits(session)));
  await administer(
    postgres.url(),
    "ALTER SYSTEM SET synchronous_commit = off",
    "SELECT pg_reload_conf()",
  );
  await eventually("the reload", async () => {
    const [row] = await administer(postgres.url(), "SHOW synchronous_commit");
    return row?.synchronous_commit === "off" || undefined;
  });

  const kept = await service.createKey(session);
  assert.equal((await read(kept.apiKey)).status, 200);
  assert.equal((await read(revoked.apiKey)).status, 200);
  const path = `/v1/account/api-keys/${revoked.id}`;
  assert.equal((await service.call("DELETE", path, { session })).status, 204);
  await postgres.kill();
  resources.use(await restartedOn(postgres));
  await untilReady(service);

  // Each connection from before the crash fails one request.
  const status = await eventually("a response to the revoked key", async () => {
    const response = await read(revoked.apiKey);
    return response.status === 503 ? undefined : response.status;
  });
  assert.equal(status, 401);
  assert.equal(await service.usedUnits(session), 2);
  assert.equal((await read(kept.apiKey)).status, 200);
});
