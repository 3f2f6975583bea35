import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { Cron } from "croner";
import type { runOwnCommand } from "../../../src/platform/cli/own-command.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { eventually } from "../../support/mails.ts";
import { scrape } from "../../support/metrics.ts";
import {
  kurs as runProgram,
  type Server,
  serve,
  temporaryDirectory,
} from "../../support/process.ts";
import { startService, TestClock, type TestService } from "../../support/service.ts";

const NIGHTLY = "0 4 * * *";

const backup = /^kurs-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;

const backupsIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => backup.test(name))
    .sort();

/** Waits until a server has logged a message so many times. */
const logged = (server: Server, message: string, times = 1) =>
  server.program.waitFor(`${times} × "${message}"`, () => {
    const lines = server.logLines().filter(({ msg }) => msg === message);
    return lines.length < times ? undefined : lines;
  });

/** The age of the newest verified backup in a server's metrics. */
async function verifiedAge(server: Server): Promise<number | undefined> {
  const metricsUrl = server.logLines().find(({ msg }) => msg === "serving metrics")?.url;
  const metrics = await scrape({ metricsUrl: String(metricsUrl) });
  return metrics.value("kurs_backup_verified_age_seconds");
}

/** The id of a process that another one has started. Linux only. */
const childOf = (pid: number) => {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return child === "" ? undefined : child;
};

const TAKEN = "a backup was taken and verified";
const FAILED = "a scheduled backup failed";

type Run = typeof runOwnCommand;

const ends =
  (exitCode: number): Run =>
  async () => ({ exitCode, stdout: "{}", stderr: "no space" });

/** A command that runs until it is disposed of, with the error that ends it if there is one. */
function holding() {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run: Run = async (...how) => {
    started.resolve();
    await ended.promise;
    return ends(0)(...how);
  };
  const end = (error?: Error) => (error === undefined ? ended.resolve() : ended.reject(error));
  return { run, started: started.promise, [Symbol.dispose]: end };
}

/** A data directory with scheduled backups, for services at any time. */
async function newSchedule(pattern: string) {
  const directory = await temporaryDirectory();
  const backupSchedule = new Cron(pattern, { timezone: "UTC", paused: true });
  const commands: string[] = [];
  const start = (time: string, run = ends(0)) =>
    startService({
      dataDirectory: directory.path,
      clock: new TestClock(time),
      config: { backupSchedule, backupsKept: 7 },
      runCommand: (args, signal) => {
        commands.push(args.join(" "));
        return run(args, signal);
      },
    });
  return {
    ...directory,
    commands,
    start,
    /** Starts services, which look at the schedule at once, and stops them. @returns the commands. */
    async backupsAt(time: string, run = ends(0), count = 1): Promise<number> {
      commands.length = 0;
      const services: TestService[] = [];
      for (let index = 0; index < count; index += 1) services.push(await start(time, run));
      await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
      return commands.length;
    },
  };
}

