import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrationsIn } from "../../src/storage/migrations.ts";
import { lockExclusive } from "../../src/storage/sqlite/lock-file.ts";
import { makeOfSchema } from "../storage/stored.ts";
import { kurs } from "../support/command-line.ts";
import { newerVersion } from "../support/newer-version.ts";
import { Program, kurs as runProgram, serve, temporaryDirectory } from "../support/process.ts";

const OLD_SCHEMA = 7;
const KNOWN_SCHEMA = migrationsIn("sqlite").length;

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
      assert.equal(stateOf(store.file).version, KNOWN_SCHEMA);
    });
  }

  test("a server takes it in BACKUP_DIR; of several that start meanwhile, one does and all serve", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const backups = join(store.path, "elsewhere");
    const env = { BACKUP_DIR: backups };
    await using started = new AsyncDisposableStack();
    // As long as another process migrates, all wait.
    const migrating = lockExclusive(dataDirectory);
    const servers = [1, 2, 3].map(() =>
      started.use(new Program(["serve"], { dataDirectory, env: { PORT: "0", ...env } })),
    );
    for (const server of servers) {
      await server.waitFor("its wait", () => server.stdout.includes("waiting until") || undefined);
    }
    migrating[Symbol.dispose]();
    for (const server of servers) {
      await server.waitFor("listening", () => server.stdout.includes("listening") || undefined);
    }
    assert.deepEqual(readdirSync(backups).length, 1);
    const restored = join(store.path, "restored");
    const [backup = ""] = readdirSync(backups);
    const ended = await kurs(["restore", join(backups, backup)], { dataDirectory: restored });
    assert.equal(ended.exitCode, 0, ended.stderr);
    const { version, plans } = stateOf(join(restored, "kurs.db"));
    assert.deepEqual([version, plans], [KNOWN_SCHEMA, ["free", "old"]]);
  });

  test("a newer version neither takes it nor migrates while a server of this version serves", async () => {
    await using directory = await temporaryDirectory();
    await using newer = await newerVersion();
    const dataDirectory = directory.path;
    const file = join(dataDirectory, "kurs.db");
    const options = { dataDirectory, main: newer.main, env: { PORT: "0" } };
    await using server = await serve({ dataDirectory });
    const { read } = await server.newCustomer("ada@example.org");

    const commands = [["migrate"], ["serve"]];
    const all = await Promise.all(commands.map((args) => runProgram(args, options)));

    for (const ended of all) {
      assert.equal(ended.exitCode, 1);
      assert.match(
        ended.stderr,
        /kurs\.db has schema \d+, this program needs \d+, and a server or/,
      );
      assert.match(ended.stderr, /stop that server, or wait for the command, and start again\.\n$/);
    }
    assert.equal(stateOf(file).version, KNOWN_SCHEMA);
    assert.ok(!readdirSync(dataDirectory).includes("backups"));
    assert.equal((await read()).status, 200);
    assert.equal((await server.stop()).exitCode, 0);
    assert.equal((await runProgram(["migrate"], options)).stderr, "");
    assert.equal(stateOf(file).version, KNOWN_SCHEMA + 1);
  });

  test("removes what a killed one has left, and no other file", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const backups = join(dataDirectory, "backups");
    mkdirSync(backups);
    const time = "2026-11-21T04-00-00.000Z";
    const left = [`kurs-before-schema-6-${time}.db.77.part`];
    left.push(`${left[0]}-journal`);
    const others = [`kurs-${time}.db.78.part`, `kurs-before-schema-5-${time}.db`, "mine.part"];
    for (const each of [...left, ...others]) writeFileSync(join(backups, each), "");

    assert.equal((await kurs(["migrate"], { dataDirectory })).exitCode, 0);

    const names = readdirSync(backups);
    assert.deepEqual(names.filter((each) => !name.test(each)).sort(), others.toSorted());
    assert.equal(names.length, others.length + 1);
  });

  test("when it cannot be written, nothing is migrated", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const notDirectory = join(store.path, "file");
    writeFileSync(notDirectory, "mine");
    const before = readFileSync(store.file);
    const env = { BACKUP_DIR: notDirectory };
    for (const args of [["serve"], ["migrate"], ["plans", "list"]]) {
      const run = args[0] === "serve" ? runProgram : kurs;
      const ended = await run(args, { dataDirectory, env });
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
    assert.equal((await kurs(["migrate"], { dataDirectory })).exitCode, 0);
    assert.ok(!readdirSync(dataDirectory).includes("backups"));
  });
});
