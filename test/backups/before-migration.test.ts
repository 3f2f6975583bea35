import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrationsIn } from "../../src/storage/migrations.ts";
import { makeOfSchema } from "../storage/stored.ts";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";

const OLD_SCHEMA = 7;

/** A data directory whose database has an older schema and a plan `old`. */
async function olderStore() {
  const directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  mkdirSync(dataDirectory, { mode: 0o700 });
  const file = join(dataDirectory, "kurs.db");
  using database = new DatabaseSync(file);
  makeOfSchema(database, OLD_SCHEMA);
  database.exec("INSERT INTO plans VALUES ('old', 7)");
  return { ...directory, dataDirectory, file };
}

const name = new RegExp(`^kurs-before-schema-${OLD_SCHEMA}-\\S+Z\\.db$`);

function stateOf(file: string) {
  using database = new DatabaseSync(file, { readOnly: true });
  const [version] = Object.values(database.prepare("PRAGMA user_version").get() ?? {});
  const plans = database.prepare("SELECT name FROM plans ORDER BY name").all();
  return { version, plans: plans.map((plan) => plan.name) };
}

suite("the backup before a migration", { concurrency: 2 }, () => {
  for (const [what, args] of [
    ["kurs migrate", ["migrate"]],
    ["another command", ["plans", "list"]],
  ] as const) {
    test(`${what} takes one of the older schema, once`, async () => {
      await using store = await olderStore();
      const { dataDirectory } = store;
      for (const _ of [1, 2]) {
        const ended = await kurs(args, { dataDirectory });
        assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
      }
      const [backup = "", ...others] = readdirSync(join(dataDirectory, "backups"));
      assert.match(backup, name);
      assert.deepEqual(others, []);
      const old = stateOf(join(dataDirectory, "backups", backup));
      assert.deepEqual(old, { version: OLD_SCHEMA, plans: ["free", "old"] });
      assert.equal(stateOf(store.file).version, migrationsIn("sqlite").length);
    });
  }

  test("a server takes it in BACKUP_DIR, and of several that start at once one does", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const backups = join(store.path, "elsewhere");
    const env = { BACKUP_DIR: backups };
    await using started = new AsyncDisposableStack();
    const servers = await Promise.all(
      [1, 2, 3].map(async () => started.use(await serve({ dataDirectory, env }))),
    );
    for (const server of servers) assert.equal((await server.get("/readyz")).status, 200);
    assert.deepEqual(readdirSync(backups).length, 1);
    const restored = join(store.path, "restored");
    const [backup = ""] = readdirSync(backups);
    const ended = await kurs(["restore", join(backups, backup)], { dataDirectory: restored });
    assert.equal(ended.exitCode, 0, ended.stderr);
    const { version, plans } = stateOf(join(restored, "kurs.db"));
    assert.deepEqual([version, plans], [migrationsIn("sqlite").length, ["free", "old"]]);
  });

  test("when it cannot be written, nothing is migrated", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const notDirectory = join(store.path, "file");
    writeFileSync(notDirectory, "mine");
    const before = readFileSync(store.file);
    const env = { BACKUP_DIR: notDirectory };
    for (const args of [["serve"], ["migrate"], ["plans", "list"]]) {
      const ended = await kurs(args, { dataDirectory, env });
      assert.equal(ended.exitCode, 1);
      assert.match(ended.stderr, /kurs\.db was not migrated, because it could not be backed up/);
      assert.match(ended.stderr, /BACKUP_DIR sets another directory for the backup\.\n$/);
      assert.equal(stateOf(store.file).version, OLD_SCHEMA);
    }
    assert.deepEqual(readFileSync(store.file).subarray(100), before.subarray(100));
    assert.equal(readFileSync(notDirectory, "utf8"), "mine");
  });

  test("when the migration fails, it is removed again, and the next start says the same", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    {
      using database = new DatabaseSync(store.file);
      for (const sql of migrationsIn("sqlite").slice(OLD_SCHEMA)) database.exec(sql);
    }
    for (const _ of [1, 2]) {
      const ended = await kurs(["migrate"], { dataDirectory });
      assert.equal(ended.exitCode, 1);
      assert.match(ended.stderr, /^kurs: Cannot use the database \S+: .* already exists\.\n$/);
      assert.deepEqual(readdirSync(join(dataDirectory, "backups")), []);
      assert.equal(stateOf(store.file).version, OLD_SCHEMA);
    }
  });

  test("a new database needs none", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    await using server = await serve({ dataDirectory });
    await server.stop();
    assert.ok(!readdirSync(dataDirectory).includes("backups"));
  });
});
