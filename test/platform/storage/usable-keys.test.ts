import assert from "node:assert/strict";
import { test } from "node:test";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { KEY_LIMITS, newCustomer, newKey } from "../../contract/suite/customers.ts";
import { BY } from "../../contract/suite/origins.ts";
import { newRead } from "../../contract/suite/rates-stored.ts";

/** The keys that may read, by the tables of which the narrow one is derived. */
const MAY_READ = `
  SELECT lower(k.key_hash) AS key_hash, k.number AS api_key, a.number AS account, a.plan
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.revoked_at IS NULL AND a.suspended_at IS NULL ORDER BY 1`;

const USABLE_KEYS = `
  SELECT lower(hex(digest)) AS key_hash, api_key, account, plan FROM usable_keys ORDER BY 1`;

test("the keys that may read follow every change of a key, an account and its plan", async () => {
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  const other = database.openDatabase();
  const hashes = () => {
    const rows = other.prepare(USABLE_KEYS).all();
    assert.deepEqual(rows, other.prepare(MAY_READ).all());
    return rows.map(({ key_hash }) => String(key_hash));
  };
  const kept = await newCustomer(store, 10);
  const { accountId, keyHash, email } = await newCustomer(store, 10);
  const second = newKey(accountId);
  await store.keys.create(second, KEY_LIMITS, BY);
  assert.equal(hashes().length, 3);

  await store.administration.suspend(email, BY);
  assert.deepEqual(hashes(), [kept.keyHash]);
  const suspended = await store.metering.read(newRead(keyHash));
  const unpaid = { quota: undefined, found: undefined };
  assert.deepEqual(suspended, { ...unpaid, accountId, rejection: "suspended" });
  await store.keys.create(newKey(accountId), KEY_LIMITS, BY);
  assert.deepEqual(hashes(), [kept.keyHash]);
  await store.administration.resume(email, BY);
  assert.equal(hashes().length, 4);
  await store.keys.revoke(accountId, second.id, BY);
  assert.equal(hashes().length, 3);

  await store.plans.set({ name: "large", unitsPerPeriod: 70 }, BY);
  await store.accounts.setPlan(email, "large", BY);
  hashes();
  assert.equal((await store.metering.read(newRead(keyHash)))?.quota?.quotaUnits, 70);

  await store.administration.delete(email, BY);
  assert.deepEqual(hashes(), [kept.keyHash]);
  const deleted = await store.metering.read(newRead(keyHash));
  assert.deepEqual(deleted, { ...unpaid, accountId, rejection: "revoked" });
  other.exec("PRAGMA foreign_keys = OFF; DELETE FROM api_keys");
  assert.deepEqual(hashes(), []);
});
