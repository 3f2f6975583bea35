import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { copyOf, makeOfSchema, query, storeWithBackup } from "../storage/stored.ts";
import { assertRefused } from "../support/assertions.ts";
import { kurs, temporaryDirectory } from "../support/process.ts";

const stored = await storeWithBackup();

/** A directory with one good backup, of two accounts and five units. */
async function directoryOfBackups() {
  const directory = await temporaryDirectory();
  const file = join(directory.path, "kurs-2026-11-21T04-00-00.000Z.db");
  cpSync(stored.backup, file);
  return { ...directory, file };
}

const verify = (place: string, ...more: string[]) => kurs(["backup", "verify", place, ...more]);

suite("kurs backup verify", { concurrency: 3 }, () => {
  test("restores the newest backup of a directory, compares its totals and records it", async () => {
    await using backups = await directoryOfBackups();
    const older = join(backups.path, "kurs-2026-11-20T04-00-00.000Z.db");
    writeFileSync(older, "not read");
    const before = readFileSync(backups.file);

    const ended = await kurs(["backup", "verify"], { env: { BACKUP_DIR: backups.path } });

    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.match(
      ended.stdout,
      /^verified \S+2026-11-21T04-00-00\.000Z\.db of 20\S+Z, schema \d+: 1 account, 2 active keys, 5 units, as recorded\n$/,
    );
    assert.deepEqual(readFileSync(backups.file), before);
    assert.deepEqual(readdirSync(backups.path).sort(), [
      "kurs-2026-11-20T04-00-00.000Z.db",
      "kurs-2026-11-21T04-00-00.000Z.db",
      "verified.json",
    ]);
    const record = JSON.parse(readFileSync(join(backups.path, "verified.json"), "utf8"));
    assert.equal(record.taken_at, "2026-11-21T04:00:00.000Z");

    const env = { BACKUP_DIR: backups.path, BACKUP_SCHEDULE: "0 4 * * *" };
    const doctor = () => kurs(["doctor"], { dataDirectory: stored.dataDirectory, env });
    assert.match((await doctor()).stdout, / backups +the newest verified backup in \S+ is of /);
    rmSync(backups.file);
    assert.match((await doctor()).stdout, /^warning +backups +no backup in \S+ is verified yet/m);
  });

  test("prints its report as JSON, and records no file that is not named after its time", async () => {
    await using backups = await directoryOfBackups();
    const file = join(backups.path, "mine.db");
    cpSync(backups.file, file);
    const ended = await verify(file, "--json");
    const { taken_at, program, size_bytes, schema, ...report } = JSON.parse(ended.stdout);
    assert.deepEqual(report, { file, accounts: 1, active_keys: 2, units: 5, problems: [] });
    assert.ok(!existsSync(join(backups.path, "verified.json")));
  });

  test("reports totals that are not those of the backup's time", async () => {
    await using backups = await directoryOfBackups();
    query(backups.file, "DELETE FROM charged_units");
    const ended = await verify(backups.file);
    assertRefused(ended, /is not good: 5 units were recorded, and 0 are restored\.$/m);
    assert.deepEqual(readdirSync(backups.path), ["kurs-2026-11-21T04-00-00.000Z.db"]);
  });

  test("reports units that differ by period and by day, and a plan that is not stored", async () => {
    await using backups = await directoryOfBackups();
    query(backups.file, "UPDATE charged_units SET units = units + 1 WHERE day > 0");
    using database = new DatabaseSync(backups.file);
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM plans");
    const ended = await verify(backups.file);
    assertRefused(ended, /units by period and by day differ 1 times.*which is not stored/m);
  });

  test("rejects a damaged file, a file that is no backup, and a directory without one", async () => {
    await using backups = await directoryOfBackups();
    const damaged = readFileSync(backups.file);
    damaged.fill(0xff, 8192, 12_288);
    writeFileSync(backups.file, damaged);
    assertRefused(await verify(backups.path), /is damaged/);
    const text = join(backups.path, "text.db");
    writeFileSync(text, "text".repeat(5000));
    assertRefused(await verify(text), /text\.db is not a Kurs database: name a backup/);
    assertRefused(await verify(join(backups.path, "no.db")), /There is no backup at \S+no\.db/);
    await using empty = await temporaryDirectory();
    assertRefused(await verify(empty.path), /There is no backup at \S+: make one with kurs backup/);
    assert.deepEqual(readdirSync(backups.path).sort(), [
      "kurs-2026-11-21T04-00-00.000Z.db",
      "text.db",
    ]);
    assert.deepEqual(readdirSync(empty.path), []);
  });

  test("migrates a restored backup of an older schema, and leaves the file as it is", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs-2026-01-01T04-00-00.000Z.db");
    {
      using database = new DatabaseSync(file);
      makeOfSchema(database, 2);
    }
    const before = readFileSync(file);
    const ended = await verify(file);
    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.match(ended.stdout, /schema 2: 0 accounts, 0 active keys, 0 units\n$/);
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(directory.path).length, 2);
  });

  test("kurs backup --verify --keep keeps the older backups when the new one is not good", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    await using backups = await directoryOfBackups();
    query(directory.path, "UPDATE charged_units SET units = units + 1 WHERE day > 0");
    const ended = await kurs(["backup", backups.path, "--verify", "--keep", "1"], {
      dataDirectory: directory.path,
    });
    assert.equal(ended.exitCode, 1);
    assert.match(ended.stderr, /is not good: units by period and by day differ/);
    assert.equal(readdirSync(backups.path).length, 2);
    assert.ok(existsSync(backups.file));
  });
});