suite("scheduled backups", { concurrency: 3 }, () => {
  test("the first start takes and verifies one, which only the owner can read", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const env = { BACKUP_SCHEDULE: NIGHTLY, METRICS_PORT: "0" };
    await using server = await serve({ dataDirectory, env });
    const customer = await server.newCustomer();
    await customer.read("EUR/USD");

    const [line] = await logged(server, TAKEN);

    const directoryOfBackups = join(dataDirectory, "backups");
    const [file = "", ...others] = backupsIn(directoryOfBackups);
    assert.deepEqual(others, []);
    const report = line?.backup as Record<string, unknown>;
    assert.deepEqual([report.file, report.problems], [join(directoryOfBackups, file), []]);
    assert.equal(statSync(directoryOfBackups).mode & 0o777, 0o700);
    assert.equal(statSync(join(directoryOfBackups, file)).mode & 0o777, 0o600);
    const verified = JSON.parse(readFileSync(join(directoryOfBackups, "verified.json"), "utf8"));
    assert.equal(verified.file, file);
    assert.ok(((await verifiedAge(server)) ?? -1) >= 0);

    // As a clock leaves it that ran ahead: the alarm must not stay silent until then.
    const record = join(directoryOfBackups, "verified.json");
    writeFileSync(record, JSON.stringify({ ...verified, taken_at: "2099-01-01T00:00:00.000Z" }));
    assert.equal(await verifiedAge(server), Infinity);
  });

  test("a backup that fails is logged, harms no read, and is no verified one in the metrics", async () => {
    await using directory = await temporaryDirectory();
    const notDirectory = join(directory.path, "file");
    writeFileSync(notDirectory, "mine");
    await using server = await serve({
      dataDirectory: join(directory.path, "data"),
      env: { BACKUP_SCHEDULE: NIGHTLY, BACKUP_DIR: join(notDirectory, "x"), METRICS_PORT: "0" },
    });

    const [line] = await logged(server, FAILED);

    assert.match(String(line?.error), /^kurs: Cannot write backups to \S+file\/x: .*another\.$/);
    assert.equal(line?.err, undefined, "a stack trace for what the operator can mend");
    const customer = await server.newCustomer();
    assert.equal((await customer.read("EUR/USD")).status, 200);
    assert.equal(readFileSync(notDirectory, "utf8"), "mine");
    assert.equal(await verifiedAge(server), Infinity);
  });

  test("a server that is stopped ends the backup that it runs", async () => {
    await using directory = await temporaryDirectory();
    const backups = join(directory.path, "backups");
    mkdirSync(backups, { mode: 0o700 });
    // As another process that verifies a backup there: the one of the server waits for it.
    using lock = new DatabaseSync(join(backups, "kurs-backups.lock"));
    lock.exec("BEGIN EXCLUSIVE");
    const env = { BACKUP_SCHEDULE: NIGHTLY, BACKUP_DIR: backups };
    await using server = await serve({ dataDirectory: join(directory.path, "data"), env });
    const backup = await eventually("a process that backs up", () => childOf(server.program.pid));

    const { exitCode } = await server.stop();

    assert.equal(exitCode, 0);
    assert.ok(!existsSync(`/proc/${backup}`), "the backup's process still runs");
    const files = readdirSync(backups).filter((name) => !name.startsWith("kurs-backups.lock"));
    assert.deepEqual(files, []);
    assert.deepEqual(
      server.logLines().filter(({ msg }) => msg === FAILED),
      [],
    );
  });

  test("one is due at its time or, if no server ran, at the next start, and again after a failure; of two servers one takes it", async () => {
    await using schedule = await newSchedule(NIGHTLY);
    /** Starts two servers, whose first look at the schedule is at once, and stops them. */
    const backupsAt = (time: string, exitCode = 0) => schedule.backupsAt(time, ends(exitCode), 2);

    assert.equal(await backupsAt("2026-11-21T12:00:00.000Z"), 1);
    assert.deepEqual(schedule.commands, ["backup --verify --keep 7 --json"]);
    assert.equal(await backupsAt("2026-11-22T03:59:59.999Z"), 0);
    assert.equal(await backupsAt("2026-11-22T04:00:00.000Z"), 1);
    assert.equal(await backupsAt("2026-11-22T04:00:01.000Z"), 0);
    assert.equal(await backupsAt("2026-11-30T11:00:00.000Z"), 1);
    assert.equal(await backupsAt("2026-12-01T04:00:00.000Z", 1), 1);
    assert.equal(await backupsAt("2026-12-01T04:14:59.999Z"), 0);
    assert.equal(await backupsAt("2026-12-01T04:15:00.000Z"), 1);
    assert.equal(await backupsAt("2026-12-01T04:16:00.000Z"), 0);
  });

  test("a server that read its clock just before another one took the backup takes none", async () => {
    await using schedule = await newSchedule("* * * * *");
    const held = holding();
    await using _first = await schedule.start("2026-11-21T23:56:00.254Z", held.run);
    using _ending = held;
    await held.started;

    const second = await schedule.start("2026-11-21T23:56:00.100Z");
    held[Symbol.dispose]();
    await second[Symbol.asyncDispose]();

    assert.equal(schedule.commands.length, 1);
  });

  test("one that a stop has ended is due at the next start", async () => {
    await using schedule = await newSchedule(NIGHTLY);
    const held = holding();
    const untilStopped: Run = (args, signal) => {
      signal.addEventListener("abort", () => held[Symbol.dispose](signal.reason));
      return held.run(args, signal);
    };
    {
      await using _service = await schedule.start("2026-11-21T12:00:00.000Z", untilStopped);
      await held.started;
    }

    assert.equal(await schedule.backupsAt("2026-11-21T12:00:00.000Z"), 1);
  });

  test("one whose server was killed is due again after an hour, and a clock that is set back delays none", async () => {
    await using schedule = await newSchedule("0 4 1 * *");
    const held = holding();
    await using _hanging = await schedule.start("2026-12-01T04:00:00.000Z", held.run);
    using _ending = held;
    await held.started;
    const { backupsAt } = schedule;

    assert.equal(await backupsAt("2026-12-01T04:59:59.999Z"), 0);
    assert.equal(await backupsAt("2026-12-01T05:00:00.000Z"), 1);
    assert.equal(await backupsAt("2026-12-31T00:00:00.000Z"), 0);
    assert.equal(await backupsAt("2026-11-01T04:00:00.000Z"), 1);
    assert.equal(await backupsAt("2026-12-01T04:00:00.000Z", ends(1)), 1);
    assert.equal(await backupsAt("2026-11-01T04:00:00.000Z"), 1);
  });
});

