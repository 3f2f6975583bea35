import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import { integerOf } from "../../../src/platform/storage/columns.ts";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type {
  PostgresEngine,
  RunStatement,
} from "../../../src/platform/storage/postgres/engine.ts";
import { createReadBatcher } from "../../../src/reads/metering/batch/batcher.ts";
import { createMeteredBatch } from "../../../src/reads/metering/batch/postgres.ts";
import type { RateReadOutcome } from "../../../src/reads/metering/store.ts";
import { createPostgresDatabase } from "../../contract/postgres-database.ts";
import { newCustomer, usedUnits } from "../../contract/suite/customers.ts";
import { EUR_USD, newRate, newRead, storeRates } from "../../contract/suite/rates-stored.ts";

// A node caches keys, quotas and rates. Whatever changes them, on whatever connection, is in effect
// at the next read.

const database = await createPostgresDatabase();
const store = database.openStore();
/** As another node, or an operator in psql. */
const other = database.openEngine();

const foundOf = (outcome: RateReadOutcome) => outcome?.found;
const isServed = (outcome: RateReadOutcome) => typeof outcome?.found === "object";

/** A customer whose key and rate the node has cached, with two units used. */
async function newWarmCustomer(quotaUnits = 10) {
  await storeRates(store, [EUR_USD]);
  const customer = await newCustomer(store, quotaUnits);
  const read = () => store.metering.read(newRead(customer.keyHash));
  for (let count = 0; count < 2; count += 1) assert.ok(isServed(await read()));
  return { ...customer, read };
}

/** Deletes a key without a change of the epoch, as a restore by PostgreSQL's own tools may. */
const lose = (keyId: string) =>
  database.withoutForeignKeys(
    `ALTER TABLE api_keys DISABLE TRIGGER ALL; ALTER TABLE daily_usage DISABLE TRIGGER ALL;
     DELETE FROM daily_usage WHERE api_key_id = '${keyId}';
     DELETE FROM api_keys WHERE id = '${keyId}';
     ALTER TABLE daily_usage ENABLE TRIGGER ALL; ALTER TABLE api_keys ENABLE TRIGGER ALL;`,
  );

/** A search of keys. */
const SEARCH = "FROM read_epochs e LEFT JOIN (\n    api_keys";

/** A node of its own, with what comes after its statements. @returns how it reads in one batch. */
function nodeWith(after: (sql: string) => unknown) {
  const engine = database.openEngine() as Engine as PostgresEngine;
  const batch = createMeteredBatch();
  const intercept = (run: RunStatement) => async (sql: string, values: readonly unknown[]) => {
    const result = await run(sql, values);
    await after(sql);
    return result;
  };
  return (...keyHashes: readonly string[]) => {
    const reads = keyHashes.map((keyHash) => newRead(keyHash));
    return engine.withPriorityConnection((run) => batch(intercept(run), reads));
  };
}

