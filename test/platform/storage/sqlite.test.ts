import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { StoreUnavailable } from "../../../src/platform/shared/store.ts";
import { statement } from "../../../src/platform/storage/engine.ts";
import { RowCache } from "../../../src/platform/storage/sqlite/row-cache.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { KEY_LIMITS, newCustomer, newKey, usedUnits } from "../../contract/suite/customers.ts";
import { BY } from "../../contract/suite/origins.ts";
import { EUR_USD, newRead, storeRates } from "../../contract/suite/rates-stored.ts";
import { openSqliteStore } from "../../support/stores.ts";

// Failures that only an embedded database can have; the contract suite tests the rest.

const ADD_PLAN = "INSERT INTO plans (name, units_per_period) VALUES ($1, $2)";

test("a read while another program holds the lock is rejected and not charged", async () => {
  await using database = await createSqliteDatabase();
  const store = openSqliteStore(database.directory, 20);
  const other = database.openDatabase();
  await storeRates(store, [EUR_USD]);
  const { accountId, keyHash } = await newCustomer(store, 10);

  other.exec("BEGIN IMMEDIATE");
  const reads = [store.metering.read(newRead(keyHash)), store.metering.read(newRead(keyHash))];
  for (const result of await Promise.allSettled(reads)) {
    assert.equal(result.status, "rejected");
    assert.ok(result.reason instanceof StoreUnavailable);
  }
  other.exec("ROLLBACK");

  assert.equal(await usedUnits(store, accountId), 0);
  assert.equal((await store.metering.read(newRead(keyHash)))?.quota?.usedUnits, 1);
  await store[Symbol.asyncDispose]();
});

test("after a lock timeout, statements wait for a short time only until a write succeeds", async (t) => {
  await using database = await createSqliteDatabase();
  const exec = t.mock.method(DatabaseSync.prototype, "exec");
  const store = openSqliteStore(database.directory, 50);
  const file = join(database.directory, "kurs.db");
  const connection = exec.mock.calls
    .map((call) => call.this as DatabaseSync)
    .find((opened) => opened.isOpen && opened.location() === file);
  const waitMs = () => connection?.prepare("PRAGMA busy_timeout").get()?.timeout;
  const { keyHash } = await newCustomer(store, 10);
  const other = database.openDatabase();
  assert.equal(waitMs(), 50);

  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(store.metering.read(newRead(keyHash)), StoreUnavailable);
  assert.equal(waitMs(), 20);
  await assert.rejects(store.status.checkWrites(), StoreUnavailable);
  assert.equal(waitMs(), 20);

  other.exec("ROLLBACK");
  await store.status.checkWrites();
  assert.equal(waitMs(), 50);
  await store[Symbol.asyncDispose]();
});

test("a rate in a damaged page is a StoreUnavailable, not charged, and ends the use of the file", async () => {
  await using database = await createSqliteDatabase();
  const file = join(database.directory, "kurs.db");
  const store = openSqliteStore(database.directory, 1000);
  await storeRates(store, [EUR_USD]);
  const { accountId, keyHash } = await newCustomer(store, 10);
  using other = new DatabaseSync(file);
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const page = other.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'rates'").get();
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(page?.rootpage) - 1) * 4096);
  closeSync(descriptor);
  // A write on another connection makes the store's own connection read its pages again.
  other.exec("INSERT INTO plans VALUES ('pro', 7)");

  await assert.rejects(store.metering.read(newRead(keyHash)), StoreUnavailable);

  const used = other.prepare("SELECT sum(units) AS units FROM period_usage WHERE account_id = ?");
  assert.equal(used.get(accountId)?.units, null);
  await assert.rejects(store.plans.list(), StoreUnavailable);
  other.close();
  const filesNow = () => [file, `${file}-wal`].map((each) => readFileSync(each));
  const before = filesNow();
  await store[Symbol.asyncDispose]();
  assert.deepEqual(filesNow(), before);
});

test("a transaction within another is rejected, and the outer one is committed or rolled back", async () => {
  await using database = await createSqliteDatabase();
  const [engine, other] = [database.openEngine(), database.openEngine()];
  let inner: Promise<unknown> | undefined;

  const outer = engine.transaction(function* () {
    yield statement(ADD_PLAN, "before", 1);
    inner = engine.transaction(function* () {
      yield statement(ADD_PLAN, "within", 2);
    });
    inner.catch(() => undefined);
    yield statement(ADD_PLAN, "after", 3);
  });

  const kept = await outer.then(
    () => ["after", "before", "free"],
    () => ["free"],
  );
  await assert.rejects(inner ?? Promise.resolve());
  const rows = await other.query("SELECT name FROM plans ORDER BY name");
  assert.deepEqual(
    rows.map(({ name }) => name),
    kept,
  );
});

