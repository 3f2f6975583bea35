import assert from "node:assert/strict";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { StoreUnavailable } from "../../src/shared/store.ts";
import { openSqliteStore } from "../../src/store.ts";
import { createSqliteDatabase } from "../contract/sqlite-database.ts";
import { newCustomer, newRead, usedUnits } from "../contract/suite/database.ts";
import { temporaryDirectory } from "../support/process.ts";

/** 4,000 pages with their headers. */
const LOG_BYTES = 4000 * 4120;

const logBytes = (directory: string) => statSync(join(directory, "kurs.db-wal")).size;

test("a server's log has its size before the first read, and a crash leaves what was committed", async () => {
  await using database = await createSqliteDatabase();
  await using store = openSqliteStore(database.directory, 1000, { isServer: true });
  assert.ok(logBytes(database.directory) >= LOG_BYTES);
  const { accountId, keyHash } = await newCustomer(store, 10);
  await store.metering.read(newRead(keyHash));
  await store.metering.read(newRead(keyHash));

  // As they lie on the disk while the server runs.
  await using copy = await temporaryDirectory();
  for (const name of ["kurs.db", "kurs.db-wal"]) {
    copyFileSync(join(database.directory, name), join(copy.path, name));
  }
  await using next = openSqliteStore(copy.path, 1000, { isServer: true });
  assert.equal(await usedUnits(next, accountId), 2);
  assert.equal((await next.metering.read(newRead(keyHash)))?.quota?.usedUnits, 3);
  assert.equal(await usedUnits(store, accountId), 2);
});

test("a command's log grows as it must", async () => {
  await using database = await createSqliteDatabase();
  await using store = openSqliteStore(database.directory, 1000);
  await newCustomer(store, 10);
  assert.ok(logBytes(database.directory) < 1024 * 1024);
});

test("a server's connection waits for other programs' locks after its log was sized", async () => {
  await using database = await createSqliteDatabase();
  await using store = openSqliteStore(database.directory, 300, { isServer: true });
  const { keyHash } = await newCustomer(store, 10);
  const other = database.openDatabase();
  other.exec("BEGIN IMMEDIATE");
  const sinceMs = performance.now();

  await assert.rejects(store.metering.read(newRead(keyHash)), StoreUnavailable);

  assert.ok(performance.now() - sinceMs > 250);
  other.exec("ROLLBACK");
});

test("another program's lock neither holds up the opening nor is it broken", async () => {
  await using database = await createSqliteDatabase();
  database.openStore();
  const other = database.openDatabase();
  other.exec("BEGIN IMMEDIATE; INSERT INTO plans VALUES ('pro', 5000)");
  const sinceMs = performance.now();

  await using store = openSqliteStore(database.directory, 60_000, { isServer: true });

  assert.ok(performance.now() - sinceMs < 30_000);
  other.exec("COMMIT");
  const { accountId, keyHash } = await newCustomer(store, 10);
  await store.metering.read(newRead(keyHash));
  assert.equal(await usedUnits(store, accountId), 1);
  using beside = new DatabaseSync(join(database.directory, "kurs.db"));
  assert.ok(beside.prepare("SELECT 1 FROM plans WHERE name = 'pro'").get());
  assert.equal(beside.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
});