suite("the caches of a node on PostgreSQL", () => {
  // Here and not at the top: there it would run after the server has ended.
  after(() => database[Symbol.asyncDispose]());

  suite("a change by SQL is in effect at the next read of a node that has cached the rows", () => {
    const rejecting = [
      ["a revoked key", "UPDATE api_keys SET revoked_at = '2026' WHERE account_id = $1"],
      ["a key with another digest", "UPDATE api_keys SET key_hash = 'new' WHERE account_id = $1"],
      ["a suspended account", "UPDATE accounts SET suspended_at = '2026' WHERE id = $1"],
      ["the quota of its plan", "UPDATE plans SET units_per_period = 2 WHERE name = 'plan-' || $1"],
      ["another plan", "UPDATE accounts SET plan = 'two' WHERE id = $1"],
    ] as const;
    for (const [what, sql] of rejecting) {
      test(`${what} serves no read, uncharged`, async () => {
        await other.query("INSERT INTO plans VALUES ('two', 2) ON CONFLICT DO NOTHING");
        const { accountId, read } = await newWarmCustomer();

        await other.query(sql, accountId);

        assert.equal(foundOf(await read()), what.endsWith("plan") ? "exhausted" : undefined);
        assert.equal(await usedUnits(store, accountId), 2);
      });
    }

    test("a higher quota serves an exhausted account", async () => {
      const { accountId, read } = await newWarmCustomer(2);
      assert.equal(foundOf(await read()), "exhausted");

      const raise = "UPDATE plans SET units_per_period = 3 WHERE name = 'plan-' || $1";
      await other.query(raise, accountId);

      assert.ok(isServed(await read()));
      assert.equal(foundOf(await read()), "exhausted");
      assert.equal(await usedUnits(store, accountId), 3);
    });

    test("a rate is served, suspended, deleted and stored again, each read charged", async () => {
      const { accountId, read } = await newWarmCustomer();
      const rate = "FROM rates WHERE base = 'EUR' AND quote = 'USD'";

      await other.query("UPDATE rates SET rate = '2.5' WHERE base = 'EUR'");
      assert.equal((foundOf(await read()) as { rate: string }).rate, "2.5");
      await other.query("UPDATE rates SET suspended_at = '2026' WHERE base = 'EUR'");
      assert.equal(foundOf(await read()), "suspended");
      await other.query(`DELETE ${rate}`);
      assert.equal(foundOf(await read()), "unsupported");
      await storeRates(store, [newRate("EUR/USD", "1.2", "2026-03-14T15:00:00Z")]);
      assert.equal((foundOf(await read()) as { rate: string }).rate, "1.2");

      assert.equal(await usedUnits(store, accountId), 6);
    });
  });

  test("after a failover that lost a change, a revoked key is rejected", async () => {
    const { accountId, read } = await newWarmCustomer();
    const [row = {}] = await other.query("SELECT epoch FROM read_epochs WHERE name = 'access'");
    await other.query("UPDATE accounts SET suspended_at = NULL WHERE id = $1", accountId);
    assert.ok(isServed(await read()));
    // What is left of the last change when its transaction is lost.
    const epoch = integerOf(row, "epoch");
    await other.query("UPDATE read_epochs SET epoch = $1 WHERE name = 'access'", epoch);

    await other.query("UPDATE api_keys SET revoked_at = '2026' WHERE account_id = $1", accountId);

    assert.equal(foundOf(await read()), undefined);
    assert.equal(await usedUnits(store, accountId), 3);
  });

  test("after a failed read, a suspension is in effect though the database lost its epoch", async () => {
    const { accountId, read } = await newWarmCustomer();
    const renamed = ["period_usage", "period_usage_gone"] as const;
    const rename = ([from, to]: readonly [string, string]) =>
      other.query(`ALTER TABLE ${from} RENAME TO ${to}`);

    await rename(renamed);
    await assert.rejects(read(), StoreUnavailable);
    await rename([renamed[1], renamed[0]]);
    // As in another database: the same epoch, and other rows.
    const [row = {}] = await other.query("SELECT epoch FROM read_epochs WHERE name = 'rates'");
    await other.query("UPDATE rates SET suspended_at = '2026' WHERE base = 'EUR'");
    const epoch = integerOf(row, "epoch");
    await other.query("UPDATE read_epochs SET epoch = $1 WHERE name = 'rates'", epoch);

    assert.equal(foundOf(await read()), "suspended");
    await other.query("UPDATE rates SET suspended_at = NULL WHERE base = 'EUR'");
    assert.equal(await usedUnits(store, accountId), 3);
  });

  test("a key revoked between its search and its charge is rejected, uncharged", async () => {
    const { accountId, keyHash } = await newWarmCustomer();
    let searches = 0;
    const readBatch = nodeWith(async (sql) => {
      if (!sql.includes(SEARCH)) return;
      searches += 1;
      const revoke = "UPDATE api_keys SET revoked_at = '2026' WHERE account_id = $1";
      if (searches === 1) await other.query(revoke, accountId);
    });

    const outcomes = await readBatch(keyHash, keyHash);

    assert.deepEqual(outcomes.map(foundOf), [undefined, undefined]);
    assert.equal(searches, 2);
    assert.equal(await usedUnits(store, accountId), 2);
  });

  test("changes of other keys before every charge do not fail a batch", async () => {
    const { accountId, keyHash } = await newWarmCustomer();
    const bystander = await newWarmCustomer();
    const changes: Promise<unknown>[] = [];
    let isLocked = false;
    const readBatch = nodeWith(async (sql) => {
      isLocked ||= sql.endsWith("FOR SHARE");
      if (!sql.includes(SEARCH)) return;
      const toggle =
        "UPDATE api_keys SET revoked_at = CASE WHEN revoked_at IS NULL THEN '2026' END WHERE id = $1";
      const change = other.query(toggle, bystander.key.id);
      changes.push(change);
      if (!isLocked) await change;
    });

    const [outcome] = await readBatch(keyHash);

    assert.ok(isServed(outcome));
    assert.ok(isLocked);
    await Promise.all(changes);
    assert.equal(await usedUnits(store, accountId), 3);
  });

  test("a key lost without a trace is rejected, and fails no other read of its batch", async () => {
    const lost = await newWarmCustomer();
    const { accountId, keyHash } = await newWarmCustomer();
    await lose(lost.key.id);

    const reads = [keyHash, lost.keyHash, keyHash].map((hash) => newRead(hash));
    const outcomes = await Promise.all(reads.map((read) => store.metering.read(read)));

    assert.deepEqual(outcomes.map(isServed), [true, false, true]);
    assert.equal(foundOf(outcomes[1]), undefined);
    assert.equal(await usedUnits(store, accountId), 4);
    assert.equal(await usedUnits(store, lost.accountId), 2);
  });

  test("a cached key that was lost without a trace makes no batch lock out changes of keys", async () => {
    const [lost, kept] = [await newWarmCustomer(), await newWarmCustomer()];
    const statements: string[] = [];
    const readBatch = nodeWith((sql) => statements.push(sql));
    const readBoth = () => readBatch(lost.keyHash, kept.keyHash);
    assert.deepEqual((await readBoth()).map(isServed), [true, true]);
    await lose(lost.key.id);

    for (let count = 0; count < 2; count += 1) {
      assert.deepEqual((await readBoth()).map(isServed), [false, true]);
    }

    assert.ok(statements.every((sql) => !sql.includes("FOR SHARE")));
    assert.equal(await usedUnits(store, kept.accountId), 5);
  });

  test("a transaction renews the epoch once, however many keys it changes", async () => {
    const { accountId } = await newWarmCustomer();
    const renewals = async () => {
      const [row = {}] = await other.query("SELECT count(*) AS count FROM renewals");
      await other.query("DELETE FROM renewals");
      return integerOf(row, "count");
    };
    const watch = [
      "CREATE TABLE renewals (name text)",
      `CREATE FUNCTION count_renewal() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO renewals VALUES (new.name); RETURN NULL; END $$`,
      `CREATE TRIGGER count_renewals AFTER UPDATE ON read_epochs
       FOR EACH ROW EXECUTE FUNCTION count_renewal()`,
    ];
    for (const sql of watch) await other.query(sql);

    await other.query(
      `INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
       SELECT 'many ' || n, 'many ' || n, $1, '', '', '' FROM generate_series(1, 300) n`,
      accountId,
    );
    assert.equal(await renewals(), 1);
    const revoke = "UPDATE api_keys SET revoked_at = '2026' WHERE account_id = $1";
    await other.query(revoke, accountId);
    assert.equal(await renewals(), 1);
    await other.query(revoke, accountId);
    await other.query("DELETE FROM api_keys WHERE id LIKE 'many %'");
    assert.equal(await renewals(), 0);
    await other.query("DROP TRIGGER count_renewals ON read_epochs");
  });

  test("batches at the same time on one node, during changes of other keys, charge each read once", async () => {
    const customers = [await newWarmCustomer(60), await newWarmCustomer(60)];
    const bystander = await newWarmCustomer();
    const node = database.openEngine();
    const turnOver = (revokedAt: string) =>
      other.query(`UPDATE api_keys SET revoked_at = ${revokedAt} WHERE id = $1`, bystander.key.id);

    const batches = Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const order = index % 2 === 0 ? customers : customers.toReversed();
        return node.readBatch([...order, ...order].map(({ keyHash }) => newRead(keyHash)));
      }),
    );
    for (let count = 0; count < 20; count += 1) {
      await turnOver("'2026'");
      await turnOver("NULL");
    }

    const outcomes = (await batches).flat();
    assert.equal(outcomes.length, 160);
    assert.equal(outcomes.filter(isServed).length, 2 * 58);
    for (const { accountId } of customers) assert.equal(await usedUnits(store, accountId), 60);
  });
});

