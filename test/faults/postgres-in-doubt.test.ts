import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { administer, freePort, startPostgres } from "../../harness/postgres.ts";
import { StoreUnavailable } from "../../src/shared/store.ts";
import { isFailoverError, storeError } from "../../src/storage/postgres/errors.ts";
import { createPrimary } from "../../src/storage/postgres/primary.ts";
import { assertFailure } from "../support/assertions.ts";
import { clientOf } from "../support/client.ts";
import { hostsOf } from "../support/postgres-databases.ts";
import { checkNode, startNode, untilServed } from "./load.ts";
import { freeze, startRelay } from "./stalls.ts";

const CUT_ALL = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kurs'`;

test("a node stops in time while its database hangs", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const node = await startNode(postgres.url(), resources);
  const client = clientOf(node.url);
  await client.openSession("ada@example.org");
  await Promise.all(Array.from({ length: 5 }, () => client.get("/readyz")));

  using _frozen = await freeze(postgres);
  const ended = await node.stop();

  assert.equal(ended.exitCode, 0, ended.stderr);
});

test("a connection that comes too late for who waited for it is not lost", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const relay = resources.use(await startRelay(postgres));
  const settings = { connectionsMax: 2, statementTimeoutMs: 5000 };
  const primary = createPrimary(hostsOf(relay.url), settings);
  (await primary.connect()).release();

  // Two want the one that is idle. To connect another and to set it up takes 1.4 s, and who waits
  // for it in the queue waits for one.
  relay.delay(700);
  const [first, second] = await Promise.allSettled([primary.connect(), primary.connect()]);
  assert.equal(first.status, "fulfilled");
  assert.equal(second.status, "rejected");
  first.value.release();
  await after(1000);
  relay.delay(0);

  const both = await Promise.all([primary.connect(), primary.connect()]);
  for (const client of both) client.release();
  const ended = primary[Symbol.asyncDispose]().then(() => "ended");
  assert.equal(await Promise.race([ended, after(60_000, undefined, { ref: false })]), "ended");
});

test("a charge whose answer was lost is not sent again", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const relay = resources.use(await startRelay(postgres));
  const node = await startNode(relay.url, resources);
  const client = clientOf(node.url);
  const session = await client.openSession("ada@example.org");
  const { apiKey } = await client.createKey(session);
  const read = () => client.get("/v1/rates/EUR/USD", { apiKey });
  assert.equal((await read()).status, 200);

  // The database is there and well: to try again would work, and charge a second unit.
  relay.loseAnswerTo("EUR");
  assertFailure(await read(), 503, "temporarily_unavailable");
  assert.equal(await client.usedUnits(session), 2);
  assert.equal((await read()).status, 200);
  assert.equal(await client.usedUnits(session), 3);
  checkNode(node);
});

test("a read that was refused before it reached the database is not charged later", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const relay = resources.use(await startRelay(postgres));
  const node = await startNode(relay.url, resources);
  const client = clientOf(node.url);
  const session = await client.openSession("ada@example.org");
  const { apiKey } = await client.createKey(session);
  assert.equal((await client.get("/v1/rates/EUR/USD", { apiKey })).status, 200);

  // To connect, to set up and to ask for its role takes longer so than anybody waits.
  relay.delay(700);
  await administer(postgres.url(), CUT_ALL);
  await after(1000);
  const answer = await client.get("/v1/rates/EUR/USD", { apiKey });
  assertFailure(answer, 503, "temporarily_unavailable");
  relay.delay(0);

  await untilServed(client);
  // What was begun for that read has ended by then, one way or the other.
  await after(4000);
  assert.equal(await client.usedUnits(session), 1);
});

test("a host all of whose addresses refuse counts as a store that is away", async () => {
  const port = await freePort();
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: "database.example.org",
    port,
    autoSelectFamily: true,
    lookup: (_host, _options, done) => done(null, addresses),
  });
  const [refusal] = await once(socket, "error");

  // What Node.js tells of a name with several addresses; of one with a single address, its error.
  assert.ok(refusal instanceof AggregateError);
  assert.ok(storeError(refusal) instanceof StoreUnavailable);
  assert.ok(isFailoverError(refusal), "the primary is not looked for again");
});
