import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { administer, startPostgres } from "../../../harness/postgres.ts";
import { createCommandStore } from "../../../src/app/command-store.ts";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import { statement } from "../../../src/platform/storage/engine.ts";
import {
  createPostgresEngine,
  type PostgresEngine,
} from "../../../src/platform/storage/postgres/engine.ts";
import { createPrimary } from "../../../src/platform/storage/postgres/primary.ts";
import { createReadBatcher } from "../../../src/reads/metering/batch/batcher.ts";
import { createPostgresBatches } from "../../../src/reads/metering/batch/postgres.ts";
import { newCustomer, usedUnits } from "../../contract/suite/customers.ts";
import { EUR_USD, newRead, storeRates } from "../../contract/suite/rates-stored.ts";
import { eventually } from "../../support/mails.ts";
import { connectTo, waitersFor } from "../../support/nodes.ts";
import { hostsOf, newPostgresDatabase } from "../../support/postgres-databases.ts";
import type { Store } from "../../support/stores.ts";

// Failures that only a database of many nodes can have; the contract suite tests the rest.

/** A limit that must not strike. */
const PATIENT_MS = 120_000;

/** A limit that must strike: whatever must succeed is tried until it does. */
const SHORT_MS = 300;

const settingsOf = ({ connectionsMax = 5, statementTimeoutMs = PATIENT_MS } = {}) => {
  return { connectionsMax, statementTimeoutMs, connectTimeoutMs: PATIENT_MS };
};

function openEngine(url: string, given: Parameters<typeof settingsOf>[0] = {}): PostgresEngine {
  const settings = settingsOf(given);
  return createPostgresEngine(createPrimary(hostsOf(url), settings), settings);
}

function openStore(...given: Parameters<typeof openEngine>): Store {
  const engine = openEngine(...given);
  const metering = createReadBatcher(createPostgresBatches(engine));
  return createCommandStore({ engine, name: "postgres", metering });
}

/** Waits until an engine works again: with a short limit a statement may also take too long. */
const isUsable = (engine: PostgresEngine) =>
  eventually("a result", () => engine.query("SELECT 1 AS one").catch(() => undefined));

/** Lets time pass for the limits of calls that run. */
function timeOf(t: TestContext) {
  const { now } = performance;
  let passedMs = 0;
  t.mock.method(performance, "now", () => now.call(performance) + passedMs);
  return {
    pass(ms: number): void {
      passedMs += ms;
    },
  };
}