const FAIL_PAIRS_OF_UNITS = `
  CREATE TRIGGER no_pairs BEFORE INSERT ON charged_units WHEN new.units > 1
  BEGIN SELECT abs(-9223372036854775807 - 1); END`;

test("a batch that fails leaves no unit in the row cache", async () => {
  await using database = await createSqliteDatabase();
  const [store, engine] = [database.openStore(), database.openEngine()];
  database.openDatabase().exec(FAIL_PAIRS_OF_UNITS);
  const { accountId, keyHash } = await newCustomer(store, 3);
  const read = async (times: number) => {
    const outcomes = await engine.readBatch(Array.from({ length: times }, () => newRead(keyHash)));
    return outcomes.map((outcome) => [outcome?.found, outcome?.quota?.usedUnits]);
  };
  assert.deepEqual(await read(1), [["unsupported", 1]]);

  await assert.rejects(read(2), StoreUnavailable);

  assert.equal(await usedUnits(store, accountId), 1);
  assert.deepEqual(await read(1), [["unsupported", 2]]);
  assert.deepEqual(await read(1), [["unsupported", 3]]);
  assert.deepEqual(await read(1), [["exhausted", 3]]);
  assert.equal(await usedUnits(store, accountId), 3);
});

test("two keys of an account share its quota in each period, also when the clock goes back", async () => {
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  const { accountId, keyHash } = await newCustomer(store, 3);
  const second = newKey(accountId);
  await store.keys.create(second, KEY_LIMITS, BY);
  const usedAfter = async (hash: string, time: string) => {
    const outcome = await store.metering.read(newRead(hash, { time }));
    return [outcome?.found, outcome?.quota?.usedUnits];
  };
  const [november, december] = ["2026-11-30T23:59:59.000Z", "2026-12-01T00:00:00.000Z"];

  assert.deepEqual(await usedAfter(keyHash, november), ["unsupported", 1]);
  assert.deepEqual(await usedAfter(second.keyHash, december), ["unsupported", 1]);
  assert.deepEqual(await usedAfter(second.keyHash, november), ["unsupported", 2]);
  assert.deepEqual(await usedAfter(keyHash, december), ["unsupported", 2]);
  assert.deepEqual(await usedAfter(keyHash, november), ["unsupported", 3]);
  assert.deepEqual(await usedAfter(second.keyHash, november), ["exhausted", 3]);
  assert.deepEqual(await usedAfter(second.keyHash, december), ["unsupported", 3]);
  assert.deepEqual(await usedAfter(keyHash, december), ["exhausted", 3]);
});

test("the row cache is cleared beyond 100,000 entries, between two transactions", async () => {
  using database = new DatabaseSync(":memory:");
  const searches: number[] = [];
  const cache = new RowCache(database);
  const find = cache.of(String, (sought: number) => {
    searches.push(sought);
    return sought;
  });
  cache.revalidate();
  for (let sought = 1; sought <= 100_000; sought += 1) find(sought);
  cache.revalidate();
  assert.deepEqual([find(100_001), find(100_000), find(100_001)], [100_001, 100_000, 100_001]);
  assert.equal(searches.length, 100_001);

  cache.revalidate();
  assert.deepEqual([find(100_001), find(100_001)], [100_001, 100_001]);

  assert.deepEqual(searches.slice(100_001), [100_001]);
});

test("every commit of a store is synced to disk, and foreign keys are enforced", async (t) => {
  await using database = await createSqliteDatabase();
  const exec = t.mock.method(DatabaseSync.prototype, "exec");
  await using server = openSqliteStore(database.directory, 1000, { isServer: true });
  const store = database.openStore();
  await store.plans.set({ name: "pro", unitsPerPeriod: 7 }, BY);
  await server.plans.set({ name: "max", unitsPerPeriod: 8 }, BY);

  // Each connection has its own level, so the test asks the stores' connections.
  const connections = new Set(exec.mock.calls.map((call) => call.this as DatabaseSync));
  const file = join(database.directory, "kurs.db");
  const opened = [...connections].filter(
    (connection) => connection.isOpen && connection.location() === file,
  );
  const levels = opened.map((connection) => ({
    ...connection.prepare("PRAGMA journal_mode").get(),
    ...connection.prepare("PRAGMA synchronous").get(),
    ...connection.prepare("PRAGMA foreign_keys").get(),
  }));

  // 2 is FULL (sqlite.org/pragma.html#pragma_synchronous).
  const everyCommit = { journal_mode: "wal", synchronous: 2, foreign_keys: 1 };
  assert.deepEqual(levels, [everyCommit, everyCommit]);
});
