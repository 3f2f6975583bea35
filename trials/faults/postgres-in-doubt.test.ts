import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { suite, test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { administer, freePort, startPostgres } from "../../harness/postgres.ts";
import { StoreUnavailable } from "../../src/platform/shared/store.ts";
import { isFailoverError, storeError } from "../../src/platform/storage/postgres/errors.ts";
import { createPrimary } from "../../src/platform/storage/postgres/primary.ts";
import { emptyStore, query } from "../../test/platform/storage/stored.ts";
import { assertFailure } from "../../test/support/assertions.ts";
import { assertNoSecrets } from "../../test/support/log-secrets.ts";
import {
  hostsOf,
  newBareDatabase,
  newPostgresDatabase,
} from "../../test/support/postgres-databases.ts";
import { kurs, Program } from "../../test/support/process.ts";
import { freeze, type Loss, type Relay, startRelay } from "../../test/support/stalls.ts";
import { CUT_ALL, checkNode, startBehindRelay, startNode, untilReady } from "./load.ts";

test("a node shuts down in time while its database hangs", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const node = await startNode(postgres.url(), resources);
  await node.openSession("ada@example.org");
  await Promise.all(Array.from({ length: 5 }, () => node.get("/readyz")));

  using _frozen = await freeze(postgres);
  const ended = await node.stop();

  assert.equal(ended.exitCode, 0, ended.stderr);
});

test("a connection that opens after its request timed out is not leaked", async () => {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startPostgres());
  const relay = resources.use(await startRelay(postgres));
  const settings = { connectionsMax: 2, statementTimeoutMs: 5000, connectTimeoutMs: 5000 };
  const primary = createPrimary(hostsOf(relay.url), settings);
  (await primary.connect()).release();

  // Two requests compete for one idle connection. A new one takes 7 s to open, longer than the
  // 5 s that the second request waits in the queue.
  relay.delay(3500);
  const [first, second] = await Promise.allSettled([primary.connect(), primary.connect()]);
  assert.equal(first.status, "fulfilled");
  assert.equal(second.status, "rejected");
  first.value.release();
  await after(5000);
  relay.delay(0);

  const both = await Promise.all([primary.connect(), primary.connect()]);
  for (const client of both) client.release();
  const ended = primary[Symbol.asyncDispose]().then(() => "ended");
  assert.equal(await Promise.race([ended, after(60_000, undefined, { ref: false })]), "ended");
});

const KEY_LOOK =
  "if kurs keys list EMAIL shows it, revoke it (kurs keys revoke ID): its secret is lost";
const TABLES = "information_schema.tables WHERE table_schema = current_schema()";
const AGAIN = "run the command again, which then stores nothing twice";

/** Commands, whether they migrate the database, their rows, what they print, and how to look. */
const commands = [
  ["keys create ada@example.org --name a", false, "api_keys", /^svc_live_\w{64}\n$/, KEY_LOOK],
  ["migrate", true, TABLES, /^the schema was 0 and is now \d+\n$/, AGAIN],
  ["store copy", false, "plans WHERE name = 'copied'", /\ncopied and compared: .+ agree\n$/, AGAIN],
  [
    "plans set pro 7",
    false,
    "plans WHERE name = 'pro'",
    /^plan pro has 7 units per period\n$/,
    "kurs audit --since 1h shows it, if it is",
  ],
] as const;

