import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrateSqlite } from "../../../src/platform/storage/sqlite/open.ts";
import { ROOT } from "../../architecture/tree.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { kurs as runProgram, temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";

// Attacks by other users of the machine, and root in their directories.

const isRoot = process.getuid?.() === 0;
const ANOTHER = 65_534;

/** By default SQLite and Node.js create files that every user can read. */
process.umask(0o022);

/** An empty directory of another user; unless this is root, of a user without rights. */
async function anothersDirectory() {
  const directory = await temporaryDirectory();
  if (isRoot) chownSync(directory.path, ANOTHER, ANOTHER);
  else chmodSync(directory.path, 0o555);
  return directory;
}

/** Every file below a directory. */
function filesIn(path: string) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, stats: lstatSync(join(parentPath, name)) }));
}

/** Asserts that there are files, and that only this user can access them. */
function assertPrivate(path: string): void {
  const owner = process.getuid?.();
  const files = filesIn(path);
  assert.ok(files.length > 0);
  for (const { name, stats } of files) {
    assert.deepEqual([name, stats.mode & 0o777, stats.uid], [name, 0o600, owner]);
  }
}

suite("names that lead to another user's files", { concurrency: 3 }, () => {
  for (const name of ["kurs.lock", "kurs.db"]) {
    test(`a ${name} that is a symbolic link discloses, creates and changes no file`, async () => {
      await using directory = await temporaryDirectory();
      await using elsewhere = await temporaryDirectory();
      const [target, missing] = [join(elsewhere.path, "secret"), join(elsewhere.path, "missing")];
      writeFileSync(target, "", { mode: 0o600 });
      const before = statSync(target);
      for (const [index, place] of [target, missing].entries()) {
        const dataDirectory = join(directory.path, String(index));
        mkdirSync(dataDirectory);
        symlinkSync(place, join(dataDirectory, name));

        const ended = await kurs(["migrate"], { dataDirectory });

        assertRejected(ended, new RegExp(`${name} is a symbolic link: remove it, or set DATA_DIR`));
      }
      const { uid, gid, mode, size, mtimeMs } = statSync(target);
      assert.deepEqual(
        [uid, gid, mode, size, mtimeMs],
        [before.uid, before.gid, before.mode, before.size, before.mtimeMs],
      );
      assert.equal(existsSync(missing), false);
    });
  }

  test("a mail or data directory that links to another user's directory is rejected", async () => {
    await using directory = await temporaryDirectory();
    await using elsewhere = await anothersDirectory();
    for (const name of ["mail", "data"]) symlinkSync(elsewhere.path, join(directory.path, name));
    const belongs = `\\S+ belongs to user ${ANOTHER}`;

    const args = ["mail", "test", "ada@example.org"];
    const mailed = await kurs(args, { dataDirectory: directory.path });
    const migrated = await kurs(["migrate"], { dataDirectory: join(directory.path, "data") });

    const reason = isRoot ? belongs : "EACCES";
    assertRejected(mailed, new RegExp(`^kurs: not sent to ada@example\\.org: ${reason}`));
    const denied = "permission is denied; run this as the";
    assertRejected(migrated, new RegExp(`^kurs: .*${isRoot ? belongs : denied}`));
    assert.deepEqual(readdirSync(elsewhere.path), []);
  });
});

test("root's commands in another user's directory end with one sentence and change no file", {
  skip: !isRoot,
}, async () => {
  await using directory = await temporaryDirectory();
  await using place = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  const backup = join(place.path, "backup.db");
  migrateSqlite(dataDirectory, 1000);
  assert.equal((await kurs(["backup", backup], { dataDirectory })).stderr, "");
  for (const name of [".", ...readdirSync(dataDirectory)]) {
    chownSync(join(dataDirectory, name), ANOTHER, ANOTHER);
  }
  const before = filesIn(directory.path);

  for (const args of [
    ["serve"],
    ["migrate"],
    ["plans", "set", "pro", "5"],
    ["backup", join(place.path, "next.db")],
    ["restore", backup],
    ["store", "copy", "--to", "postgres://localhost/kurs"],
  ]) {
    const ended = await (args[0] === "serve" ? runProgram : kurs)(args, { dataDirectory });

    const line = `^kurs: \\S+ belongs to user ${ANOTHER}, .*: run this as that user \\(sudo -u '#${ANOTHER}'`;
    assertRejected(ended, new RegExp(line));
  }

  assert.deepEqual(filesIn(directory.path), before);
  assert.deepEqual(readdirSync(place.path), ["backup.db"]);
  // A directory that is missing would belong to root below another user's.
  const below = join(dataDirectory, "new", "data");
  assertRejected(await kurs(["migrate"], { dataDirectory: below }), /belongs to user/);
  assert.equal(existsSync(join(dataDirectory, "new")), false);
});

