import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MAX_UUID } from "../../src/shared/uuid.ts";
import { migrationsIn } from "../../src/storage/migrations.ts";
import { openPostgresStore, type Store } from "../../src/store.ts";
import { createSqliteDatabase } from "../contract/sqlite-database.ts";
import { uuidV7 } from "../support/assertions.ts";
import { connectTo } from "../support/nodes.ts";
import { newBareDatabase } from "../support/postgres-databases.ts";
import { makeOfSchema } from "./stored.ts";

const SETTINGS = { connectionsMax: 3, statementTimeoutMs: 0, connectTimeoutMs: 10_000 };
const TIMES = { now: "2026-11-21T13:00:00.000Z", issuedBy: "2026-11-21T13:00:00.000Z" };

const ADD_ACCOUNT = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at)
  VALUES ('ada', 'ada@example.org', '', 'free', '2026-08-01T00:00:00.000Z')`;

const ADD_SESSIONS = `
  INSERT INTO sessions (token_hash, account_id, created_at, expires_at) VALUES
    ('second', 'ada', '2026-11-21T12:00:00.007Z', '2026-11-22T12:00:00.007Z'),
    ('third', 'ada', '2026-11-21T12:00:00.123Z', '2026-11-22T12:00:00.123Z'),
    ('first', 'ada', '2026-11-21T11:59:59.999Z', '2026-11-22T11:59:59.999Z')`;

/** The number of migrations before the one that gives sessions their ids. */
const schemaBefore = (engine: "sqlite" | "postgres") =>
  migrationsIn(engine).findIndex((sql) => sql.includes("sessions_by_id"));

/** Asserts that the three sessions are valid, and in the order of their log-ins. */
async function assertListed(store: Store): Promise<void> {
  const listed = await store.sessions.list("ada", MAX_UUID, 10, TIMES);
  assert.deepEqual(
    listed.map(({ tokenHash, createdAt, address }) => [tokenHash, createdAt, address]),
    [
      ["third", "2026-11-21T12:00:00.123Z", undefined],
      ["second", "2026-11-21T12:00:00.007Z", undefined],
      ["first", "2026-11-21T11:59:59.999Z", undefined],
    ],
  );
  for (const { id, tokenHash, createdAt } of listed) {
    assert.match(id, uuidV7);
    assert.equal(Number.parseInt(id.replace("-", "").slice(0, 12), 16), Date.parse(createdAt));
    assert.equal(await store.sessions.findAccount(tokenHash, TIMES.now), "ada");
  }
  assert.equal(new Set(listed.map(({ id }) => id.slice(14))).size, 3);
}

suite("sessions from before the migration that gives them ids", () => {
  test("stay valid, in the order of their log-ins, on sqlite", async () => {
    await using database = await createSqliteDatabase();
    const other = database.openDatabase();
    makeOfSchema(other, schemaBefore("sqlite"));
    other.exec(`${ADD_ACCOUNT}; ${ADD_SESSIONS}`);

    const store = database.openStore();

    await assertListed(store);
    assert.deepEqual(other.prepare("PRAGMA foreign_key_check").all(), []);
  });

  test("stay valid on postgres, and a node of the version before stores further ones", async () => {
    await using database = await newBareDatabase();
    await using client = await connectTo(database.url);
    const before = schemaBefore("postgres");
    await client.query("CREATE TABLE schema_migrations (version integer, run_at timestamptz)");
    for (const [index, sql] of migrationsIn("postgres").slice(0, before).entries()) {
      await client.query(sql);
      await client.query("INSERT INTO schema_migrations VALUES ($1, now())", [index + 1]);
    }
    await client.query(ADD_ACCOUNT);
    await client.query(ADD_SESSIONS);

    await using store = await openPostgresStore(database.hosts, SETTINGS);

    await assertListed(store);
    await client.query(ADD_SESSIONS.replaceAll(/'(\w+)', 'ada'/g, "'later $1', 'ada'"));
    const listed = await store.sessions.list("ada", MAX_UUID, 3, TIMES);
    for (const { id, tokenHash } of listed) {
      assert.match(id, uuidV7);
      assert.match(tokenHash, /^later /);
    }
  });
});
