import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { administer } from "../../../harness/postgres.ts";
import { openSqliteEngine } from "../../../src/platform/storage/sqlite/open.ts";
import { kurs } from "../../support/command-line.ts";
import { newPostgresDatabase } from "../../support/postgres-databases.ts";
import { openPostgresStore } from "../../support/stores.ts";
import { databaseIn, emptyStore, namesIn, query } from "./stored.ts";

const REJECTED = (schema: number) =>
  new RegExp(
    `was written by a Kurs from before its first release \\(its schema is ${schema}\\), and this ` +
      "program cannot migrate it: export what you need with that program, and set \\w+ to another",
  );

const NOWHERE = "postgres://nobody@127.0.0.1:9/kurs";

/** A data directory with a database of the schema, as of another program. */
async function storeOf(schema: number) {
  const directory = await emptyStore();
  query(directory.path, `PRAGMA user_version = ${schema}`);
  return directory;
}

suite("a store from before the first release is rejected, and stays as it is", () => {
  for (const schema of [1, 16, 19]) {
    test(`by a start and commands, on sqlite with schema ${schema}`, async () => {
      await using store = await storeOf(schema);
      const bytes = readFileSync(databaseIn(store.path));
      const message = REJECTED(schema);

      assert.throws(() => openSqliteEngine(store.path, 1000, { isServer: true }), { message });
      assert.ok(!namesIn(store.path).includes("backups"));
      for (const [command, said] of [
        ["migrate", "stderr"],
        ["plans list", "stderr"],
        ["backup", "stderr"],
        ["doctor", "stdout"],
        [`store copy --to ${NOWHERE}`, "stderr"],
      ] as const) {
        const ended = await kurs(command.split(" "), { dataDirectory: store.path });
        assert.equal(ended.exitCode, 1, command);
        assert.match(ended[said], message);
      }

      assert.deepEqual(readFileSync(databaseIn(store.path)), bytes);
    });
  }

  test("by kurs restore, as a backup; as the database that is replaced, it is kept", async () => {
    await using store = await storeOf(16);
    await using present = await emptyStore();
    const [unreleased, good] = [join(store.path, "16.db"), join(store.path, "good.db")] as const;
    copyFileSync(databaseIn(store.path), unreleased);
    copyFileSync(databaseIn(present.path), good);
    const restore = (file: string, dataDirectory = present.path) =>
      kurs(["restore", file], { dataDirectory });

    const rejected = await restore(unreleased);
    assert.deepEqual([rejected.exitCode, rejected.stdout], [1, ""]);
    assert.match(rejected.stderr, REJECTED(16));
    assert.deepEqual(readFileSync(databaseIn(present.path)), readFileSync(good));

    const replaced = await restore(good, store.path);
    assert.equal(replaced.exitCode, 0, replaced.stderr);
    assert.match(replaced.stdout, /^it cannot be read: keys revoked and passwords changed since/m);
    const [kept = "", ...others] = namesIn(store.path).filter((name) => name.includes("replaced"));
    assert.deepEqual(others, []);
    copyFileSync(join(store.path, kept), unreleased);
    assert.equal(query(unreleased, "PRAGMA user_version")[0]?.user_version, 16);
  });

  test("by a start and kurs doctor, on postgres", async () => {
    await using database = await newPostgresDatabase();
    const last = "(SELECT max(version) FROM schema_migrations)";
    await administer(database.url, `UPDATE schema_migrations SET version = 12 + version - ${last}`);
    const stateOf = async () => [
      await administer(database.url, "SELECT * FROM schema_migrations"),
      await administer(database.url, "SELECT * FROM plans"),
    ];
    const before = await stateOf();
    const settings = { connectionsMax: 3, statementTimeoutMs: 0, connectTimeoutMs: 10_000 };

    await assert.rejects(openPostgresStore(database.hosts, settings), { message: REJECTED(12) });
    const doctor = await kurs(["doctor"], { env: { DATABASE_URL: database.url } });
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, REJECTED(12));

    assert.deepEqual(await stateOf(), before);
  });
});