test("reads that wait behind a batch that the store fails are rejected with it and never begun", async () => {
  const gate = Promise.withResolvers<never>();
  const sizes: number[] = [];
  const batcher = createReadBatcher({
    readBatch(reads) {
      sizes.push(reads.length);
      return gate.promise;
    },
  });
  const read = () => assert.rejects(batcher.read(newRead("key")), StoreUnavailable);
  const rejected = [read()];
  await turn();
  rejected.push(read(), read());

  gate.reject(new StoreUnavailable(new Error("gone")));
  await Promise.all(rejected);
  await turn();

  assert.deepEqual(sizes, [1]);
});

test("an asynchronous store gets the next batch before the reads of the last one are settled", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const sizes: number[] = [];
  let settled = 0;
  const batcher = createReadBatcher({
    async readBatch(reads) {
      sizes.push(reads.length);
      const gate = Promise.withResolvers<void>();
      begun.push(gate);
      await gate.promise;
      return reads.map(() => undefined);
    },
  });
  const read = () => void batcher.read(newRead("key")).then(() => (settled += 1));
  read();
  await turn();
  begun[0]?.resolve();
  await turn();
  await turn();
  assert.deepEqual([sizes, settled], [[1], 1]);

  // From idle, half of them leave the store work for the time in which these are responded to.
  for (let count = 0; count < 40; count += 1) read();
  await turn();
  assert.deepEqual(sizes, [1, 20]);
  begun[1]?.resolve();
  await begun[1]?.promise;
  for (let steps = 0; sizes.length < 3 && steps < 20; steps += 1) await Promise.resolve();

  assert.deepEqual([sizes, settled], [[1, 20, 20], 1]);
  begun[2]?.resolve();
  for (let turns = 0; settled < 41 && turns < 20; turns += 1) await turn();
  assert.equal(settled, 41);
});
