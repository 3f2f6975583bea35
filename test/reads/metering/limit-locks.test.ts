import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import type { Engine } from "../../../src/platform/storage/engine.ts";
import type {
  PostgresEngine,
  RunStatement,
} from "../../../src/platform/storage/postgres/engine.ts";
import { createMeteredBatch } from "../../../src/reads/metering/batch/postgres.ts";
import { isCharge } from "../../../src/reads/metering/batch/postgres-statement.ts";
import { createPostgresDatabase } from "../../contract/postgres-database.ts";
import { KEY_LIMITS, newCustomer, newKey, usedUnits } from "../../contract/suite/customers.ts";
import { foundIn } from "../../contract/suite/meter.ts";
import { BY } from "../../contract/suite/origins.ts";
import { EUR_USD, newRead, storeRates } from "../../contract/suite/rates-stored.ts";
import { eventually } from "../../support/mails.ts";

// What batches of capped keys and of accounts on grants lock, against what comes between.

const database = await createPostgresDatabase();
const store = database.openStore();
const other = database.openEngine();

/** Waits until an action has ended, or as many processes wait for a lock. @returns whether it has. */
async function untilStuck(action: Promise<unknown>, waiting = 1): Promise<boolean> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  action.then(end, end);
  await eventually("waiting process", async () => {
    const [row] = await other.query(
      "SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted",
    );
    return hasEnded || Number(row?.count) >= waiting || undefined;
  });
  return hasEnded;
}

type Before = (sql: string) => unknown;

/** Reads in one batch, with what comes before its statements. */
const readBatch = (keyHashes: readonly string[], before: Before) => {
  const engine = database.openEngine() as Engine as PostgresEngine;
  const batch = createMeteredBatch();
  const intercept = (run: RunStatement): RunStatement => {
    // Statements that are not waited for keep their order.
    let previous: Promise<unknown> = Promise.resolve();
    return (sql, values) => {
      const ready = previous.then(() => before(sql));
      previous = ready;
      return ready.then(() => run(sql, values));
    };
  };
  const reads = keyHashes.map((keyHash) => newRead(keyHash));
  return engine.withPriorityConnection((run) => batch(intercept(run), reads));
};

/** Locks the units of an account. @returns what lets go of them. */
async function holdUnits(accountId: string) {
  const holder = database.openEngine() as Engine as PostgresEngine;
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = holder.withPriorityConnection(async (run) => {
    await run("BEGIN", []);
    await run("SELECT FROM period_usage WHERE account_id = $1 FOR UPDATE", [accountId]);
    held.resolve();
    await released.promise;
    await run("COMMIT", []);
  });
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}

suite("batches with limited keys on PostgreSQL", () => {
  after(() => database[Symbol.asyncDispose]());

  test("do not wait for the revocation of a grant that waits for them", async () => {
    await storeRates(store, [EUR_USD]);
    const { accountId, email, keyHash } = await newCustomer(store, 0);
    const grant = { units: 5, reference: "invoice 1", expiresAt: undefined };
    const id = (await store.grants.add(email, grant, BY))?.id ?? "";
    const touch = "UPDATE accounts SET suspended_at = suspended_at WHERE id = $1";
    const revoke = "UPDATE unit_grants SET revoked_at = '2026' WHERE id = $1";
    // A transaction would be repeated.
    const bare = database.openEngine() as Engine as PostgresEngine;
    let revocation: Promise<unknown> = Promise.resolve();
    let isKept = false;

    const outcomes = await readBatch([keyHash], async (sql) => {
      if (sql.includes("FOR SHARE")) isKept = true;
      else if (!isKept && isCharge(sql)) await other.query(touch, accountId);
      else if (isKept && sql.includes("FOR NO KEY UPDATE")) {
        revocation = bare.withPriorityConnection((run) => run(revoke, [id]));
        await untilStuck(revocation);
      }
    });

    assert.deepEqual(foundIn(outcomes), ["1.1476"]);
    await revocation;
    assert.ok(isKept);
    const [after] = await store.grants.list(accountId, "", 1);
    assert.deepEqual([after?.usedUnits, after?.revokedAt], [1, "2026"]);
  });

  test("lock also the accounts whose first units of a period come meanwhile", async () => {
    await storeRates(store, [EUR_USD]);
    const fresh = await newCustomer(store, 2);
    const used = await newCustomer(store, 10);
    await other.query("UPDATE api_keys SET units_per_day = 9 WHERE id = $1", used.key.id);
    await store.metering.read(newRead(used.keyHash));
    const release = await holdUnits(used.accountId);
    const read = async () => foundIn([await store.metering.read(newRead(fresh.keyHash))])[0];
    const others: Promise<unknown>[] = [];
    const readBetween = async () => {
      others.push(read());
      await untilStuck(others.at(-1) ?? reading);
    };

    const reading = readBatch([fresh.keyHash, used.keyHash], async (sql) => {
      if (isCharge(sql)) await readBetween();
    });
    await untilStuck(reading);
    await readBetween();
    await release();
    const found = [...foundIn(await reading), ...(await Promise.all(others))];

    assert.deepEqual(found.sort(), ["1.1476", "1.1476", "1.1476", "exhausted"]);
    assert.equal(await usedUnits(store, fresh.accountId), 2);
    assert.equal(await usedUnits(store, used.accountId), 2);
  });

  test("count the units of one in flight that did not know of their cap", async () => {
    await storeRates(store, [EUR_USD]);
    const first = await newCustomer(store, 10);
    const { accountId, key, keyHash } = await newCustomer(store, 10);
    for (const hash of [first.keyHash, keyHash]) await store.metering.read(newRead(hash));
    const release = await holdUnits(first.accountId);

    const reading = readBatch([first.keyHash, keyHash], () => {});
    await untilStuck(reading);
    const setting = other.query("UPDATE api_keys SET units_per_period = 3 WHERE id = $1", key.id);
    await untilStuck(setting, 2);
    const capped = Array.from({ length: 2 }, () => store.metering.read(newRead(keyHash)));
    await untilStuck(Promise.all(capped), 3);
    await release();
    const found = foundIn(await Promise.all([...(await reading), ...capped]));
    await setting;

    assert.deepEqual(found, ["1.1476", "1.1476", "1.1476", "key_exhausted"]);
    const counters = await other.query("SELECT units FROM capped_usage WHERE line = $1", key.id);
    assert.deepEqual(counters, [{ units: 3 }]);
    assert.equal(await usedUnits(store, accountId), 3);
  });

  test("do not wait for a cap that waits for a batch behind them", async () => {
    await storeRates(store, [EUR_USD]);
    const { accountId, key, keyHash } = await newCustomer(store, 10);
    const plain = newKey(accountId);
    await store.keys.create(plain, KEY_LIMITS, BY);
    const cap = "UPDATE api_keys SET units_per_period = $2 WHERE id = $1";
    await other.query(cap, key.id, 9);
    await store.metering.read(newRead(keyHash));
    const behind: Promise<unknown>[] = [];

    const reading = readBatch([keyHash], async (sql) => {
      if (!isCharge(sql)) return;
      behind.push(store.metering.read(newRead(plain.keyHash)));
      await untilStuck(Promise.all(behind));
      behind.push(other.query(cap, key.id, 8));
      await untilStuck(Promise.all(behind), 2);
    });

    assert.ok(await untilStuck(reading, 3));
    await Promise.all(behind);
    assert.deepEqual(foundIn(await reading), ["1.1476"]);
    assert.equal(await usedUnits(store, accountId), 3);
  });
});