test("root does not open another user's database in a directory of its own", {
  skip: !isRoot,
}, async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  migrateSqlite(dataDirectory, 1000);
  chownSync(join(dataDirectory, "kurs.db"), ANOTHER, ANOTHER);
  const before = filesIn(dataDirectory);

  for (const args of [["migrate"], ["plans", "set", "pro", "5"]]) {
    const ended = await kurs(args, { dataDirectory });

    assertRejected(ended, new RegExp(`^kurs: \\S+/kurs\\.db belongs to user ${ANOTHER}, `));
  }

  assert.deepEqual(filesIn(dataDirectory), before);
});

test("the doctor reports files that the directory's user may not write, also to root", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  migrateSqlite(dataDirectory, 1000);
  if (isRoot) chownSync(dataDirectory, ANOTHER, ANOTHER);
  else chmodSync(join(dataDirectory, "kurs.db"), 0o400);
  chmodSync(dataDirectory, 0o777);

  const { exitCode, stdout } = await kurs(["doctor"], { dataDirectory });

  assert.equal(exitCode, 1);
  assert.match(stdout, /^problem +files +the server's user may not write to kurs\.db: chown/m);
  assert.match(
    stdout,
    /^warning +files +every user of this machine may write to \/\S+: chmod 700/m,
  );
  if (isRoot) assert.match(stdout, /^problem +database +\S+ belongs to user \d+, .*sudo -u/m);
});

test("in a directory that every user may enter, only the user of a server can access its files", async () => {
  await using directory = await temporaryDirectory();
  chmodSync(directory.path, 0o755);
  await using service = await startService({ dataDirectory: directory.path });
  await service.openSession();

  const names = filesIn(directory.path).map(({ name }) => name);
  for (const name of ["kurs.db", "kurs.db-wal", "kurs.db-shm", "kurs.lock"]) {
    assert.ok(names.includes(name), name);
  }
  assertPrivate(directory.path);
});

test("the next start makes database files private that every user may read", async () => {
  await using directory = await temporaryDirectory();
  const names = ["kurs.db", "kurs.lock", "kurs.db-wal", "kurs.db-shm"];
  const files = names.map((name) => join(directory.path, name));
  migrateSqlite(directory.path, 1000);
  // As long as it is open, its WAL exists. SQLite itself corrects the mode of an empty one.
  using database = new DatabaseSync(join(directory.path, "kurs.db"));
  database.exec("UPDATE plans SET units_per_period = 77");
  for (const file of files) chmodSync(file, 0o644);
  migrateSqlite(directory.path, 1000);
  assertPrivate(directory.path);

  // Access for a group alone is a deliberate choice.
  for (const file of files) chmodSync(file, 0o640);
  migrateSqlite(directory.path, 1000);
  for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o640);
});

suite("compiled code", { concurrency: 3 }, () => {
  const CACHE = "node_modules/.kurs-compiled";

  /** A separate installation that shares everything with this one except the command's file. */
  async function installation() {
    const directory = await temporaryDirectory();
    mkdirSync(join(directory.path, "node_modules"));
    mkdirSync(join(directory.path, "tmp"));
    cpSync(join(ROOT, "bin"), join(directory.path, "bin"), { recursive: true });
    for (const name of ["src", "scripts", "package.json"]) {
      symlinkSync(join(ROOT, name), join(directory.path, name));
    }
    return directory;
  }

  function run(place: string): void {
    const command = [join(place, "bin/kurs.js"), "--version"];
    const env = { TMPDIR: join(place, "tmp") };
    const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.deepEqual(readdirSync(join(place, "tmp")), []);
  }

  test("is cached in the installation for its user alone, and not in a shared directory", async () => {
    await using place = await installation();
    run(place.path);
    const cache = join(place.path, CACHE);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
    assert.ok(filesIn(cache).length > 0);
  });

  test("is neither cached nor loaded where another user may write", async () => {
    await using elsewhere = await temporaryDirectory();
    const obstacles: readonly ((cache: string) => void)[] = [
      (cache) => {
        mkdirSync(cache);
        chmodSync(cache, 0o777);
      },
      (cache) => symlinkSync(elsewhere.path, cache),
      (cache) => {
        if (!isRoot) return writeFileSync(cache, "");
        mkdirSync(cache, { mode: 0o755 });
        chownSync(cache, ANOTHER, ANOTHER);
      },
    ];
    for (const prepare of obstacles) {
      await using place = await installation();
      const cache = join(place.path, CACHE);
      prepare(cache);
      run(place.path);
      if (statSync(cache).isDirectory()) assert.deepEqual(readdirSync(cache), []);
    }
    assert.deepEqual(readdirSync(elsewhere.path), []);
  });
});
