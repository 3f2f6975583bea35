import assert from "node:assert/strict";
import { test } from "node:test";
import { administer } from "../../harness/postgres.ts";
import { StoreUnavailable } from "../../src/platform/shared/store.ts";
import { statement } from "../../src/platform/storage/engine.ts";
import { createPostgresEngine } from "../../src/platform/storage/postgres/engine.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import { createPrimary } from "../../src/platform/storage/postgres/primary.ts";
import { emptyStore } from "../../test/platform/storage/stored.ts";
import { assertFailure } from "../../test/support/assertions.ts";
import { eventually } from "../../test/support/mails.ts";
import { databaseOf, hostsOf } from "../../test/support/postgres-databases.ts";
import { startPrimaryAndStandby } from "../../test/support/primary-and-standby.ts";
import { kurs } from "../../test/support/process.ts";
import { startService } from "../../test/support/service.ts";
import { freeze } from "../../test/support/stalls.ts";

// PostgreSQL cancels a wait for a synchronous standby with a warning: it has committed locally.

const CANCEL = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND application_name = 'kurs'`;

/** Cancels waits for the standby, as an operator does, until some work has ended. */
async function cancelUntil(url: string, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  await eventually("end of a canceled wait", async () => {
    await administer(url, CANCEL);
    return isOver || undefined;
  });
}

test("a change that a canceled wait for the standby left on the primary alone gets 503", async () => {
  await using cluster = await startPrimaryAndStandby();
  const { primary, standby } = cluster;
  const both = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  await using service = await startService({ config: { database: databaseOf(both) } });
  const { session, apiKey, read, usedUnits } = await service.newCustomer();
  assert.equal((await read()).status, 200);

  using _frozen = await freeze(standby);
  const changes = [
    () => service.get("/v1/rates/EUR/USD", { apiKey }),
    () => service.call("POST", "/v1/account/api-keys", { session, json: { name: "in doubt" } }),
  ];
  for (const change of changes) {
    const response = change();
    await cancelUntil(primary.url(), response);
    assertFailure(await response, 503, "temporarily_unavailable");
  }

  // The charge in doubt counts, and is not repeated.
  assert.equal(await usedUnits(), 2);
});

test("a connection whose commit is in doubt is closed, for commands, too", async () => {
  await using cluster = await startPrimaryAndStandby();
  const { primary, standby } = cluster;
  await administer(
    primary.url(),
    "CREATE TABLE words (word text)",
    "ALTER ROLE postgres SET client_min_messages = error",
  );
  const settings = { connectionsMax: 3, statementTimeoutMs: 0, connectTimeoutMs: 5000 };
  const hosts = hostsOf(primary.url());
  await using engine = createPostgresEngine(createPrimary(hosts, settings), settings);
  const backend = async () => (await engine.query("SELECT pg_backend_pid() AS pid"))[0]?.pid;
  const before = await backend();

  using _frozen = await freeze(standby);
  const insert = engine.transaction(function* () {
    yield statement("INSERT INTO words VALUES ('one')");
  });
  const failed = assert.rejects(insert, (error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(String(error.cause), /synchronous standby/);
    return true;
  });
  await cancelUntil(primary.url(), failed);

  await failed;
  assert.notEqual(await backend(), before);
  assert.deepEqual(await engine.query("SELECT word FROM words"), [{ word: "one" }]);
});

test("a copy whose wait for the standby was canceled fails, and says that it is in doubt", async () => {
  await using cluster = await startPrimaryAndStandby();
  await using source = await emptyStore();
  const url = cluster.primary.url();
  await migratePostgresStore(hostsOf(url));
  await administer(url, "DELETE FROM plans");

  using _frozen = await freeze(cluster.standby);
  const copy = kurs(["store", "copy", "--from", `sqlite:${source.path}`, "--to", url]);
  await cancelUntil(url, copy);

  const { exitCode, stdout, stderr } = await copy;
  assert.deepEqual([exitCode, stdout], [1, ""]);
  assert.match(
    stderr,
    /^kurs: .* the synchronous standby: .* may lose the change\.\nWhether .* in doubt: run the /,
  );
  assert.notDeepEqual(await administer(url, "SELECT name FROM plans"), []);
});
