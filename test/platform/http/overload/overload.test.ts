import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createConcurrencyLimit } from "../../../../src/platform/async/concurrency-limit.ts";
import { createRejectionPacer } from "../../../../src/platform/async/rejection-pacer.ts";
import { createLoopBudget } from "../../../../src/platform/http/overload/loop-budget.ts";
import { StoreOverloaded } from "../../../../src/platform/shared/store.ts";
import { createReadBatcher } from "../../../../src/reads/metering/batch/batcher.ts";
import { createSqliteDatabase } from "../../../contract/sqlite-database.ts";
import { newCustomer, usedUnits } from "../../../contract/suite/customers.ts";
import { EUR_USD, newRead, storeRates } from "../../../contract/suite/rates-stored.ts";
import { callOf, PATH, requestOf } from "../../../reads/mcp/messages.ts";
import { assertFailure } from "../../../support/assertions.ts";
import { connectTo, startCluster, waitersFor } from "../../../support/nodes.ts";
import { serve, temporaryDirectory } from "../../../support/process.ts";
import { openWire, sendRaw } from "../../../support/raw-connection.ts";
import { untilStopped } from "../../../support/resources.ts";

const FLOODS = 40;

// Beyond capacity the service rejects what would wait too long, before it costs anything.

/** Lets a test advance the clock. */
function holdTime(t: TestContext) {
  let nowMs = 1_000_000;
  t.mock.method(performance, "now", () => nowMs);
  return {
    advanceMs(milliseconds: number): void {
      nowMs += milliseconds;
    },
  };
}

test("reads that would wait too long are rejected early and not charged", async (t) => {
  const time = holdTime(t);
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  const engine = database.openEngine();
  await storeRates(store, [EUR_USD]);
  const { accountId, keyHash } = await newCustomer(store, 1_000_000);
  let answered = 0;
  let mayAnswer = Promise.resolve();
  const slow = createReadBatcher({
    async readBatch(reads) {
      await mayAnswer;
      time.advanceMs(600);
      answered += reads.length;
      return engine.readBatch(reads);
    },
  });
  const readMany = (count: number) =>
    Array.from({ length: count }, () => slow.read(newRead(keyHash)));
  // A full batch shows the throughput: its 600 ms exceed the longest allowed wait.
  await Promise.all(readMany(1000));

  const { promise, resolve: letAnswer } = Promise.withResolvers<void>();
  mayAnswer = promise;
  const reads = readMany(1400);
  const rejected = await Promise.allSettled(reads.slice(1000));

  assert.equal(answered, 1000, "the rejections came only after the next batch");
  for (const outcome of rejected) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof StoreOverloaded);
  }
  letAnswer();
  await Promise.all(reads.slice(0, 1000));
  assert.equal(await usedUnits(store, accountId), 2000);
  await slow.read(newRead(keyHash));
  assert.equal(await usedUnits(store, accountId), 2001);
});

test("rejections are sent after the event-loop iteration, at a limited rate", async (t) => {
  const time = holdTime(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const paceRejection = createRejectionPacer(1);
  let told = 0;
  for (let count = 0; count < 2000; count += 1) paceRejection(() => (told += 1));

  assert.equal(told, 0);
  await turn();
  await turn();
  assert.equal(told, 500);
  for (let turns = 1; turns <= 20; turns += 1) {
    time.advanceMs(5);
    t.mock.timers.tick(5);
    assert.equal(told, 500 + 5 * turns);
  }
  // After a pause of the machine no more than the burst of 500 is sent at once.
  time.advanceMs(60_000);
  t.mock.timers.tick(5);
  assert.equal(told, 1100);
});

test("an event-loop iteration admits requests within its time budget, however few they are", async () => {
  const admit = createLoopBudget();
  /** @returns how many of a thousand requests are admitted, each of which takes this time. */
  const admittedOf = async (eachMs: number) => {
    const admitted = Array.from({ length: 1000 }, (_, index) => admit(index * eachMs));
    await turn();
    return admitted.filter(Boolean).length;
  };

  assert.equal(await admittedOf(0.25), 1000);
  assert.equal(await admittedOf(1), 251);
  assert.equal(await admittedOf(5), 51);
  assert.equal(await admittedOf(1000), 11);
});

test("a pause of the garbage collector or the machine rejects nothing", async () => {
  const admit = createLoopBudget();
  const moments = [0, 0.1, 60_000, 60_000.1, 120_000, 120_010];
  assert.deepEqual(
    moments.map(admit),
    moments.map(() => true),
  );
});

test("a task whose expected wait is too long is rejected at once; queued tasks run", async (t) => {
  const time = holdTime(t);
  const rejection = new Error("full");
  const inTurn = createConcurrencyLimit({ concurrency: 1, maxWaitMs: 100, rejection });
  const work = async () => time.advanceMs(40);
  for (let count = 0; count < 50; count += 1) await inTurn.run(work);

  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => inTurn.run(work)));

  // One runs, one may always wait, and two more have less than 100 ms before them.
  const done = outcomes.slice(0, 4).map(({ status }) => status);
  assert.deepEqual(done, Array(4).fill("fulfilled"));
  const rejected = outcomes.slice(4);
  for (const outcome of rejected)
    assert.equal((outcome as PromiseRejectedResult).reason, rejection);
});