suite("a command whose connection breaks at its commit", { concurrency: 4 }, () => {
  for (const [command, migrates, rows, printed, look] of commands) {
    const run = async (lossOf: (relay: Relay) => Loss) => {
      await using source = await emptyStore();
      query(source.path, "INSERT INTO plans VALUES ('copied', 7)");
      await using database = await (migrates ? newBareDatabase() : newPostgresDatabase());
      const { url } = database;
      await using relay = await startRelay({ port: Number(new URL(url).port), url: () => url });
      const env = { DATABASE_URL: relay.url, SMTP_URL: "smtp://127.0.0.1:1" };
      if (command.startsWith("keys"))
        await kurs(["accounts", "create", "ada@example.org"], { env });
      relay.loseAnswerTo("COMMIT", lossOf(relay));
      const args = command.split(" ");
      const { ended } = new Program(args, { dataDirectory: source.path, env });
      const { exitCode, stdout, stderr } = await ended;
      assertNoSecrets(stderr);
      const isStored = (await administer(url, `SELECT 1 FROM ${rows}`)).length > 0;
      return { exitCode, stdout, stderr, isStored };
    };

    test(`kurs ${command} succeeds when only the response is lost`, async () => {
      const { stdout, stderr, ...outcome } = await run(() => ({}));
      assert.deepEqual(outcome, { exitCode: 0, isStored: true }, stderr);
      assert.match(stdout, printed);
    });

    test(`kurs ${command} stores nothing, and says no more, when the commit is lost`, async () => {
      const { stderr, ...outcome } = await run(() => ({ isUnsent: true }));
      assert.deepEqual(outcome, { exitCode: 1, stdout: "", isStored: false });
      assert.match(stderr, /^kurs: [^\n]*Connection terminated unexpectedly\.[^\n]*\n$/);
    });

    test(`kurs ${command} says how to look when the server cannot be asked`, async () => {
      const { stderr, ...outcome } = await run((relay) => ({ onLoss: relay.drop }));
      assert.deepEqual(outcome, { exitCode: 1, stdout: "", isStored: true });
      const [reason, ...more] = stderr.split("\n");
      assert.match(reason ?? "", /^kurs: The store cannot be used at present: Connection term/);
      assert.deepEqual(more, [`Whether the change is stored is in doubt: ${look}.`, ""]);
    });
  }
});

for (const time of [undefined, "Fri, 13 Mar 2026 16:00:00 GMT"]) {
  test(`a node does not retry a charge whose result was lost, of ${time ?? "the newest rate"}`, async () => {
    await using resources = new AsyncDisposableStack();
    const { relay, node } = await startBehindRelay(resources);
    const { session, keyId, apiKey } = await node.newCustomer("ada@example.org");
    const headers = time === undefined ? {} : { "accept-datetime": time };
    const read = () => node.get("/v1/rates/EUR/USD", { apiKey, headers });
    assert.equal((await read()).status, 200);

    // The database is available: a retry would succeed and charge a second unit.
    // Only the charge names the key by its id.
    relay.loseAnswerTo(keyId);
    const lost = await read();
    assertFailure(lost, 503, "temporarily_unavailable");
    await untilReady(node);
    assert.equal(
      lost.headers["units-charged"],
      undefined,
      "it was charged, and it could as well not",
    );
    assert.equal(await node.usedUnits(session), 2);
    assert.equal((await read()).status, 200);
    assert.equal(await node.usedUnits(session), 3);
    checkNode(node);
  });
}

test("a read that returned 503 before it reached the database is not charged later", async () => {
  await using resources = new AsyncDisposableStack();
  const { postgres, relay, node } = await startBehindRelay(resources);
  const { session, apiKey } = await node.newCustomer("ada@example.org");
  assert.equal((await node.get("/v1/rates/EUR/USD", { apiKey })).status, 200);

  // With this delay, connecting takes 6 s from the cut on, longer than any request waits.
  relay.delay(3000);
  const cut = relay.untilClosed();
  await administer(postgres.url(), CUT_ALL);
  await cut;
  const answer = await node.get("/v1/rates/EUR/USD", { apiKey });
  assertFailure(answer, 503, "temporarily_unavailable");
  assert.equal(answer.headers["units-charged"], "0");
  relay.delay(0);

  await untilReady(node);
  // By then everything that was started for that read has ended.
  await after(4000);
  assert.equal(await node.usedUnits(session), 1);
});

test("a host whose addresses all reject connections counts as an unavailable store", async () => {
  const port = await freePort();
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: "database.example.org",
    port,
    autoSelectFamily: true,
    lookup: (_host, _options, done) => done(null, addresses),
  });
  const [error] = await once(socket, "error");

  // Node.js reports an AggregateError for a name with several addresses.
  assert.ok(error instanceof AggregateError);
  assert.ok(storeError(error) instanceof StoreUnavailable);
  assert.ok(isFailoverError(error), "the node would not look for a new primary");
});