/** A store with a customer who has read once, and connections that can hold locks. */
async function newReader(statementTimeoutMs = PATIENT_MS, quotaUnits = 10, more = "") {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await newPostgresDatabase());
  const connect = async () => starting.use(await connectTo(database.url));
  const store = starting.use(openStore(database.url + more));
  const limited = starting.use(openStore(database.url, { statementTimeoutMs }));
  await storeRates(store, [EUR_USD]);
  const { accountId, keyHash } = await newCustomer(store, quotaUnits);
  const read = (of = store) => of.metering.read(newRead(keyHash));
  await read();
  const [other, second] = [await connect(), await connect()];
  const started = starting.move();
  return {
    ...{ store, limited, accountId, read, other, second },
    usedUnits: () => usedUnits(store, accountId),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

test("a commit is on disk before its response, on every connection and whatever a role says", async () => {
  await using database = await newPostgresDatabase();
  for (const [setting, found] of [
    ["off", "on"],
    ["local", "on"],
    ["on", "on"],
    ["remote_write", "remote_write"],
    ["remote_apply", "remote_apply"],
  ] as const) {
    const role = `kurs_test_${process.pid}_${setting}`;
    await administer(
      database.url,
      `CREATE ROLE ${role} LOGIN SUPERUSER`,
      `ALTER ROLE ${role} SET synchronous_commit = ${setting}`,
    );
    const url = new URL(database.url);
    url.username = role;
    {
      // Two of the connections are for priority queries.
      const engineOf = url.href.replaceAll("+", "%20");
      await using engine = openEngine(engineOf, { connectionsMax: 7 });
      const settings = `SELECT current_user AS role, pg_backend_pid() AS pid,
        current_setting('synchronous_commit') AS setting`;
      const rows = await Promise.all(Array.from({ length: 5 }, () => engine.query(settings)));
      assert.equal(new Set(rows.flat().map(({ pid }) => pid)).size, 5);
      for (const row of rows.flat()) assert.deepEqual([row.role, row.setting], [role, found]);
    }
    await administer(database.url, `DROP ROLE ${role}`);
  }
});

suite("a session keeps its own settings", () => {
  const SET_BY_SESSION = `
    SELECT name, setting, source FROM pg_settings
    WHERE name IN ('client_min_messages', 'synchronous_commit', 'default_transaction_isolation', 'search_path',
      'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
      'idle_session_timeout')
    ORDER BY name`;

  test("every setting for durability and correctness is set, whatever its value was", async () => {
    await using database = await newPostgresDatabase();
    // A statement of the engine would have a shorter limit where the connection took its time.
    await using primary = createPrimary(hostsOf(database.url), settingsOf({ connectionsMax: 1 }));
    const client = await primary.connect();

    const { rows } = await client.query(SET_BY_SESSION);
    client.release();

    const schema = new URL(database.url).searchParams.get("options")?.split("=")[1];
    assert.deepEqual(
      rows.map(({ name, setting, source }) => `${name} = ${setting} (${source})`),
      [
        "client_min_messages = warning (session)",
        "default_transaction_isolation = read committed (session)",
        `idle_in_transaction_session_timeout = ${PATIENT_MS} (session)`,
        "idle_session_timeout = 0 (session)",
        `lock_timeout = ${PATIENT_MS} (session)`,
        `search_path = ${schema} (session)`,
        `statement_timeout = ${PATIENT_MS} (session)`,
        "synchronous_commit = on (session)",
      ],
    );
  });

  for (const level of ["repeatable read", "serializable"]) {
    test(`a read that waits for another node's charge succeeds where the default is ${level}`, async () => {
      const option = `%20-c%20default_transaction_isolation=${level.replace(" ", "%5C%20")}`;
      await using reader = await newReader(PATIENT_MS, 10, option);
      await reader.other.query("BEGIN");
      await reader.other.query("UPDATE period_usage SET units = units + 1");

      const pending = reader.read();
      await waitersFor(reader.other);
      await reader.other.query("COMMIT");

      assert.equal((await pending)?.quota?.usedUnits, 3);
      assert.equal(await reader.usedUnits(), 3);
    });
  }
});

suite("hanging statements", { timeout: 600_000 }, () => {
  test("a statement behind a lock times out, is not executed later, and the engine works again", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, { statementTimeoutMs: SHORT_MS });
    await using other = await connectTo(database.url);
    await other.query("BEGIN");
    await other.query("LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");
    const set = "UPDATE plans SET units_per_period = 5 WHERE name = 'free'";

    const steps = function* () {
      yield statement("SELECT 1 AS one");
      yield statement(set);
    };
    await Promise.all([
      assert.rejects(engine.query(set), StoreUnavailable),
      assert.rejects(engine.transaction(steps), StoreUnavailable),
      isUsable(engine),
    ]);

    await isUsable(engine);
    await other.query("ROLLBACK");
    const { rows } = await other.query("SELECT units_per_period AS units FROM plans");
    assert.deepEqual(rows, [{ units: "1000" }]);
    await eventually("a change", () => engine.query(set).catch(() => undefined));
  });

  test("a metered read behind a lock times out uncharged, and the next one is charged", async () => {
    await using reader = await newReader(SHORT_MS);
    const { other, limited, read } = reader;
    await other.query("BEGIN");
    await other.query("SELECT units FROM period_usage FOR UPDATE");

    // The later ones wait behind the first, and no longer than it.
    const reads = [read(limited), read(limited), read(limited)];
    await Promise.all(reads.map((pending) => assert.rejects(pending, StoreUnavailable)));
    await other.query("ROLLBACK");

    assert.equal(await reader.usedUnits(), 1);
    assert.equal((await read())?.quota?.usedUnits, 2);
    const next = await eventually("a read", () => read(limited).catch(() => undefined));
    assert.equal(next.quota?.usedUnits, 3);
  });

  test("a read whose last unit another node charges meanwhile is exhausted, with no unit left", async () => {
    await using reader = await newReader(PATIENT_MS, 2);
    const { accountId, other } = reader;
    await other.query("BEGIN");
    await other.query("UPDATE period_usage SET units = 2 WHERE account_id = $1", [accountId]);

    const read = reader.read();
    await waitersFor(other);
    await other.query("COMMIT");

    const quota = { quotaUnits: 2, usedUnits: 2 };
    assert.deepEqual(await read, { accountId, quota, keyQuotas: undefined, found: "exhausted" });
    assert.equal(await reader.usedUnits(), 2);
  });

  test("a read whose search takes most of its time is not charged after its error", async (t) => {
    const time = timeOf(t);
    await using reader = await newReader();
    const { other: search, second: charge } = reader;
    await search.query("UPDATE plans SET units_per_period = 1001 WHERE name = 'free'");
    await search.query("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");
    await charge.query("BEGIN");
    await charge.query("SELECT units FROM period_usage FOR UPDATE");

    const failed = assert.rejects(reader.read(), StoreUnavailable);
    await waitersFor(search);
    // The statement that charges could still run for longer than the read has left.
    time.pass(PATIENT_MS - SHORT_MS);
    await search.query("ROLLBACK");
    await failed;
    await charge.query("ROLLBACK");

    // Waits for a charge that got the lock.
    await charge.query("SELECT units FROM period_usage FOR UPDATE");
    assert.equal(await reader.usedUnits(), 1);
    assert.equal((await reader.read())?.quota?.usedUnits, 2);
  });

  test("statements that are too slow only in total are cut off, and not committed later", async (t) => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    const time = timeOf(t);
    const slow = engine.transaction(function* () {
      yield statement("INSERT INTO plans VALUES ('late', 1)");
      time.pass(PATIENT_MS - SHORT_MS);
      yield statement("SELECT pg_sleep(60)::text");
    });
    await assert.rejects(slow, StoreUnavailable);
    // Waits for the transaction.
    await using other = await connectTo(database.url);
    await other.query("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE; COMMIT");
    assert.deepEqual(await engine.query("SELECT name FROM plans WHERE name = 'late'"), []);
  });

  test("a statement has all of its time after one on its connection had to be faster", async (t) => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, { connectionsMax: 1 });
    const time = timeOf(t);
    const session = "SELECT current_setting('statement_timeout') AS limit, pg_backend_pid() AS pid";
    const [first] = await engine.query(session);

    const shortened = await engine.transaction(function* () {
      yield statement("SELECT 1 AS one");
      time.pass(PATIENT_MS / 2);
      const [row] = yield statement(session);
      return row;
    });
    const [next] = await engine.query(session);

    assertShorter(String(shortened?.limit));
    assert.deepEqual(next, first);
    assert.equal(next?.pid, shortened?.pid);
  });

  test("a transaction that is tried again after a conflict has the rest of its time only", async (t) => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, { connectionsMax: 1 });
    const time = timeOf(t);
    const limits: string[] = [];

    await engine.transaction(function* () {
      if (limits.length === 0) time.pass(PATIENT_MS / 2);
      const [row] = yield statement("SELECT current_setting('statement_timeout') AS limit");
      limits.push(String(row?.limit));
      const conflict = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$";
      if (limits.length === 1) yield statement(conflict);
    });

    assert.equal(limits.length, 2);
    for (const limit of limits) assertShorter(limit);
  });

  test("an unresponsive server causes a timeout and a new connection", async () => {
    await using server = await startPostgres();
    const settings = { connectionsMax: 1, statementTimeoutMs: SHORT_MS };
    await using engine = openEngine(server.url(), settings);
    const [row] = await eventually("a connection", () =>
      engine.query("SELECT pg_backend_pid() AS pid").catch(() => undefined),
    );
    const pid = Number(row?.pid);
    process.kill(pid, "SIGSTOP");
    try {
      await assert.rejects(engine.query("SELECT 1 AS one"), StoreUnavailable);
      await isUsable(engine);
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });
});

