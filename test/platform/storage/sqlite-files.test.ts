import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { backupSqlite } from "../../../src/operations/backups/backup.ts";
import { restoreSqlite } from "../../../src/operations/backups/restore.ts";
import { examineSqlite } from "../../../src/operations/doctor/sqlite.ts";
import { StartupError } from "../../../src/platform/shared/program/start-error.ts";
import { openSqliteSource } from "../../../src/platform/storage/copy/from-sqlite.ts";
import { lockExclusive } from "../../../src/platform/storage/sqlite/lock-file.ts";
import { migrateSqlite } from "../../../src/platform/storage/sqlite/open.ts";
import { newCustomer } from "../../contract/suite/customers.ts";
import { BY, NOW } from "../../contract/suite/origins.ts";
import { EUR_USD, storeRates } from "../../contract/suite/rates-stored.ts";
import { recordFileCalls } from "../../support/file-calls.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { openSqliteStore, type Store } from "../../support/stores.ts";
import { query } from "./stored.ts";

// Durability in a loss of power. backup.test.ts and restore.test.ts test the commands' output.

const note = { takenAt: NOW, program: "test" };
const restoring = { now: NOW, reviveKeys: false };

const HAS_CHANGES = /has changes of a database, but \S+ is \w+: put kurs\.db back/;

