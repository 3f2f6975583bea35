import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { ClientBase } from "pg";
import { administer, type PostgresServer, startPostgres } from "../../../harness/postgres.ts";
import { examineStore } from "../../../src/operations/doctor/examine-store.ts";
import { StartupError } from "../../../src/platform/shared/program/start-error.ts";
import {
  requireOwnSession,
  SESSION_ROUNDS,
} from "../../../src/platform/storage/postgres/own-session.ts";
import { eventually } from "../../support/mails.ts";
import { startPooler } from "../../support/pooler.ts";
import { databaseOf } from "../../support/postgres-databases.ts";
import { startService } from "../../support/service.ts";

const RATE = "/v1/rates/EUR/USD";

const TABLES = `
  SELECT table_schema, table_name FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`;

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** @returns the URL of a new database. */
async function createDatabase(name: string, options = ""): Promise<string> {
  await administer(server.url(), `CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
  return server.url(name);
}

const startOn = (url: string) => startService({ config: { database: databaseOf(url) } });

/** Asserts that a start and the doctor report in one sentence why they cannot use a database. */
async function assertRejected(url: string, sentence: RegExp): Promise<void> {
  await assert.rejects(startOn(url), (error) => {
    assert.ok(error instanceof StartupError);
    assert.match(error.message, sentence);
    assert.match(error.message, /^[^\n]+\.$/);
    return true;
  });
  const store = { dataDirectory: "", database: databaseOf(url) };
  const [found] = await examineStore(store, false, async () => []);
  assert.equal(found?.level, "problem");
  assert.match(found?.text ?? "", sentence);
}

suite("behind a pooler", () => {
  test("a node serves in session mode, and each of its sessions has its own settings", async () => {
    await createDatabase("session_mode");
    await using pooler = await startPooler(server.port, "session");
    await using service = await startOn(
      `postgres://postgres@127.0.0.1:${pooler.port}/session_mode`,
    );
    const { session, apiKey } = await service.newCustomer();

    const reads = await Promise.all(
      Array.from({ length: 20 }, () => service.get(RATE, { apiKey })),
    );

    assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]));
    assert.equal(await service.usedUnits(session), 20);
  });

  test("a start in transaction mode is rejected before anything is written", async () => {
    const url = await createDatabase("transaction_mode");
    await using pooler = await startPooler(server.port, "transaction");

    await assertRejected(
      `postgres://postgres@127.0.0.1:${pooler.port}/transaction_mode`,
      /pooler .* in transaction mode.* set pool_mode = session/,
    );
    assert.deepEqual(await administer(url, TABLES), []);
  });

  test("a client that gets another session each time is rejected, though no other one shares them", async () => {
    let sessions = 0;
    const client = () => {
      const query = async () => ({ rows: [{ process_id: ++sessions }] });
      return { query } as unknown as ClientBase;
    };

    const { start } = SESSION_ROUNDS;
    const checked = requireOwnSession([client(), client()], start);

    await assert.rejects(checked, /pooler .* in transaction mode: set pool_mode = session/);
    assert.ok(sessions < start, `found after ${sessions} statements`);
  });
});

suite("a start rejects a database", () => {
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    test(`in the encoding ${encoding}, and writes nothing`, async () => {
      const name = encoding.toLowerCase();
      const url = await createDatabase(name, `ENCODING '${encoding}' LOCALE 'C'`);

      await assertRejected(url, new RegExp(`encoding ${encoding}, .* ENCODING 'UTF8'`));

      assert.deepEqual(await administer(url, TABLES), []);
    });
  }

  test("whose search_path finds another installation's tables, and changes neither", async () => {
    const url = await createDatabase("two_schemas");
    await (await startOn(url))[Symbol.asyncDispose]();
    await administer(url, "CREATE SCHEMA second");
    const tables = await administer(url, TABLES);
    const withPath = (path: string) => `${url}?options=-c%20search_path%3D${path}`;

    await assertRejected(
      withPath("second,public"),
      /search_path \(second, ?public\) finds the tables of another Kurs in schema public.* schema second/,
    );
    assert.deepEqual(await administer(url, TABLES), tables);
    // Each schema alone is a separate installation.
    await (await startOn(withPath("second")))[Symbol.asyncDispose]();
    assert.equal((await administer(url, TABLES)).length, 2 * tables.length);
  });

  test("whose search_path names no schema", async () => {
    await assertRejected(
      `${server.url()}?options=-c%20search_path%3Dnowhere`,
      /search_path \(nowhere\) names no schema/,
    );
  });
});

test("a start and the doctor warn of settings with which a crash can lose data", async () => {
  const settings = { fsync: "off", full_page_writes: "off" };
  await using unsafe = await startPostgres({ settings });
  await using service = await startOn(unsafe.url());

  const lines = service.logLines.map((line) => JSON.parse(line));
  const warned = lines.filter(({ setting }) => setting !== undefined);
  const expected = ["fsync = off", "full_page_writes = off"];
  assert.deepEqual(
    warned.map(({ level, setting }) => [level, setting]),
    expected.map((setting) => ["warn", setting]),
  );
  const store = { dataDirectory: "", database: databaseOf(unsafe.url()) };
  const findings = await examineStore(store, false, async () => []);
  const found = findings.filter(({ subject }) => subject === "durability");
  assert.deepEqual(
    found.map(({ level, text }) => [level, /runs with ([^:]+):/.exec(text)?.[1]]),
    expected.map((setting) => ["warning", setting]),
  );
});

test("changing the database's search_path does not affect the connections of a running node", async () => {
  const url = await createDatabase("moved_path");
  await using service = await startOn(url);
  const { apiKey } = await service.newCustomer();
  await administer(
    url,
    "CREATE SCHEMA elsewhere",
    "ALTER DATABASE moved_path SET search_path = elsewhere",
  );

  await administer(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kurs' AND datname = 'moved_path'",
  );
  // Each connection that was cut causes one 503.
  const status = await eventually("a response", async () => {
    const response = await service.get(RATE, { apiKey });
    return response.status === 503 ? undefined : response.status;
  });

  assert.equal(status, 200);
  assert.deepEqual(
    await administer(url, `SELECT * FROM (${TABLES}) t WHERE table_schema = 'elsewhere'`),
    [],
  );
});
