import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrationsIn } from "../../src/storage/migrations.ts";
import { createSqliteDatabase } from "../contract/sqlite-database.ts";
import {
  BY,
  KEY_LIMITS,
  newCustomer,
  newKey,
  newRead,
  unitsOfDays,
  usedUnits,
} from "../contract/suite/database.ts";
import { makeOfSchema } from "./stored.ts";

const keyHashOf = (name: string) => hash("sha256", name);

/** Two accounts with three keys, one of them revoked, and units of three periods with a gap. */
const BEFORE_NUMBERS = `
  INSERT INTO accounts (id, email, password_hash, plan, created_at) VALUES
    ('bob', 'bob@example.org', '', 'free', '2026-08-02T00:00:00.000Z'),
    ('ada', 'ada@example.org', '', 'free', '2026-08-01T00:00:00.000Z'),
    ('eve', 'eve@example.org', '', 'free', '2026-11-20T00:00:00.000Z');
  INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at, revoked_at) VALUES
    ('${keyHashOf("bob")}', 'key 3', 'bob', 'only', 'kurs_live_b', '2026-08-02T00:00:00.000Z', NULL),
    ('${keyHashOf("old")}', 'key 1', 'ada', 'old', 'kurs_live_o', '2026-08-01T00:00:00.000Z',
      '2026-11-02T00:00:00.000Z'),
    ('${keyHashOf("ada")}', 'key 2', 'ada', 'new', 'kurs_live_n', '2026-08-01T00:00:01.000Z', NULL);
  INSERT INTO period_usage (account_id, period, units) VALUES
    ('ada', '2026-08', 31), ('ada', '2026-11', 7), ('bob', '2026-09', 5000000000);
  INSERT INTO daily_usage (account_id, day, api_key_id, units) VALUES
    ('ada', '2026-08-01', 'key 1', 1), ('ada', '2026-08-31', 'key 1', 30),
    ('ada', '2026-11-02', 'key 1', 3), ('ada', '2026-11-02', 'key 2', 4),
    ('bob', '2026-09-09', 'key 3', 5000000000);`;

const unitsIn = (database: DatabaseSync) => ({
  periods: database.prepare("SELECT * FROM period_usage ORDER BY account_id, period").all(),
  days: database.prepare("SELECT * FROM daily_usage ORDER BY account_id, day, api_key_id").all(),
});

test("units from before the migration that numbers accounts and keys are kept and added to", async () => {
  await using database = await createSqliteDatabase();
  const other = database.openDatabase();
  makeOfSchema(other, 5);
  other.exec(BEFORE_NUMBERS);
  const before = unitsIn(other);
  assert.deepEqual([before.periods.length, before.days.length], [3, 5]);

  const store = database.openStore();

  assert.deepEqual(unitsIn(other), before);
  assert.deepEqual(other.prepare("PRAGMA foreign_key_check").all(), []);
  assert.equal((await store.metering.read(newRead(keyHashOf("ada"))))?.quota?.usedUnits, 8);
  assert.equal((await store.metering.read(newRead(keyHashOf("bob"))))?.quota?.usedUnits, 1);
  const revoked = await store.metering.read(newRead(keyHashOf("old")));
  const unpaid = { quota: undefined, found: undefined };
  assert.deepEqual(revoked, { ...unpaid, accountId: "ada", rejection: "revoked" });
  assert.deepEqual(await unitsOfDays(store, "ada", "2026-08-31", "2026-11-21"), [
    { day: "2026-08-31", keyId: "key 1", units: 30 },
    { day: "2026-11-02", keyId: "key 1", units: 3 },
    { day: "2026-11-02", keyId: "key 2", units: 4 },
    { day: "2026-11-21", keyId: "key 2", units: 1 },
  ]);
});

test("an account and a key created after the migration get their own numbers", async () => {
  await using database = await createSqliteDatabase();
  const other = database.openDatabase();
  makeOfSchema(other, 5);
  other.exec(BEFORE_NUMBERS);
  const store = database.openStore();

  const { accountId, keyHash } = await newCustomer(store, 10);
  await store.metering.read(newRead(keyHash));

  assert.equal(await usedUnits(store, accountId), 1);
  assert.equal(await usedUnits(store, "ada"), 7);
  for (const table of ["accounts", "api_keys"]) {
    const rows = other.prepare(`SELECT number FROM ${table} ORDER BY number`).all();
    assert.deepEqual(rows.flatMap(Object.values), [1, 2, 3, 4], table);
  }
});

/** The keys that may read, by the tables of which the narrow one is derived. */
const MAY_READ = `
  SELECT lower(k.key_hash) AS key_hash, k.number AS api_key, a.number AS account, a.plan
  FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.revoked_at IS NULL AND a.suspended_at IS NULL ORDER BY 1`;

const USABLE_KEYS = `
  SELECT lower(hex(digest)) AS key_hash, api_key, account, plan FROM usable_keys ORDER BY 1`;

test("the keys that may read follow every change of a key, an account and its plan", async () => {
  await using database = await createSqliteDatabase();
  const other = database.openDatabase();
  makeOfSchema(other, 5);
  other.exec(BEFORE_NUMBERS);
  for (const sql of migrationsIn("sqlite").slice(5, 10)) other.exec(sql);
  other.exec("PRAGMA user_version = 10");
  other.exec("UPDATE accounts SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE id = 'bob'");
  const store = database.openStore();
  const hashes = () => {
    const rows = other.prepare(USABLE_KEYS).all();
    assert.deepEqual(rows, other.prepare(MAY_READ).all());
    return rows.map(({ key_hash }) => String(key_hash));
  };
  assert.deepEqual(hashes(), [keyHashOf("ada")]);

  const { accountId, keyHash, email } = await newCustomer(store, 10);
  const second = newKey(accountId);
  await store.keys.create(second, KEY_LIMITS, BY);
  assert.equal(hashes().length, 3);

  await store.administration.suspend(email, BY);
  assert.deepEqual(hashes(), [keyHashOf("ada")]);
  const suspended = await store.metering.read(newRead(keyHash));
  const unpaid = { quota: undefined, found: undefined };
  assert.deepEqual(suspended, { ...unpaid, accountId, rejection: "suspended" });
  await store.administration.resume(email, BY);
  assert.equal(hashes().length, 3);
  await store.keys.revoke(accountId, second.id, BY);
  assert.deepEqual(hashes(), [keyHashOf("ada"), keyHash].sort());

  await store.plans.set({ name: "large", unitsPerPeriod: 70 }, BY);
  await store.accounts.setPlan(email, "large", BY);
  hashes();
  assert.equal((await store.metering.read(newRead(keyHash)))?.quota?.quotaUnits, 70);

  await store.administration.delete(email, BY);
  assert.deepEqual(hashes(), [keyHashOf("ada")]);
  const deleted = await store.metering.read(newRead(keyHash));
  assert.deepEqual(deleted, { ...unpaid, accountId, rejection: "revoked" });
});
