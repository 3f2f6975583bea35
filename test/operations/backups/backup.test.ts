import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import { copyOf, namesIn, query, stateOf, storeWithBackup } from "../../platform/storage/stored.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { kurs as runProgram, temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";

const stored = await storeWithBackup();

suite("kurs backup", { concurrency: 3 }, () => {
  test("contains no free pages with deleted sessions", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    const file = join(directory.path, "copy.backup.db");
    const digests = query(directory.path, "SELECT token_hash FROM sessions");
    query(directory.path, "DELETE FROM sessions");
    await kurs(["backup", file], { dataDirectory: directory.path });
    const bytes = readFileSync(file, "latin1");
    assert.ok(digests.length > 0);
    for (const { token_hash } of digests) assert.ok(!bytes.includes(String(token_hash)));
  });

  test("rejects an existing file, a missing directory, and the database itself", async () => {
    await using directory = await copyOf(stored.dataDirectory);
    await using elsewhere = await temporaryDirectory();
    const dataDirectory = directory.path;
    const taken = join(dataDirectory, "taken.backup");
    writeFileSync(taken, "mine");
    const before = namesIn(dataDirectory);
    const run = (file: string, ...more: string[]) =>
      kurs(["backup", file, ...more], { dataDirectory });

    const toNothing = join(elsewhere.path, "to-nothing");
    symlinkSync(join(dataDirectory, "nowhere"), toNothing);
    const link = join(elsewhere.path, "link");
    symlinkSync(dataDirectory, link);

    assertRejected(await run(taken), /taken\.backup already exists: .* --force\.$/m);
    assertRejected(await run(toNothing), /to-nothing already exists: .* --force\.$/m);
    assertRejected(await run(join(dataDirectory, "no/where.db")), /no directory \S+: create it/);
    const own = ["kurs.db", "kurs.db-wal", "kurs.db-journal", "kurs.lock"];
    for (const file of [...own.map((name) => join(dataDirectory, name)), join(link, "kurs.db")]) {
      assertRejected(await run(file, "--force"), /is a part of the database itself/);
    }
    assertRejected(await run("/proc/x"), / \/proc\/x: its directory takes no files; name another/);
    assertRejected(
      await kurs(["backup"], { dataDirectory, env: { BACKUP_DIR: "/proc/x" } }),
      /Cannot write backups to \/proc\/x: no directory can be created there; name another/,
    );
    assertRejected(await run("/dev/null", "--force"), /\/dev\/null is not a file/);
    assert.equal(readFileSync(taken, "utf8"), "mine");
    assert.deepEqual(namesIn(dataDirectory), before);
    assert.equal(stateOf(join(dataDirectory, "kurs.db")).pairs, 20_000);
  });

  test("in the place of a store is used by no command, and restored as they say", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    mkdirSync(dataDirectory);
    copyFileSync(stored.backup, join(dataDirectory, "kurs.db"));
    const copies = [stored.backup, dataDirectory].map(
      (path) => `store copy --from sqlite:${path} --to postgres://127.0.0.1:1/no`,
    );

    for (const command of [...copies, "rates list", "migrate", "doctor", "serve"]) {
      const env = { PORT: "0" };
      const run = command === "serve" ? runProgram : kurs;
      const { exitCode, stdout, stderr } = await run(command.split(" "), { dataDirectory, env });
      assert.equal(exitCode, 1, command);
      assert.match(
        stdout + stderr,
        /\.db is a backup, in which .*: restore it into another .* kurs restore \S+\.db\)/,
      );
    }
    assert.deepEqual(readFileSync(join(dataDirectory, "kurs.db")), readFileSync(stored.backup));

    const restored = { dataDirectory: join(directory.path, "restored") };
    for (const command of [
      ["restore", join(dataDirectory, "kurs.db")],
      ["plans", "list"],
    ]) {
      assert.equal((await kurs(command, restored)).exitCode, 0);
    }
    assert.deepEqual(query(restored.dataDirectory, "SELECT * FROM sessions"), []);
  });

  test("without a database, of a damaged one, and of PostgreSQL prints what to do", async () => {
    await using empty = await temporaryDirectory();
    await using broken = await copyOf(stored.dataDirectory);
    const target = join(empty.path, "copy.db");
    const nothing = await kurs(["backup", target], { dataDirectory: join(empty.path, "none") });
    assertRejected(nothing, /There is no database at \S+; set DATA_DIR/);

    const file = join(broken.path, "kurs.db");
    stateOf(file); // checkpoints the WAL
    const bytes = readFileSync(file);
    bytes.fill(0xff, 40 * 4096, 400 * 4096);
    writeFileSync(file, bytes);
    const damaged = await kurs(["backup", target], { dataDirectory: broken.path });
    assertRejected(damaged, /kurs\.db is damaged and cannot be copied: run kurs doctor/);

    for (const command of ["backup", "restore"]) {
      const env = {
        DATABASE_URL: "postgres://kurs:sesame-42@one,two:5433/kurs?password=sesame-42",
      };
      const { exitCode, stdout, stderr } = await kurs([command, target], { env });
      assert.deepEqual([exitCode, stdout], [2, ""], stderr);
      assert.match(stderr, /pg_(dump|restore) .*--dbname='postgres:\/\/kurs@one,two:5433\/kurs'/);
      assert.doesNotMatch(stderr, / {4}at |sesame/);
    }
    assert.deepEqual(namesIn(empty.path), []);
  });
});

suite("a service on a restored backup", () => {
  test("has its keys, passwords, rates and units, and no session", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const { customer, backup } = stored;
    const { exitCode, stdout } = await kurs(["restore", backup], { dataDirectory });
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^restored the backup of \S+Z \(0\.1\.0\), schema \d+, to \S+: 1 account,/,
    );
    assert.match(stdout, /^1 session ended/m);
    // The password was hashed by a real server.
    await using service = await startService({ dataDirectory, passwords: createPasswords() });

    const old = await service.get("/v1/account/usage", { session: customer.session });
    assert.equal(old.status, 401);
    const session = await service.logIn("ada@example.org");
    assert.equal(await service.usedUnits(session), 5);
    const { status, body } = await service.readRate("X00042/USD", customer.apiKey);
    assert.deepEqual([status, body.rate], [200, "1.00042"]);
    assert.equal((await service.readRate("X00042/USD", customer.early.apiKey)).status, 401);
    assert.equal(await service.usedUnits(session), 6);
    assert.equal(statSync(join(dataDirectory, "kurs.db")).mode & 0o777, 0o600);
    assert.deepEqual(query(dataDirectory, "SELECT * FROM mail_tokens"), []);
    const notes = query(dataDirectory, "SELECT 1 FROM sqlite_schema WHERE name = 'backup_note'");
    assert.deepEqual(notes, []);
  });
});
