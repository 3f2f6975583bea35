import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { PoolClient, QueryResult } from "pg";
import { administer, startPostgres } from "../../harness/postgres.ts";
import { createMeteredBatch, createPostgresBatches } from "../../src/metering/batch/postgres.ts";
import { StoreUnavailable } from "../../src/shared/store.ts";
import { statement } from "../../src/storage/engine.ts";
import { createPostgresEngine, type PostgresEngine } from "../../src/storage/postgres/engine.ts";
import { createPrimary } from "../../src/storage/postgres/primary.ts";
import { createStore, type Store } from "../../src/store.ts";
import { createPostgresDatabase } from "../contract/postgres-database.ts";
import {
  dailyUnits,
  EUR_USD,
  newCustomer,
  newRead,
  PERIOD,
  storeRates,
  usedUnits,
} from "../contract/suite/database.ts";
import { eventually } from "../support/mails.ts";
import { connectTo, waitersFor } from "../support/nodes.ts";
import { hostsOf, newPostgresDatabase } from "../support/postgres-databases.ts";

// What only a database of many nodes can do wrong; the rest is in the suite that every store passes.

/** As in production: the machine may be busy, but what hangs here hangs until the test lets it go. */
const STATEMENT_TIMEOUT_MS = 1500;

/** For what takes its time by itself: PostgreSQL looks for a deadlock after one second. */
const LONG_TIMEOUT_MS = 10_000;

/** What nobody shall wait longer for. */
const PATIENCE_MS = 2500;

function openEngine(
  url: string,
  connectionsMax = 5,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): PostgresEngine {
  const settings = { connectionsMax, statementTimeoutMs };
  return createPostgresEngine(createPrimary(hostsOf(url), settings), settings);
}

function openStore(...given: Parameters<typeof openEngine>): Store {
  const engine = openEngine(...given);
  return createStore(engine, createPostgresBatches(engine));
}

/**
 * Asserts that something ends as the store's failure, and that nobody waited long for it. A timer
 * of this event loop measures that: it is as late on a busy machine as the engine's own timers.
 */
async function assertUnavailable(work: () => Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const hangs = new Error(`it took more than ${PATIENCE_MS} ms`);
  const timer = setTimeout(() => late.reject(hangs), PATIENCE_MS);
  try {
    await assert.rejects(Promise.race([work(), late.promise]), StoreUnavailable);
  } finally {
    clearTimeout(timer);
  }
}

suite("a commit is on disk when it is answered", () => {
  const wanted = [
    ["off", "on"],
    ["local", "on"],
    ["on", "on"],
    ["remote_write", "remote_write"],
    ["remote_apply", "remote_apply"],
  ] as const;

  for (const [setting, found] of wanted) {
    test(`of a role whose synchronous_commit is ${setting} it is ${found}, on every connection`, async () => {
      await using database = await newPostgresDatabase();
      const role = `kurs_test_${process.pid}_${setting}`;
      await administer(
        database.url,
        `CREATE ROLE ${role} LOGIN SUPERUSER`,
        `ALTER ROLE ${role} SET synchronous_commit = ${setting}`,
      );
      const url = new URL(database.url);
      url.username = role;
      const href = url.href.replaceAll("+", "%20");
      {
        // Two of them are kept for what comes first.
        await using engine = openEngine(href, 7);
        const rows = await Promise.all(
          Array.from({ length: 5 }, () =>
            engine.query(
              `SELECT current_user AS role, current_setting('synchronous_commit') AS setting,
                 pg_backend_pid() AS pid, pg_sleep(0.1)::text AS slept`,
            ),
          ),
        );
        const told = rows.flat();
        assert.equal(new Set(told.map(({ pid }) => pid)).size, 5);
        for (const row of told) assert.deepEqual([row.role, row.setting], [role, found]);
      }
      await administer(database.url, `DROP ROLE ${role}`);
    });
  }
});