/** Asserts that a session's limit is less than half of the usual one, which has just passed. */
function assertShorter(limit: string): void {
  const [, amount, unit] = /^(\d+)(ms|s|min)$/.exec(limit) ?? [];
  const unitMs = { ms: 1, s: 1000, min: 60_000 }[unit ?? ""] ?? Number.NaN;
  assert.ok(Number(amount) * unitMs < PATIENT_MS / 2, limit);
}

suite("a broken connection", () => {
  const END = "SELECT pg_terminate_backend($1)";

  test("during a statement is a StoreUnavailable, and the engine works again", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    await using other = await connectTo(database.url);
    await other.query("BEGIN");
    await other.query("LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");

    const pending = assert.rejects(engine.query("SELECT name FROM plans"), StoreUnavailable);
    const [pid] = await waitersFor(other);
    await other.query(END, [pid]);

    await pending;
    assert.deepEqual(await engine.query("SELECT 1 AS one"), [{ one: 1 }]);
  });

  test("because the server was killed is a StoreUnavailable and does not end the process", async () => {
    await using server = await startPostgres();
    await using engine = openEngine(server.url());
    await using other = await connectTo(server.url());
    other.on("error", () => undefined);
    await other.query("CREATE TABLE plans (name text)");
    await other.query("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");

    const pending = assert.rejects(engine.query("SELECT name FROM plans"), StoreUnavailable);
    await waitersFor(other);
    await server.kill();

    await pending;
    await assert.rejects(engine.query("SELECT name FROM plans"), StoreUnavailable);
  });

  test("that was idle does not affect the next statement", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, { connectionsMax: 1 });
    await using other = await connectTo(database.url);
    const [row] = await engine.query("SELECT pg_backend_pid() AS pid");
    await other.query(END, [row?.pid]);
    await eventually("end of the connection", async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
      return (await other.query(sql, [row?.pid])).rows.length === 0 ? true : undefined;
    });

    assert.deepEqual(await isUsable(engine), [{ one: 1 }]);
  });
});

