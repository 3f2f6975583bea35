import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { migrateSqlite } from "../../src/storage/sqlite/open.ts";
import { ROOT } from "../architecture/tree.ts";
import { assertRefused } from "../support/assertions.ts";
import { kurs, temporaryDirectory } from "../support/process.ts";
import { startService } from "../support/service.ts";

// Attacks by other users of the machine. As root, the data directories belong to `nobody`, like
// those of a service; otherwise they belong to this user, and the same must hold.

const isRoot = process.getuid?.() === 0;
const OWNER = isRoot ? 65_534 : Number(process.getuid?.());

/** By default SQLite and Node.js create files that every user can read. */
process.umask(0o022);

/** A directory of the owner that every user may enter. */
async function ownersDirectory() {
  const directory = await temporaryDirectory();
  chmodSync(directory.path, 0o755);
  chownSync(directory.path, OWNER, OWNER);
  return directory;
}

/** Every file below a directory. */
function filesIn(path: string) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, stats: lstatSync(join(parentPath, name)) }));
}

/** Asserts that there are files, and that only the owner can access them. */
function assertPrivate(path: string, owner = OWNER): void {
  const files = filesIn(path);
  assert.ok(files.length > 0);
  for (const { name, stats } of files) {
    assert.deepEqual([name, stats.mode & 0o777, stats.uid], [name, 0o600, owner]);
  }
}

suite("in another user's data directory", { concurrency: 3 }, () => {
  for (const name of ["kurs.lock", "kurs.db"]) {
    test(`a ${name} that is a symbolic link discloses, creates and changes no file`, async () => {
      await using directory = await ownersDirectory();
      await using elsewhere = await temporaryDirectory();
      const [target, missing] = [join(elsewhere.path, "secret"), join(elsewhere.path, "missing")];
      writeFileSync(target, "", { mode: 0o600 });
      const before = statSync(target);
      for (const [index, place] of [target, missing].entries()) {
        const dataDirectory = join(directory.path, String(index));
        mkdirSync(dataDirectory);
        chownSync(dataDirectory, OWNER, OWNER);
        symlinkSync(place, join(dataDirectory, name));

        const ended = await kurs(["migrate"], { dataDirectory });

        assertRefused(ended, new RegExp(`${name} is a symbolic link: remove it, or set DATA_DIR`));
      }
      const { uid, gid, mode, size, mtimeMs } = statSync(target);
      assert.deepEqual(
        [uid, gid, mode, size, mtimeMs],
        [before.uid, before.gid, before.mode, before.size, before.mtimeMs],
      );
      assert.equal(existsSync(missing), false);
    });
  }

  test("root's commands create files that only the directory's owner can access", async () => {
    await using directory = await ownersDirectory();
    const dataDirectory = join(directory.path, "new", "data");
    for (const args of [
      ["migrate"],
      ["plans", "set", "pro", "5"],
      ["mail", "test", "ada@example.org"],
      ["backup", dataDirectory],
    ]) {
      const { exitCode, stderr } = await kurs(args, { dataDirectory });
      assert.deepEqual([exitCode, stderr], [0, ""]);
    }
    assertPrivate(directory.path);
    for (const path of [dataDirectory, join(dataDirectory, "mail")]) {
      const { uid, mode } = statSync(path);
      assert.deepEqual([uid, mode & 0o777], [OWNER, 0o700]);
    }
  });

  test("a backup into root's directory belongs to root, and the restored database to the owner", async () => {
    await using directory = await ownersDirectory();
    await using backups = await temporaryDirectory();
    const dataDirectory = directory.path;
    migrateSqlite(dataDirectory, 1000);
    const backup = join(backups.path, "one.db");

    assert.equal((await kurs(["backup", backup], { dataDirectory })).stderr, "");
    assertPrivate(backups.path, process.getuid?.());
    assert.equal((await kurs(["restore", backup], { dataDirectory })).stderr, "");

    assertPrivate(dataDirectory);
    assert.ok(filesIn(dataDirectory).some(({ name }) => name.includes("replaced")));
  });

  test("a mail directory that links to another user's directory is rejected", async () => {
    await using directory = await ownersDirectory();
    await using elsewhere = await temporaryDirectory();
    chmodSync(elsewhere.path, isRoot ? 0o755 : 0o555);
    symlinkSync(elsewhere.path, join(directory.path, "mail"));
    if (isRoot) lchownSync(join(directory.path, "mail"), OWNER, OWNER);
    const address = "ada@example.org";

    const ended = await kurs(["mail", "test", address], { dataDirectory: directory.path });

    assertRefused(ended, /^kurs: not sent to ada@example\.org: EACCES/);
    assert.deepEqual(readdirSync(elsewhere.path), []);
  });

  test("a data directory that links to another user's directory is rejected", async () => {
    await using directory = await ownersDirectory();
    await using elsewhere = await temporaryDirectory();
    chmodSync(elsewhere.path, isRoot ? 0o755 : 0o555);
    const dataDirectory = join(directory.path, "data");
    symlinkSync(elsewhere.path, dataDirectory);
    if (isRoot) lchownSync(dataDirectory, OWNER, OWNER);

    const ended = await kurs(["migrate"], { dataDirectory });

    assertRefused(ended, /^kurs: Cannot use the DATA_DIR .*: permission is denied/);
    assert.deepEqual(readdirSync(elsewhere.path), []);
  });

  test("a data directory that its owner cannot enter is rejected, and nothing is created", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    mkdirSync(dataDirectory, { mode: isRoot ? 0o700 : 0o000 });
    chownSync(dataDirectory, OWNER, OWNER);

    const ended = await kurs(["migrate"], { dataDirectory });

    assertRefused(ended, isRoot ? /which cannot enter it: give that user the right/ : /denied/);
    chmodSync(dataDirectory, 0o700);
    assert.deepEqual(readdirSync(dataDirectory), []);
  });
});

test("the doctor reports files that the directory's user may not write, also to root", async () => {
  await using directory = await ownersDirectory();
  const dataDirectory = directory.path;
  migrateSqlite(dataDirectory, 1000);
  const file = join(dataDirectory, "kurs.db");
  if (isRoot) chownSync(file, 0, 0);
  else chmodSync(file, 0o400);
  chmodSync(dataDirectory, 0o777);

  const { exitCode, stdout } = await kurs(["doctor"], { dataDirectory });

  assert.equal(exitCode, 1);
  assert.match(stdout, /^problem +files +the server's user may not write to kurs\.db: chown/m);
  assert.match(
    stdout,
    /^warning +files +every user of this machine may write to \/\S+: chmod 700/m,
  );
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
  assertPrivate(directory.path, process.getuid?.());
});

test("the next start makes database files private that every user may read", async () => {
  await using directory = await temporaryDirectory();
  const files = ["kurs.db", "kurs.lock"].map((name) => join(directory.path, name));
  migrateSqlite(directory.path, 1000);
  for (const file of files) chmodSync(file, 0o644);
  migrateSqlite(directory.path, 1000);
  assertPrivate(directory.path, process.getuid?.());

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
        chownSync(cache, OWNER, OWNER);
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