suite("a session keeps its own settings", () => {
  const SET_BY_SESSION = `
    SELECT name, setting, source FROM pg_settings
    WHERE name IN ('synchronous_commit', 'default_transaction_isolation', 'search_path',
      'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
      'idle_session_timeout')
    ORDER BY name`;

  test("every setting that durability or correctness needs is set, whatever its value was", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, 1);

    const settings = await engine.query(SET_BY_SESSION);

    const schema = new URL(database.url).searchParams.get("options")?.split("=")[1];
    assert.deepEqual(
      settings.map(({ name, setting, source }) => `${name} = ${setting} (${source})`),
      [
        "default_transaction_isolation = read committed (session)",
        `idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS} (session)`,
        "idle_session_timeout = 0 (session)",
        "lock_timeout = 0 (session)",
        `search_path = ${schema} (session)`,
        `statement_timeout = ${STATEMENT_TIMEOUT_MS} (session)`,
        "synchronous_commit = on (session)",
      ],
    );
  });

  for (const level of ["repeatable read", "serializable"]) {
    test(`a read that waits for another node's charge succeeds where the default is ${level}`, async () => {
      await using database = await newPostgresDatabase();
      const url = `${database.url}%20-c%20default_transaction_isolation=${level.replace(" ", "%5C%20")}`;
      await using store = openStore(url, 5, LONG_TIMEOUT_MS);
      await using other = await connectTo(database.url);
      await storeRates(store, [EUR_USD]);
      const { accountId, keyHash } = await newCustomer(store, 10);
      await store.read(newRead(keyHash));
      await other.query("BEGIN");
      await other.query("UPDATE period_usage SET units = units + 1");

      const pending = store.read(newRead(keyHash));
      await waitersFor(other);
      await other.query("COMMIT");

      assert.equal((await pending)?.quota?.usedUnits, 3);
      assert.equal(await usedUnits(store, accountId), 3);
    });
  }
});

suite("what hangs", { concurrency: 3 }, () => {
  test("a statement behind a lock ends in time, is not done later, and the engine goes on", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    await using other = await connectTo(database.url);
    await other.query("BEGIN");
    await other.query("LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");
    const set = "UPDATE plans SET units_per_period = 5 WHERE name = 'free'";

    const steps = function* () {
      yield statement("SELECT 1 AS one");
      yield statement(set);
    };
    await Promise.all([
      assertUnavailable(() => engine.query(set)),
      assertUnavailable(() => engine.transaction(steps)),
      engine.query("SELECT 1 AS one"),
    ]);

    assert.deepEqual(await engine.query("SELECT 1 AS one"), [{ one: 1 }]);
    await other.query("ROLLBACK");
    const [free] = await engine.query("SELECT units_per_period FROM plans");
    assert.equal(free?.units_per_period, 1000);
    await engine.query(set);
  });

  test("a metered read behind a lock ends in time and is not charged; the next one is", async () => {
    await using database = await newPostgresDatabase();
    await using store = openStore(database.url);
    await using other = await connectTo(database.url);
    await storeRates(store, [EUR_USD]);
    const { accountId, keyHash } = await newCustomer(store, 10);
    await store.read(newRead(keyHash));
    await other.query("BEGIN");
    await other.query("SELECT units FROM period_usage FOR UPDATE");

    const reads = [store.read(newRead(keyHash))];
    await waitersFor(other);
    // Those that come meanwhile wait behind it, and no longer than it.
    reads.push(store.read(newRead(keyHash)), store.read(newRead(keyHash)));
    await assertUnavailable(async () => {
      const results = await Promise.allSettled(reads);
      for (const result of results) assert.equal(result.status, "rejected");
      return reads[0];
    });
    await other.query("ROLLBACK");

    assert.equal(await usedUnits(store, accountId), 1);
    assert.equal((await store.read(newRead(keyHash)))?.quota?.usedUnits, 2);
  });

  test("statements that are each in time are cut off where together they are not", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    await assertUnavailable(() =>
      engine.transaction(function* () {
        for (let turn = 0; turn < 3; turn += 1) yield statement("SELECT pg_sleep(0.9)::text");
      }),
    );
    assert.deepEqual(await engine.query("SELECT 1 AS one"), [{ one: 1 }]);
  });

  test("a server that says nothing more is not waited for, and a new connection is made", async () => {
    await using server = await startPostgres();
    await using engine = openEngine(server.url(), 1);
    const [row] = await engine.query("SELECT pg_backend_pid() AS pid");
    const pid = Number(row?.pid);
    process.kill(pid, "SIGSTOP");
    try {
      await assertUnavailable(() => engine.query("SELECT 1 AS one"));
      assert.deepEqual(await engine.query("SELECT 1 AS one"), [{ one: 1 }]);
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });
});

suite("a connection that breaks", () => {
  const END = "SELECT pg_terminate_backend($1)";

  test("in the middle of a statement is the store's failure, and the engine goes on", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url);
    await using other = await connectTo(database.url);
    await other.query("BEGIN");
    await other.query("LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");

    const pending = assertUnavailable(() => engine.query("SELECT name FROM plans"));
    const [pid] = await waitersFor(other);
    await other.query(END, [pid]);

    await pending;
    assert.deepEqual(await engine.query("SELECT 1 AS one"), [{ one: 1 }]);
  });

  test("because its server is gone is the store's failure as well, and never this process's", async () => {
    await using server = await startPostgres();
    await using engine = openEngine(server.url());
    await using other = await connectTo(server.url());
    other.on("error", () => undefined);
    await other.query("CREATE TABLE plans (name text)");
    await other.query("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE");

    const pending = assertUnavailable(() => engine.query("SELECT name FROM plans"));
    await waitersFor(other);
    await server.kill();

    await pending;
    await assertUnavailable(() => engine.query("SELECT name FROM plans"));
  });

  test("while nobody uses it is not noticed by the next statement", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, 1);
    await using other = await connectTo(database.url);
    const [row] = await engine.query("SELECT pg_backend_pid() AS pid");
    await other.query(END, [row?.pid]);
    await eventually("end of the connection", async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
      return (await other.query(sql, [row?.pid])).rows.length === 0 ? true : undefined;
    });

    const one = await eventually("answer", () =>
      engine.query("SELECT 1 AS one").catch(() => undefined),
    );
    assert.deepEqual(one, [{ one: 1 }]);
  });
});

