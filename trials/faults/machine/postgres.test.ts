import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { administer, startPostgres } from "../../../harness/postgres.ts";
import { assertFailure } from "../../../test/support/assertions.ts";
import { CUT_ALL, checkNode, startNode, untilReady } from "../load.ts";
import { assertRead, assertUnavailable } from "./faults.ts";

test("while PostgreSQL rejects a node (lock, password, name, connections), reads return 503 uncharged", async () => {
  await using resources = new AsyncDisposableStack();
  const settings = {
    max_connections: "14",
    superuser_reserved_connections: "0",
    max_wal_senders: "0",
  };
  const postgres = resources.use(await startPostgres({ settings }));
  await administer(postgres.url(), "CREATE DATABASE kurs");
  const url = postgres.url("kurs").replace("postgres@", "postgres:old@");
  const node = await startNode(url, resources);
  const customer = await node.newCustomer("ada@example.org");
  let units = 0;
  const assertBack = async () => {
    await untilReady(customer.client);
    await assertRead(customer);
    units += 1;
    assert.equal(await customer.usedUnits(), units);
  };
  await assertBack();

  // Another session locks the account's row for longer than the statement timeout.
  const other = new Client({ connectionString: postgres.url("kurs") });
  await other.connect();
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM period_usage FOR UPDATE");
  assertFailure(await customer.read(), 503, "temporarily_unavailable");
  await other.query("ROLLBACK");
  await assertBack();

  // The role's password has changed.
  const rules = join(postgres.dataDirectory, "pg_hba.conf");
  const before = await readFile(rules, "utf8");
  await writeFile(rules, "host all all 127.0.0.1/32 scram-sha-256\n");
  await other.query("ALTER ROLE postgres PASSWORD 'new'");
  await other.query("SELECT pg_reload_conf()");
  await other.query(CUT_ALL);
  await assertUnavailable(customer);
  await writeFile(rules, before);
  await other.query("SELECT pg_reload_conf()");
  await assertBack();
  await other.end();

  // The database was renamed.
  await administer(postgres.url(), CUT_ALL, "ALTER DATABASE kurs RENAME TO away");
  await assertUnavailable(customer);
  await administer(postgres.url(), "ALTER DATABASE away RENAME TO kurs");
  await assertBack();

  // Other clients have taken every connection.
  await administer(postgres.url(), CUT_ALL);
  const others: Client[] = [];
  try {
    for (let taken = 0; taken < 14; taken += 1) {
      const client = new Client({ connectionString: postgres.url() });
      client.on("error", () => undefined);
      await client.connect();
      others.push(client);
    }
  } catch (error) {
    assert.match(String(error), /too many clients/);
  }
  await others[0]?.query(CUT_ALL);
  for (let count = 0; count < 3; count += 1) {
    const answer = await customer.read();
    // The node may have got a connection before the others.
    if (answer.status === 200) units += 1;
    else assertFailure(answer, 503, "temporarily_unavailable");
  }
  await Promise.all(others.map((client) => client.end()));
  await assertBack();
  checkNode(node);
});
