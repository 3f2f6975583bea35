import assert from "node:assert/strict";
import { test } from "node:test";
import { administer, startPostgres } from "../../harness/postgres.ts";
import { migratePostgresStore } from "../../src/storage/postgres/open.ts";
import { connectTo } from "../../test/support/nodes.ts";
import { hostsOf } from "../../test/support/postgres-databases.ts";
import { findPgBouncer, startPgBouncer } from "./pgbouncer.ts";

const TABLES = `
  SELECT table_name FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`;

test("each of 12 starts behind PgBouncer in transaction mode is rejected, during traffic", async (t) => {
  const path = await findPgBouncer();
  if (path === undefined)
    return t.skip("PgBouncer is not installed: only the fake of npm test was tried");
  await using server = await startPostgres();
  await administer(server.url(), "CREATE DATABASE busy_pooler");
  await using pooler = await startPgBouncer(path, server.port);
  const pooled = `postgres://postgres@127.0.0.1:${pooler.port}/busy_pooler`;
  let isOver = false;
  const traffic = Array.from({ length: 6 }, async () => {
    await using client = await connectTo(pooled);
    while (!isOver) await client.query("SELECT pg_sleep(random() * 0.004)");
  });

  try {
    for (let start = 0; start < 12; start += 1) {
      await assert.rejects(migratePostgresStore(hostsOf(pooled)), /set pool_mode = session/);
    }
  } finally {
    isOver = true;
    await Promise.all(traffic);
  }
  assert.deepEqual(await administer(server.url("busy_pooler"), TABLES), []);
});