test("as many tasks as run at once may wait, however slow the last ones were", async (t) => {
  const time = holdTime(t);
  const rejection = new Error("full");
  const limit = createConcurrencyLimit({ concurrency: 4, maxWaitMs: 100, rejection });
  for (let count = 0; count < 50; count += 1) await limit.run(async () => time.advanceMs(10_000));

  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, () => limit.run(async () => undefined)),
  );

  const rejected = outcomes.flatMap(({ status }, index) => (status === "rejected" ? index : []));
  assert.deepEqual(rejected, [8]);
});

test("a closed limit rejects queued and later tasks, even when a slot is free", async () => {
  const rejection = new Error("full");
  const limit = createConcurrencyLimit({ concurrency: 1, rejection });
  const inFlight = Promise.withResolvers<string>();
  const running = limit.run(() => inFlight.promise);
  const waiting = limit.run(() => assert.fail("a queued task ran"));
  const waited = assert.rejects(waiting, rejection);

  limit.close();
  inFlight.resolve("done");

  await waited;
  assert.equal(await running, "done");
  await assert.rejects(
    limit.run(() => assert.fail("a task ran in a closed limit")),
    rejection,
  );
  assert.equal(limit.rejected(), 2);
});

suite("a server that gets more requests than it can serve", { concurrency: true }, () => {
  test("rejects expensive requests, serves what it admits, and stays alive and ready", async () => {
    await using directory = await temporaryDirectory();
    await using server = await serve({ dataDirectory: directory.path });
    const { session, apiKey } = await server.newCustomer("ada@example.org");
    const key = { Authorization: `ApiKey ${apiKey}` };
    const list = rawPost(requestOf("2025", "tools/list"), key);
    const call = rawPost(callOf("2025", "get_rate", { base: "EUR", quote: "USD" }), key);
    const last = "GET /healthz HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n\r\n";

    // The SDK serves most of them, at 100 to 300 µs each: longer than one iteration may take, on
    // any machine. The process is stopped when they arrive, so that one iteration reads them all:
    // their connections were accepted before, as the response to the next one shows.
    const wires = await Promise.all(Array.from({ length: FLOODS }, () => openWire(server.url)));
    await sendRaw(server.url, last);
    server.program.signal("SIGSTOP");
    await untilStopped(server.program.pid);
    const floods = wires.map((wire) => wire.sendToEnd(list.repeat(200) + call.repeat(50) + last));
    server.program.signal("SIGCONT");
    const ready = await server.get("/readyz");
    const answers = await Promise.all(floods);

    assert.equal(ready.status, 200);
    for (const { length } of answers) assert.equal(length, 251);
    const ofMcp = answers.flatMap((ofOne) => ofOne.slice(0, -1));
    const rejected = ofMcp.filter(({ status }) => status === 503);
    assert.ok(rejected.length > 0, "nothing was rejected");
    for (const answer of rejected) assertFailure(answer, 503, "temporarily_unavailable", /retry/);
    const charged = ofMcp.filter(({ text }) => text.includes('"rate"') && text.includes("as_of"));
    const rates = charged.filter(({ text }) => text.includes("structuredContent"));
    assert.equal(await server.usedUnits(session), rates.length);
    assert.equal((await server.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  });

  test("keeps one PostgreSQL connection for reads and one for readiness", async () => {
    await using cluster = await startCluster();
    const node = await cluster.startNode();
    const { session, apiKey } = await node.newCustomer("ada@example.org");
    await using beside = await connectTo(cluster.url);
    await beside.query("BEGIN");
    await beside.query("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE");

    // Not the usage: its requests share one statement.
    const stuck = Array.from({ length: 40 }, () => node.get("/v1/account/settings", { session }));
    assert.equal((await waitersFor(beside, 8)).length, 8);
    const [read, ready] = await Promise.all([
      node.get("/v1/rates/EUR/USD", { apiKey }),
      node.get("/readyz"),
    ]);
    const stillStuck = (await waitersFor(beside, 8)).length;
    await beside.query("ROLLBACK");

    assert.deepEqual([read.status, ready.status, stillStuck], [200, 200, 8]);
    for (const answer of await Promise.all(stuck)) {
      if (answer.status !== 200) assertFailure(answer, 503, "temporarily_unavailable");
    }
    assert.equal(await node.usedUnits(session), 1);
  });
});

function rawPost(
  { headers, json }: ReturnType<typeof requestOf>,
  more: Readonly<Record<string, string>>,
): string {
  const body = JSON.stringify(json);
  const all = { Host: "kurs", ...headers, ...more, "Content-Length": String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${PATH} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
