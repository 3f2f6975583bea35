import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import { createHashPool } from "../../../src/customers/passwords/hashing/hash-pool.ts";
import type { Passwords } from "../../../src/customers/passwords/passwords.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { openWire, plainRead, type Wire } from "../../support/raw-connection.ts";
import { startService, type TestOptions } from "../../support/service.ts";

// Shutdowns while connections have several requests in flight: each admitted request gets its
// response before its connection closes, and any other costs nothing. Reads that keep arriving
// during a shutdown: test/service/stop.test.ts.

const EMAIL = "ada@example.org";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n";
const json = JSON.stringify({ email: EMAIL, password: "correct horse battery" });
const logIn =
  "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n" +
  `Content-Length: ${json.length}\r\n\r\n${json}`;

const DELAY_SECONDS = 300;

async function startStoppable(shutdownDelaySeconds: number, more: TestOptions = {}) {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const config = { freePlanUnits: 1_000_000, authCallsPerWindow: 1000, shutdownDelaySeconds };
  const service = await startService({ config, dataDirectory, ...more });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service[Symbol.asyncDispose]();
    return stopped;
  };
  starting.defer(stop);
  const { apiKey } = await service.newCustomer(EMAIL);
  const read = plainRead(apiKey);
  const started = starting.move();
  return {
    service,
    url: service.url,
    read,
    usedUnits: () => Number(service.query("SELECT sum(units) AS n FROM period_usage")[0]?.n ?? 0),
    stop,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Begins a stop, whose delay ends when the test says. @returns what ends it. */
async function beginDelay(t: test.TestContext, { service, stop }: Stoppable) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  // The service imports the timer's promise by its name.
  syncBuiltinESMExports();
  const stopped = stop();
  while ((await service.get("/readyz")).status !== 503);
  let isOver = false;
  const end = async () => {
    if (!isOver) t.mock.timers.tick(DELAY_SECONDS * 1000);
    isOver = true;
    t.mock.timers.reset();
    syncBuiltinESMExports();
    await stopped;
  };
  return { end, [Symbol.asyncDispose]: end };
}

type Stoppable = Awaited<ReturnType<typeof startStoppable>>;

/** Reads responses until the server closes the connection. */
async function responsesUntilEnd(wire: Wire) {
  const responses = [];
  for (;;) {
    await wire.untilAnswer();
    if (wire.received() === "") return responses;
    responses.push(await wire.answer());
  }
}

const closes = ({ lines }: { readonly lines: readonly string[] }) =>
  lines.some((line) => /^connection: close$/i.test(line));

for (const hasReadBefore of [false, true]) {
  const connection = hasReadBefore ? "a connection that has read" : "a new connection";

  test(`50 reads in one packet during the shutdown delay all get responses, on ${connection}`, async (t) => {
    await using started = await startStoppable(DELAY_SECONDS);
    using wire = await openWire(started.url);
    if (hasReadBefore) {
      wire.send(started.read);
      assert.equal((await wire.answer()).status, 200);
    }
    const before = started.usedUnits();
    await using delay = await beginDelay(t, started);

    wire.send(started.read.repeat(50));
    const responses = await responsesUntilEnd(wire);
    await delay.end();

    assert.deepEqual(
      responses.map(({ status }) => status),
      new Array(50).fill(200),
    );
    assert.deepEqual(responses.map(closes), [...new Array(49).fill(false), true]);
    assert.equal(started.usedUnits() - before, 50);
  });
}

test("a request that arrives in two parts during the shutdown delay gets its response", async (t) => {
  await using started = await startStoppable(DELAY_SECONDS);
  using wire = await openWire(started.url);
  wire.send(HEALTH);
  assert.equal((await wire.answer()).status, 200);
  await using delay = await beginDelay(t, started);

  wire.send(HEALTH.slice(0, 20));
  // The server has read the part before it responds to this.
  assert.equal((await started.service.get("/healthz")).status, 200);
  wire.send(HEALTH.slice(20));
  const responses = await responsesUntilEnd(wire);
  await delay.end();

  assert.deepEqual(
    responses.map((response) => [response.status, closes(response)]),
    [[200, true]],
  );
});

test("log-ins in flight on one connection at a shutdown all get responses", async () => {
  await using started = await startStoppable(0);
  using wire = await openWire(started.url);
  wire.send(`${HEALTH}${logIn.repeat(3)}`);
  // Its response shows that the server has read the packet.
  assert.equal((await wire.answer()).status, 200);

  const stopped = started.stop();

  const responses = await responsesUntilEnd(wire);
  await stopped;
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200],
  );
  for (const { text } of responses) assert.match(text, /"session_token":"svc_sess_/);
});

test("at a shutdown a malformed request gets its 400 after the response in flight before it", async () => {
  let stopping = Promise.resolve();
  const verify: Passwords["verify"] = async (stored, password) => {
    await stopping;
    return await quickPasswords.verify(stored, password);
  };
  const passwords = { ...quickPasswords, verify };
  await using started = await startStoppable(0, { passwords });
  const { promise, resolve } = Promise.withResolvers<void>();
  stopping = promise;
  using wire = await openWire(started.url);
  wire.send(`${HEALTH}${logIn}GET\r\n\r\n`);
  assert.equal((await wire.answer()).status, 200);

  const stopped = started.stop();
  resolve();

  const responses = await responsesUntilEnd(wire);
  await stopped;
  assert.deepEqual(
    responses.map((response) => [response.status, closes(response)]),
    [
      [200, false],
      [400, true],
    ],
  );
});

test("reads behind log-ins that wait for a thread at a shutdown all get responses", async () => {
  const passwords = createPasswords(createHashPool({ threads: 1 }));
  const shutdownLimits = { drainMs: 120_000, passwordsMs: 0 };
  await using started = await startStoppable(0, { passwords, shutdownLimits });
  // 30 passes instead of 2 take the only thread 0.4 s per log-in: at the stop most of them wait.
  const lengthy = `$argon2id$v=19$m=19456,t=30,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  started.service.query("UPDATE accounts SET password_hash = ?", lengthy);
  using wire = await openWire(started.url);
  const before = started.usedUnits();
  wire.send(`${HEALTH}${(logIn + started.read).repeat(80)}`);
  assert.equal((await wire.answer()).status, 200);

  const stopped = started.stop();

  const responses = await responsesUntilEnd(wire);
  await stopped;
  const statuses = responses.map(({ status }) => status);
  const logIns = statuses.filter((_, index) => index % 2 === 0);
  const reads = statuses.filter((_, index) => index % 2 === 1);
  assert.deepEqual(reads, new Array(80).fill(200));
  assert.equal(started.usedUnits() - before, 80);
  // How many are compared by then depends on the machine.
  assert.deepEqual([...new Set([...logIns, 401])].sort(), [401, 503]);
  assert.equal(logIns.at(-1), 503);
  assert.deepEqual(started.service.query("SELECT * FROM sessions").length, 1);
});