/** A migrated data directory, a directory of backups and the command that backs up. */
async function newBackups() {
  const directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  const backups = join(directory.path, "backups");
  await kurs(["migrate"], { dataDirectory });
  return {
    ...{ ...directory, dataDirectory, backups },
    backUp: (...args: string[]) =>
      kurs(["backup", ...args], { dataDirectory, env: { BACKUP_DIR: backups } }),
  };
}

test("--keep removes older backups and day-old leftovers of that directory, and nothing else", async () => {
  await using store = await newBackups();
  const { backups } = store;
  await store.backUp();
  const [recent = ""] = backupsIn(backups);
  const older = ["kurs-2025-01-01T04-00-00.000Z.db", "kurs-2025-01-02T04-00-00.000Z.db"];
  const others = ["kurs-before-schema-8-2025-01-01T04-00-00.000Z.db", "kurs-2025.db", "mine.txt"];
  const leftover = "kurs-2025-01-03T04-00-00.000Z.db.77.part";
  const running = "kurs-2026-11-22T04-00-00.000Z.db.78.part";
  for (const name of older) cpSync(join(backups, recent), join(backups, name));
  // Foreign files and names of a time to come are no backups: they neither count nor go.
  const foreign = ["kurs-2024-01-01T04-00-00.000Z.db", "kurs-2099-01-01T04-00-00.000Z.db"];
  for (const name of [...others, ...foreign, leftover, running]) {
    writeFileSync(join(backups, name), "mine");
  }
  mkdirSync(join(backups, "kurs-2023-01-01T04-00-00.000Z.db"));
  utimesSync(join(backups, leftover), 1_735_876_800, 1_735_876_800);

  const ended = await store.backUp(backups, "--keep", "3");

  assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
  assert.match(ended.stdout, /\nremoved 1 older backups\n$/);
  const directories = ["kurs-2023-01-01T04-00-00.000Z.db"];
  const own = backupsIn(backups).filter((name) => ![...foreign, ...directories].includes(name));
  assert.deepEqual([own.length, own.slice(0, 2)], [3, [older[1], recent]]);
  assert.deepEqual(
    readdirSync(backups).sort(),
    [...own, ...others, ...foreign, ...directories, running, "kurs-backups.lock"].sort(),
  );
});