suite("conflicting transactions", () => {
  test("in a deadlock both succeed: one is retried from its start", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    await using other = await connectTo(database.url);
    const add = "INSERT INTO plans (name, units_per_period) VALUES ($1, 0)";
    for (const name of ["one", "two", "gate"]) await engine.query(add, name);
    const raise = "UPDATE plans SET units_per_period = units_per_period + 1 WHERE name = $1";
    let begun = 0;

    /** Updates both rows, and waits between them until the test continues. */
    const raiseBoth = (first: string, second: string) =>
      engine.transaction(function* () {
        begun += 1;
        yield statement(raise, first);
        yield statement("SELECT name FROM plans WHERE name = $1 FOR SHARE", "gate");
        yield statement(raise, second);
        return `${first} ${second}`;
      });
    await other.query("BEGIN");
    await other.query("SELECT name FROM plans WHERE name = 'gate' FOR UPDATE");
    const both = Promise.all([raiseBoth("one", "two"), raiseBoth("two", "one")]);
    await waitersFor(other, 2);
    await other.query("ROLLBACK");

    assert.deepEqual(await both, ["one two", "two one"]);
    // The retried one may lock its first row before the other continues: then it is retried again.
    assert.ok(begun >= 3, `begun ${begun} times`);
    const plans = await engine.query("SELECT name, units_per_period FROM plans ORDER BY name");
    assert.deepEqual(
      plans.map(({ name, units_per_period }) => `${name} ${units_per_period}`),
      ["free 1000", "gate 0", "one 2", "two 2"],
    );
  });
});