suite("keys whose account is known to have a row for the billing period", () => {
  /** A batch on a database that has every key; it records whose period each batch opens. */
  function createBatch() {
    const openings: (readonly string[])[] = [];
    const readBatch = createMeteredBatch(async (_client, sql, values) => {
      const hashes = values[0] as readonly string[];
      if (/^\s*INSERT INTO period_usage/.test(sql)) openings.push(hashes);
      const isRead = /^\s*WITH reads/.test(sql);
      const rows = hashes.map((hash, index) => ({
        ...{ turn: index + 1, account_id: hash, quota: 10, used: 0, is_granted: true },
        ...{ base: "EUR", quote: "USD", rate: null, as_of: null, suspended_at: null },
      }));
      return { rows: isRead ? rows : [] } as unknown as QueryResult;
    });
    const read = (...hashes: string[]) =>
      readBatch(
        {} as PoolClient,
        hashes.map((hash) => newRead(hash)),
      );
    return { read, openings };
  }

  test("are looked up once, and forgotten once there are more than 100,000", async () => {
    const { read, openings } = createBatch();
    await read("one");
    await read("one", "two");
    assert.deepEqual(openings, [["one"], ["two"]]);

    await read(...Array.from({ length: 100_000 }, (_, index) => `key ${index}`));
    await read("two");

    assert.equal(openings.length, 4);
    assert.deepEqual(openings[3], ["two"]);
  });
});

suite("transactions that are in each other's way", () => {
  test("two that wait for one another both succeed: one is run again, from its start", async () => {
    await using database = await newPostgresDatabase();
    await using engine = openEngine(database.url, 5, LONG_TIMEOUT_MS);
    await using other = await connectTo(database.url);
    const add = "INSERT INTO plans (name, units_per_period) VALUES ($1, 0)";
    for (const name of ["one", "two", "gate"]) await engine.query(add, name);
    const raise = "UPDATE plans SET units_per_period = units_per_period + 1 WHERE name = $1";
    let begun = 0;

    /** Raises both, and waits between them until the test lets it. */
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
    // The one that is run again may take its first row before the other wakes up: then once more.
    assert.ok(begun >= 3, `begun ${begun} times`);
    const plans = await engine.query("SELECT name, units_per_period FROM plans ORDER BY name");
    assert.deepEqual(
      plans.map(({ name, units_per_period }) => `${name} ${units_per_period}`),
      ["free 1000", "gate 0", "one 2", "two 2"],
    );
  });

  test("the first reads of a month, in 50 batches of 4 nodes at once, open each account once", async () => {
    await using database = await createPostgresDatabase();
    const store = database.openStore();
    const engines = Array.from({ length: 4 }, () => database.openEngine());
    await storeRates(store, [EUR_USD]);
    const customers: Awaited<ReturnType<typeof newCustomer>>[] = [];
    for (let turn = 0; turn < 5; turn += 1) customers.push(await newCustomer(store, 120));

    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, turn) => {
        // Each batch names the accounts in an order of its own.
        const order = [...customers.slice(turn % 5), ...customers.slice(0, turn % 5)];
        const reads = [...order, ...order, ...order].map(({ keyHash }) => newRead(keyHash));
        return engines[turn % 4]?.readBatch(reads) ?? [];
      }),
    );

    const granted = outcomes.flat().filter((outcome) => typeof outcome?.found === "object");
    assert.equal(outcomes.flat().length, 750);
    assert.equal(granted.length, 5 * 120);
    const [engine] = engines;
    assert.ok(engine !== undefined);
    for (const { accountId, key } of customers) {
      const rows = await engine.query(
        "SELECT * FROM period_usage WHERE account_id = $1",
        accountId,
      );
      assert.deepEqual(rows, [{ account_id: accountId, period: PERIOD.name, units: 120 }]);
      assert.deepEqual(await dailyUnits(engine, accountId), [`2026-11-21 ${key.id}: 120`]);
    }
  });
});