/** A data directory whose closed database has the plan `pro`, and a backup of it elsewhere. */
async function databaseWithBackup() {
  await using starting = new AsyncDisposableStack();
  const [data, place] = [await temporaryDirectory(), await temporaryDirectory()];
  starting.use(data);
  starting.use(place);
  {
    await using store = openSqliteStore(data.path, 1000);
    await store.plans.set({ name: "pro", unitsPerPeriod: 7 }, BY);
  }
  const target = join(place.path, "backup.db");
  const { file } = backupSqlite(join(data.path, "kurs.db"), target, { note, mayReplace: false });
  const started = starting.move();
  return { directory: data.path, file, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** What a killed program leaves of a database after some work: its changes are only in the WAL. */
async function killedAfter(dataDirectory: string, work: (store: Store) => Promise<unknown>) {
  const killed = await temporaryDirectory();
  await using store = openSqliteStore(dataDirectory, 1000);
  await work(store);
  for (const name of ["kurs.db", "kurs.db-wal"]) {
    copyFileSync(join(dataDirectory, name), join(killed.path, name));
  }
  return { ...killed, file: join(killed.path, "kurs.db") };
}

async function planNames(dataDirectory: string): Promise<readonly string[]> {
  await using store = openSqliteStore(dataDirectory, 1000);
  return (await store.plans.list()).map(({ name }) => name);
}

/**
 * Writes the journal of a program that crashed while it created a database: the next program that
 * opens any database there empties it.
 */
async function writeHotJournal(file: string): Promise<void> {
  await using place = await temporaryDirectory();
  const unfinished = join(place.path, "kurs.db");
  using database = new DatabaseSync(unfinished);
  database.exec("PRAGMA cache_size = 1; BEGIN; CREATE TABLE notes (text)");
  const insert = database.prepare("INSERT INTO notes VALUES (?)");
  // More than fits in the cache: SQLite has to write to the database, and to the journal before.
  for (let row = 0; row < 100; row += 1) insert.run("a".repeat(4096));
  copyFileSync(`${unfinished}-journal`, file);
}

test("a backup is synced before it gets its name, and its name before the command ends", async () => {
  await using stored = await databaseWithBackup();
  const target = `${stored.file}.next`;
  const [name, part] = [basename(target), `${basename(target)}.${process.pid}.part`];
  const directory = basename(dirname(target));
  using files = recordFileCalls();

  backupSqlite(join(stored.directory, "kurs.db"), target, { note, mayReplace: false });
  backupSqlite(join(stored.directory, "kurs.db"), target, { note, mayReplace: true });

  assert.deepEqual(files.calls, [
    `sync ${part}`,
    `link ${part} ${name}`,
    `sync ${directory}`,
    `sync ${part}`,
    `rename ${part} ${name}`,
    `sync ${directory}`,
  ]);
});

test("a restored database is synced before it gets its name, and so is the old one's new name", async () => {
  await using stored = await databaseWithBackup();
  await using empty = await temporaryDirectory();
  const [old, filled] = [basename(stored.directory), basename(empty.path)];
  using files = recordFileCalls();

  restoreSqlite(stored.directory, stored.file, restoring);
  restoreSqlite(empty.path, stored.file, restoring);

  assert.deepEqual(files.calls, [
    "sync kurs.db.restoring",
    "link kurs.db kurs.db.replaced-2026-11-21T12-00-00.000Z",
    `sync ${old}`,
    // The old WAL and journal are durably removed before the new database gets the name.
    `sync ${old}`,
    "rename kurs.db.restoring kurs.db",
    `sync ${old}`,
    "sync kurs.db.restoring",
    `sync ${filled}`,
    "rename kurs.db.restoring kurs.db",
    `sync ${filled}`,
  ]);
});

for (const [what, end, without] of [
  ["a WAL without its database", "-wal", (file) => rmSync(file)],
  ["a WAL beside an empty file", "-wal", (file) => truncateSync(file)],
  ["a journal without its database", "-journal", (file) => rmSync(file)],
] satisfies [string, string, (file: string) => void][]) {
  test(`${what} is not opened, and nothing in it is lost`, async () => {
    await using stored = await databaseWithBackup();
    await using killed = await killedAfter(stored.directory, (store) =>
      store.plans.set({ name: "late", unitsPerPeriod: 8 }, BY),
    );
    const { path, file } = killed;
    if (end === "-journal") await writeHotJournal(file + end);
    copyFileSync(file, `${file}.away`);
    const before = readFileSync(file + end);
    if (end === "-journal") rmSync(`${file}-wal`);
    without(file);

    await using other = await temporaryDirectory();
    for (const open of [
      () => openSqliteStore(path, 1000, { isServer: true }),
      () => openSqliteStore(path, 1000),
      () => migrateSqlite(path, 1000),
      () => backupSqlite(file, other.path, { note, mayReplace: false }),
      ...(existsSync(file)
        ? [() => openSqliteSource(path, []), () => restoreSqlite(other.path, file, restoring)]
        : []),
    ]) {
      assert.throws(open, (error) => error instanceof StartupError && HAS_CHANGES.test(`${error}`));
    }
    for (const isThorough of [true, false]) {
      const [found] = await examineSqlite(path, isThorough, async () => []);
      assert.match(found?.text ?? "", HAS_CHANGES);
    }

    assert.deepEqual(readFileSync(file + end), before);
    assert.equal(statSync(file, { throwIfNoEntry: false })?.size ?? 0, 0);
    if (end === "-wal") {
      await using repaired = await temporaryDirectory();
      copyFileSync(`${file}.away`, join(repaired.path, "kurs.db"));
      copyFileSync(file + end, join(repaired.path, "kurs.db-wal"));
      assert.deepEqual(await planNames(repaired.path), ["pro", "late", "free"]);
    }
    // A restore moves it away: SQLite would apply it to the restored database, or empty that.
    rmSync(file, { force: true });
    restoreSqlite(path, stored.file, restoring);
    const kept = readdirSync(path).filter((name) => name.includes("replaced"));
    assert.deepEqual(kept, [`kurs.db.replaced-2026-11-21T12-00-00.000Z${end}`]);
    assert.deepEqual(await planNames(path), ["pro", "free"]);
  });
}

for (const [what, damage] of [
  ["cut short", (file) => truncateSync(file, 100_000)],
  ["full of zeros", (file) => writeFileSync(file, Buffer.alloc(200_000))],
  ["overwritten with a backup", (file, backup) => copyFileSync(backup, file)],
] satisfies [string, (file: string, backup: string) => void][]) {
  test(`a database ${what} beside its WAL is rejected and changed by nobody`, async () => {
    await using stored = await databaseWithBackup();
    await using killed = await killedAfter(stored.directory, async (store) => {
      await storeRates(store, [EUR_USD]);
      // The first page is in the WAL, too.
      query(stored.directory, "PRAGMA application_id = 7");
    });
    const { path, file } = killed;
    damage(file, stored.file);
    const filesOf = (database: string) => ["", "-wal"].map((end) => readFileSync(database + end));
    const before = filesOf(file);

    for (const isServer of [true, false]) {
      assert.throws(() => openSqliteStore(path, 1000, { isServer }), StartupError);
    }
    assert.throws(() => migrateSqlite(path, 1000), StartupError);

    assert.deepEqual(filesOf(file), before);
    const { kept = "" } = restoreSqlite(path, stored.file, restoring);
    assert.deepEqual(filesOf(kept), before);
    assert.deepEqual(await planNames(path), ["pro", "free"]);
  });
}

test("a restore keeps a database with a damaged page as it is, and counts what it can read", async () => {
  await using stored = await databaseWithBackup();
  const file = join(stored.directory, "kurs.db");
  {
    await using store = openSqliteStore(stored.directory, 1000);
    await newCustomer(store, 10);
  }
  const [mails] = query(file, "SELECT rootpage FROM sqlite_schema WHERE name = 'mails'");
  const start = (Number(mails?.rootpage) - 1) * 4096;
  const damaged = readFileSync(file).fill(0xa5, start, start + 4096);
  writeFileSync(file, damaged);

  const { kept = "", forgotten } = restoreSqlite(stored.directory, stored.file, restoring);

  assert.deepEqual([forgotten?.accounts, forgotten?.keys], [1, 1]);
  assert.deepEqual(readFileSync(kept), damaged);
  assert.deepEqual(await planNames(stored.directory), ["pro", "free"]);
});

test("a database whose creation was killed, an empty file beside its journal, is created anew", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "kurs.db");
  writeFileSync(file, "");
  await writeHotJournal(`${file}-journal`);

  assert.deepEqual(await planNames(directory.path), ["free"]);
  assert.equal(existsSync(`${file}-journal`), false);
});

test("a database that cannot be opened is not left locked", async () => {
  await using stored = await databaseWithBackup();
  const file = join(stored.directory, "kurs.db");
  writeFileSync(file, "no database");
  for (const isServer of [true, false]) {
    assert.throws(() => openSqliteStore(stored.directory, 0, { isServer }), StartupError);
  }

  lockExclusive(stored.directory)[Symbol.dispose]();
});

for (const [what, make] of [
  ["a directory", (file) => mkdirSync(file)],
  ["a file with content", (file) => writeFileSync(file, "mine")],
] satisfies [string, (file: string) => void][]) {
  test(`${what} of the name kurs.lock is named as the problem, also by the doctor`, async () => {
    await using stored = await databaseWithBackup();
    const file = join(stored.directory, "kurs.lock");
    rmSync(file);
    make(file);

    const [found] = await examineSqlite(stored.directory, false, async () => []);

    const problem = /kurs\.lock is not an empty file, .+: move it away/;
    assert.match(found?.text ?? "", problem);
    assert.throws(() => openSqliteStore(stored.directory, 1000), problem);
  });
}
