import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, suite, test } from "node:test";
import { knownSchema } from "../../../src/platform/storage/migrations.ts";
import { lockExclusive } from "../../../src/platform/storage/sqlite/lock-file.ts";
import { migrateSqlite } from "../../../src/platform/storage/sqlite/open.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { newerVersion } from "../../support/newer-version.ts";
import { Program, kurs as runProgram, serve, temporaryDirectory } from "../../support/process.ts";

const SCHEMA = knownSchema("sqlite");

/** A copy of the program with one more migration. */
const newer = await newerVersion();
after(() => newer[Symbol.asyncDispose]());

const { kurs: kursOfNewer, main } = newer;

/** A data directory with a database of this program's schema and a plan `old`. */
async function olderStore() {
  const directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  migrateSqlite(dataDirectory, 1000);
  const file = join(dataDirectory, "kurs.db");
  using database = new DatabaseSync(file);
  database.exec("INSERT INTO plans VALUES ('old', 7)");
  return { ...directory, dataDirectory, file };
}

const name = new RegExp(`^kurs-before-schema-${SCHEMA}-\\S+Z\\.db$`);

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
        const ended = await kursOfNewer(args, { dataDirectory });
        assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
      }
      const [backup = "", ...others] = readdirSync(join(dataDirectory, "backups"));
      assert.match(backup, name);
      assert.deepEqual(others, []);
      const old = stateOf(join(dataDirectory, "backups", backup));
      assert.deepEqual(old, { version: SCHEMA, plans: ["free", "old"] });
      assert.equal(stateOf(store.file).version, SCHEMA + 1);
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
    const options = { dataDirectory, main, env: { PORT: "0", ...env } };
    const servers = [1, 2, 3].map(() => started.use(new Program(["serve"], options)));
    for (const server of servers) {
      await server.waitFor("its wait", () => server.stdout.includes("waiting until") || undefined);
    }
    migrating[Symbol.dispose]();
    for (const server of servers) {
      await server.waitFor("listening", () => server.stdout.includes("listening") || undefined);
    }
    assert.deepEqual(readdirSync(backups).length, 1);
  });

  test("a newer version verifies, migrates and restores it, and leaves the file as it is", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    assert.equal((await kursOfNewer(["migrate"], { dataDirectory })).exitCode, 0);
    const [backup = ""] = readdirSync(join(dataDirectory, "backups"));
    const file = join(dataDirectory, "backups", backup);
    const before = readFileSync(file);

    const verified = await kursOfNewer(["backup", "verify", file], { dataDirectory });
    assert.match(verified.stdout, new RegExp(`schema ${SCHEMA}: 0 accounts, .*, as recorded\n$`));
    const elsewhere = join(store.path, "restored");
    const restored = await kursOfNewer(["restore", file], { dataDirectory: elsewhere });
    assert.match(restored.stdout, new RegExp(`^restored the backup of .*, schema ${SCHEMA}, to `));
    const state = { version: SCHEMA + 1, plans: ["free", "old"] };
    assert.deepEqual(stateOf(join(elsewhere, "kurs.db")), state);
    assert.deepEqual(readFileSync(file), before);

    // The way back: this version restores it over the migrated database.
    assertRejected(await kurs(["plans", "list"], { dataDirectory }), /written by a newer Kurs/);
    assert.equal((await kurs(["restore", file], { dataDirectory })).exitCode, 0);
    assert.deepEqual(stateOf(store.file), { ...state, version: SCHEMA });
  });

  test("a newer version's doctor announces the migration, and its copy asks for it", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    const before = readFileSync(store.file);
    const doctor = await kursOfNewer(["doctor"], { dataDirectory });
    const announced = `schema ${SCHEMA}: the next start migrates it to ${SCHEMA + 1}; so does kurs`;
    assert.match(doctor.stdout, new RegExp(`^warning +database .*, ${announced}`, "m"));
    const to = "postgres://nobody@127.0.0.1:9/kurs";
    assertRejected(
      await kursOfNewer(["store", "copy", "--to", to], { dataDirectory }),
      new RegExp(`has schema ${SCHEMA}, and this program copies schema ${SCHEMA + 1}: run kurs mi`),
    );
    assert.deepEqual(readFileSync(store.file), before);
    assert.ok(!readdirSync(dataDirectory).includes("backups"));
  });

  test("a newer version neither takes it nor migrates while a server of this version serves", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    const file = join(dataDirectory, "kurs.db");
    const options = { dataDirectory, env: { PORT: "0" } };
    await using server = await serve({ dataDirectory });
    const { read } = await server.newCustomer("ada@example.org");

    for (const ended of [
      await kursOfNewer(["migrate"], options),
      await runProgram(["serve"], { ...options, main }),
    ]) {
      assert.equal(ended.exitCode, 1);
      assert.match(
        ended.stderr,
        /kurs\.db has schema \d+, this program needs \d+, and a server or/,
      );
      assert.match(ended.stderr, /stop that server, or wait for the command, and start again\.\n$/);
    }
    assert.equal(stateOf(file).version, SCHEMA);
    assert.ok(!readdirSync(dataDirectory).includes("backups"));
    assert.equal((await read()).status, 200);
    assert.equal((await server.stop()).exitCode, 0);
    assert.equal((await kursOfNewer(["migrate"], options)).stderr, "");
    assert.equal(stateOf(file).version, SCHEMA + 1);
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

    assert.equal((await kursOfNewer(["migrate"], { dataDirectory })).exitCode, 0);

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
      const ended =
        args[0] === "serve"
          ? await runProgram(args, { dataDirectory, env, main })
          : await kursOfNewer(args, { dataDirectory, env });
      assert.equal(ended.exitCode, 1);
      assert.match(ended.stderr, /kurs\.db was not migrated, because it could not be backed up/);
      assert.match(ended.stderr, /BACKUP_DIR sets another directory for the backup\.\n$/);
      assert.equal(stateOf(store.file).version, SCHEMA);
    }
    assert.deepEqual(readFileSync(store.file).subarray(100), before.subarray(100));
    assert.equal(readFileSync(notDirectory, "utf8"), "mine");
  });

  test("when the migration fails, it is removed again, and the next start says the same", async () => {
    await using store = await olderStore();
    const { dataDirectory } = store;
    {
      using database = new DatabaseSync(store.file);
      database.exec("CREATE TABLE next (text)");
    }
    for (const _ of [1, 2]) {
      const ended = await kursOfNewer(["migrate"], { dataDirectory });
      assert.equal(ended.exitCode, 1);
      assert.match(ended.stderr, /^kurs: Cannot use the database \S+: .* already exists\.\n$/);
      assert.deepEqual(readdirSync(join(dataDirectory, "backups")), []);
      assert.deepEqual(stateOf(store.file), { version: SCHEMA, plans: ["free", "old"] });
    }
  });
});
