import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { administer, freePort, startPostgres } from "../../harness/postgres.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import { connectTo } from "../../test/support/nodes.ts";
import { hostsOf } from "../../test/support/postgres-databases.ts";
import { Program, temporaryDirectory } from "../../test/support/process.ts";

/** Where Debian and Fedora install it. */
const path = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((place) => existsSync(place));

const TABLES = `
  SELECT table_name FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`;

test("each of 12 starts behind PgBouncer in transaction mode is rejected, during traffic", async (t) => {
  if (path === undefined) return t.skip("PgBouncer is not installed");
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

/** Starts a real PgBouncer in transaction mode in front of a server without passwords. */
async function startPgBouncer(path: string, serverPort: number) {
  await using starting = new AsyncDisposableStack();
  const { path: directory } = starting.use(await temporaryDirectory());
  const port = await freePort();
  const settings = [
    "[databases]",
    `* = host=127.0.0.1 port=${serverPort} user=postgres`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 10",
  ];
  const file = join(directory, "pgbouncer.ini");
  await writeFile(file, settings.join("\n"));
  // It rejects to run as root.
  await chmod(directory, 0o755);
  const user = process.getuid?.() === 0 ? "-u nobody" : "";
  const through = ["/bin/sh", "-c", `exec ${path} ${user} ${file}`];
  const pooler = starting.use(new Program([], { through }));
  await pooler.waitFor("its start", () => pooler.stderr.includes("process up") || undefined);
  const started = starting.move();
  return { port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