test("backups at once in one directory take turns: all succeed, and the last one stays, verified", async () => {
  await using store = await newBackups();
  const { dataDirectory, backups } = store;
  const args = ["backup", "--verify", "--keep", "1", "--json"];
  const backUp = () => runProgram(args, { dataDirectory, env: { BACKUP_DIR: backups } });

  const all = await Promise.all([backUp(), backUp(), backUp(), backUp()]);

  for (const { exitCode, stderr } of all) {
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /^(kurs: waiting until another process has taken or verified .*\n)?$/);
  }
  const files = all.map(({ stdout }) => basename(JSON.parse(stdout).file)).sort();
  assert.deepEqual(backupsIn(backups), files.slice(-1));
  const record = JSON.parse(readFileSync(join(backups, "verified.json"), "utf8"));
  assert.equal(record.file, files.at(-1));
  assert.ok(!readdirSync(backups).includes("kurs-not-verified.db"));
});

test("a directory takes the backups of one database, and of one that is restored from them", async () => {
  await using directory = await temporaryDirectory();
  const backups = join(directory.path, "backups");
  const [own, other] = [join(directory.path, "own"), join(directory.path, "other")];
  const backUp = (dataDirectory: string) =>
    kurs(["backup", "--keep", "1"], { dataDirectory, env: { BACKUP_DIR: backups } });
  for (const dataDirectory of [own, other]) await kurs(["migrate"], { dataDirectory });
  assert.equal((await backUp(own)).exitCode, 0);
  const before = readdirSync(backups).sort();
  const [backupOfOwn = ""] = backupsIn(backups);

  const rejected = await backUp(other);

  assertRejected(rejected, /backups has the backups of another database, .*name another/);
  assert.deepEqual(readdirSync(backups).sort(), before);
  // As after a disaster: a new server has started before the restore.
  const restored = await kurs(["restore", join(backups, backupOfOwn)], { dataDirectory: other });
  assert.equal(restored.exitCode, 0, restored.stderr);
  const after = await backUp(other);
  assert.equal(after.exitCode, 0, after.stderr);
  assert.deepEqual([backupsIn(backups).length, backupsIn(backups)[0] === backupOfOwn], [1, false]);
});

test("backups that fail push out no verified one, and only the last of them stays", async () => {
  await using store = await newBackups();
  const { dataDirectory, backups, backUp: run } = store;
  const putOnPlan = (plan: string) => {
    using database = new DatabaseSync(join(dataDirectory, "kurs.db"));
    database.exec(`PRAGMA foreign_keys = OFF; INSERT OR REPLACE INTO accounts
      (id, email, password_hash, plan, created_at) VALUES ('1', 'a@b.c', '', '${plan}', '2026')`);
  };
  for (let count = 0; count < 2; count += 1) await run("--verify", "--keep", "2");
  const verified = backupsIn(backups);
  assert.equal(verified.length, 2);
  putOnPlan("lost");

  for (let count = 0; count < 2; count += 1) {
    const { exitCode, stderr } = await run("--verify", "--keep", "2");
    assert.equal(exitCode, 1);
    assert.match(stderr, /kurs-not-verified\.db is not good: .*which is not stored/);
  }

  const names = [...verified, "kurs-backups.lock", "kurs-not-verified.db", "verified.json"].sort();
  assert.deepEqual(readdirSync(backups).sort(), names);
  putOnPlan("free");
  assert.equal((await run("--verify", "--keep", "2")).exitCode, 0);
  const [older, last] = backupsIn(backups);
  assert.equal(older, verified[1]);

  // Without a verification the last verified one stays, whatever was taken since.
  for (let count = 0; count < 2; count += 1) await run("--keep", "1");
  const [kept, ...newer] = backupsIn(backups);
  assert.deepEqual([kept, newer.length], [last, 1]);
});
