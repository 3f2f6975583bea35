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
const WAL_BYTES = 4000 * 4120;

const walBytes = (directory: string) => statSync(join(directory, "kurs.db-wal")).size;

test("a server's WAL is preallocated before the first read, and a crash keeps committed data", async () => {
  await using database = await createSqliteDatabase();
  await using store = openSqliteStore(database.directory, 1000, { isServer: true });
  assert.ok(walBytes(database.directory) >= WAL_BYTES);
  const { accountId, keyHash } = await newCustomer(store, 10);
  await store.metering.read(newRead(keyHash));
  await store.metering.read(newRead(keyHash));

  // Copies of the files as they are on disk while the server runs.
  await using copy = await temporaryDirectory();
  for (const name of ["kurs.db", "kurs.db-wal"]) {
    copyFileSync(join(database.directory, name), join(copy.path, name));
  }
  await using next = openSqliteStore(copy.path, 1000, { isServer: true });
  assert.equal(await usedUnits(next, accountId), 2);
  assert.equal((await next.metering.read(newRead(keyHash)))?.quota?.usedUnits, 3);
  assert.equal(await usedUnits(store, accountId), 2);
});

test("a command's WAL grows on demand", async () => {
  await using database = await createSqliteDatabase();
  await using store = openSqliteStore(database.directory, 1000);
  await newCustomer(store, 10);
  assert.ok(walBytes(database.directory) < 1024 * 1024);
});

test("a server's connection waits for other programs' locks after preallocating its WAL", async () => {
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

test("another program's lock neither delays the opening nor is broken by it", async () => {
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
  using third = new DatabaseSync(join(database.directory, "kurs.db"));
  assert.ok(third.prepare("SELECT 1 FROM plans WHERE name = 'pro'").get());
  assert.equal(third.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
});
