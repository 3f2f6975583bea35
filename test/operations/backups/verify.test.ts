import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { pino } from "pino";
import { readVerifiedMs } from "../../../src/operations/metrics/backup-state.ts";
import { copyOf, query, storeWithBackup } from "../../platform/storage/stored.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { Program, temporaryDirectory } from "../../support/process.ts";

const stored = await storeWithBackup();

/** A directory with one good backup, of two accounts and five units. */
async function directoryOfBackups() {
  const directory = await temporaryDirectory();
  const file = join(directory.path, "kurs-2026-11-21T04-00-00.000Z.db");
  cpSync(stored.backup, file);
  return { ...directory, file };
}

/** Runs statements on a backup, also against its foreign keys. */
function change(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
}

/** The bytes of a backup with a page of other ones. */
const damagedBytes = (file: string) => readFileSync(file).fill(0xff, 8192, 12_288);

const namesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => !name.startsWith("kurs-backups.lock"))
    .sort();

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
    assert.deepEqual(namesIn(backups.path), [
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

  test("waits for a backup in the directory, and then checks the one that is the newest", async () => {
    await using backups = await directoryOfBackups();
    const newer = join(backups.path, "kurs-2026-11-22T04-00-00.000Z.db");
    using lock = new DatabaseSync(join(backups.path, "kurs-backups.lock"));
    lock.exec("BEGIN EXCLUSIVE");
    await using program = new Program(["backup", "verify", backups.path]);
    await program.waitFor("its waiting", () =>
      program.stderr.includes("kurs: waiting until another process has taken") ? true : undefined,
    );
    assert.deepEqual(namesIn(backups.path), [basename(backups.file)]);
    renameSync(backups.file, newer);
    lock.exec("ROLLBACK");

    const { exitCode, stdout, stderr } = await program.end();

    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^verified \S+2026-11-22T04-00-00\.000Z\.db of /);
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

  for (const [what, sql, line] of [
    [
      "totals that are not those of the backup's time",
      "DELETE FROM charged_units",
      /is not good: 5 units recorded, and 0 restored\.$/m,
    ],
    [
      "units that differ by period and by day, and a plan that is not stored",
      "UPDATE charged_units SET units = units + 1 WHERE day > 0; DELETE FROM plans",
      /units by period and by day differ in 1 place.*which is not stored/m,
    ],
    [
      "a time that is later than now",
      "UPDATE backup_note SET taken_at = '2099-01-01T00:00:00.000Z'",
      /taken at 2099-\S+, and it is 20\S+ here: check this machine's clock\.$/m,
    ],
  ] as const) {
    test(`reports ${what}`, async () => {
      await using backups = await directoryOfBackups();
      change(backups.file, sql);
      assertRejected(await verify(backups.file), line);
      assert.deepEqual(namesIn(backups.path), ["kurs-2026-11-21T04-00-00.000Z.db"]);
    });
  }

  test("does not take a time that a clock ahead has left in the store for the backup's", async () => {
    await using backups = await directoryOfBackups();
    change(backups.file, "UPDATE accounts SET created_at = '2099-01-01T00:00:00.000Z'");
    assert.equal((await verify(backups.file)).exitCode, 0);
  });

  test("rejects a damaged file, a file that is no backup, and a directory without one", async () => {
    await using backups = await directoryOfBackups();
    await using empty = await temporaryDirectory();
    writeFileSync(backups.file, damagedBytes(backups.file));
    const text = join(backups.path, "text.db");
    writeFileSync(text, "text".repeat(5000));
    for (const [place, line] of [
      [backups.path, /is damaged/],
      [text, /text\.db is not a Kurs database: name a backup/],
      [join(backups.path, "no.db"), /There is no backup at \S+no\.db/],
      [empty.path, /There is no backup at \S+: make one with kurs backup/],
    ] as const) {
      assertRejected(await verify(place), line);
    }
    assert.deepEqual(namesIn(backups.path), ["kurs-2026-11-21T04-00-00.000Z.db", "text.db"]);
    assert.deepEqual(readdirSync(empty.path), []);
  });

  test("a directory in the place of the record does not make a good backup a rejected one", async () => {
    await using backups = await directoryOfBackups();
    mkdirSync(join(backups.path, "verified.json", "notes"), { recursive: true });

    const { exitCode, stderr } = await verify(backups.file);

    assert.deepEqual([exitCode, stderr], [0, ""]);
    const record = JSON.parse(readFileSync(join(backups.path, "verified.json"), "utf8"));
    assert.equal(record.file, basename(backups.file));
    assert.ok(!existsSync(join(backups.path, "kurs-not-verified.db")));
  });

  test("a verified backup that changes, or says a time to come, is a problem to doctor and metrics, as is its record", async () => {
    await using backups = await directoryOfBackups();
    const record = join(backups.path, "verified.json");
    const env = { BACKUP_DIR: backups.path, BACKUP_SCHEDULE: "0 4 1 1 *" };
    assert.equal((await verify(backups.file)).exitCode, 0);
    const settings = { backupDirectory: backups.path, backupSchedule: {} };
    const readTime = () => readVerifiedMs(settings, pino({ level: "silent" }));
    const findings = async () => {
      const { dataDirectory } = stored;
      const { exitCode, stdout, stderr } = await kurs(["doctor"], { dataDirectory, env });
      assert.equal(stderr, "");
      return `${exitCode} ${/^.* backups .*$/m.exec(stdout)?.[0]}`;
    };
    assert.match(await findings(), /^. ok +backups +the newest verified backup/);
    assert.equal(await readTime(), Date.parse("2026-11-21T04:00:00.000Z"));

    // As a disk may: other bytes, with the size and the time of before.
    const { atime, mtime } = statSync(backups.file);
    const bytes = readFileSync(backups.file);
    writeFileSync(backups.file, damagedBytes(backups.file));
    utimesSync(backups.file, atime, mtime);
    assert.match(await findings(), /^1 problem +backups +\S+ in \S+ has changed since it was /);
    utimesSync(backups.file, atime, new Date());
    assert.equal(await readTime(), -Infinity);

    writeFileSync(backups.file, bytes);
    const future = "kurs-2099-01-01T00-00-00.000Z.db";
    cpSync(backups.file, join(backups.path, future));
    assert.equal((await verify(join(backups.path, future))).exitCode, 0);
    assert.match(await findings(), /^1 problem .*of 2099-01.*: check this machine's clock$/);

    writeFileSync(record, "");
    assert.match(await findings(), /^1 problem .*verified\.json cannot be read \(.*backup verify/);
    assert.equal(await readTime(), -Infinity);
    rmSync(record);
    mkdirSync(record);
    assert.match(await findings(), /^1 problem .*verified\.json cannot be read \(EISDIR/);
  });

  test("a failed backup takes away the trust in the last verified one if that has changed", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    await using backups = await directoryOfBackups();
    assert.equal((await verify(backups.file)).exitCode, 0);
    query(directory.path, "UPDATE charged_units SET units = units + 1 WHERE day > 0");
    const args = ["backup", backups.path, "--verify"];
    const failed = () => kurs(args, { dataDirectory: directory.path });
    assert.equal((await failed()).exitCode, 1);
    assert.ok(existsSync(join(backups.path, "verified.json")));

    const { atime, mtime } = statSync(backups.file);
    writeFileSync(backups.file, damagedBytes(backups.file));
    utimesSync(backups.file, atime, mtime);
    assert.equal((await failed()).exitCode, 1);

    assert.deepEqual(namesIn(backups.path), [
      "kurs-2026-11-21T04-00-00.000Z.db",
      "kurs-not-verified.db",
    ]);
  });
});
