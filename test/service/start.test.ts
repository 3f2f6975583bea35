import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrateSqlite } from "../../src/platform/storage/sqlite/open.ts";
import { clientOf } from "../support/client.ts";
import { kurs as kursHere } from "../support/command-line.ts";
import { listen } from "../support/other-server.ts";
import { type Ended, kurs, Program, serve, temporaryDirectory } from "../support/process.ts";

/** Asserts a startup error: nothing on stdout, no stack trace, and no signal. */
function assertStartupError({ exitCode, signal, stdout, stderr }: Ended, code: number): void {
  assert.equal(signal, null);
  assert.equal(exitCode, code, stderr);
  assert.equal(stdout, "");
  assert.doesNotMatch(stderr, / {4}at /);
}

/** Asserts one line with the problem and its remedy. */
function assertOneLine(ended: Ended, line: RegExp): void {
  assertStartupError(ended, 1);
  assert.equal(ended.stderr.split("\n").length, 2, ended.stderr);
  assert.match(ended.stderr, line);
  assert.match(ended.stderr, /^kurs: .+[:;] .+\.\n$/);
}

const start = (dataDirectory: string, env: Record<string, string> = {}) =>
  kurs(["serve"], { dataDirectory, env: { PORT: "0", ...env } });

/** AuthenticationOk and ReadyForQuery of PostgreSQL's protocol. */
const LOGIN_ACCEPTED = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");

suite("invalid configurations", { concurrency: 4 }, () => {
  // Every invalid value: test/platform/cli/invalid-settings.test.ts.
  test("every invalid variable is reported, each in its own line, and no password is", async () => {
    await using directory = await temporaryDirectory();
    const shown = {
      PORT: "abc",
      PLAN_FREE_UNITS: "1.5",
      AUTH_LIMIT: "0",
      AUTH_WINDOW_SECONDS: "-1",
      PUBLIC_URL: "ftp://rates.example.org",
      LOG_LEVEL: "loud",
      MAIL_FROM: "Kurs",
      REQUIRE_VERIFIED_EMAIL: "yes",
      REGISTRATION: "Closed",
      ALLOWED_ORIGINS: "https://app.example.org/",
      METRICS_PORT: "-1",
    };
    const ended = await start(join(directory.path, "data"), {
      ...shown,
      TRUST_PROXY: "10.0.0.0/8,proxy,0.0.0.0/0",
      SMTP_URL: "smtp:kurs:sesame-42@mail.example.org",
      DATABASE_URL: "postgres:kurs:sesame-42@db.example.org",
    });

    assertStartupError(ended, 2);
    assert.doesNotMatch(ended.stderr, /sesame/);
    const [heading, ...lines] = ended.stderr.split("\n").slice(0, -1);
    assert.match(heading ?? "", /^kurs: .*configuration/);
    const isSecret = (line: string) => /^ {2}(?:SMTP|DATABASE)_URL: must be an address/.test(line);
    assert.equal(lines.filter(isSecret).length, 2);
    const problems = lines.filter((line) => !isSecret(line));
    const named = problems.map((line) => /^ {2}([A-Z_]+): must be .+, not "([^"]+)"/.exec(line));
    const expected = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
    expected.push("TRUST_PROXY=0.0.0.0/0", "TRUST_PROXY=proxy");
    assert.deepEqual(named.map((match) => `${match?.[1]}=${match?.[2]}`).sort(), expected.sort());
    assert.deepEqual(await readdir(directory.path), []);
  });

  test("unreachable database hosts are reported in one line, each with its reason", async () => {
    await using directory = await temporaryDirectory();
    // It accepts connections and never responds.
    const silent = createServer((socket) => socket.on("error", () => undefined).resume());
    await using listening = await listen(silent);
    // It accepts the log-in, and never responds to a statement: a pooler whose server is away.
    const mute = createServer((socket) => {
      socket.on("error", () => undefined).once("data", () => socket.write(LOGIN_ACCEPTED));
    });
    await using alsoListening = await listen(mute);
    const silentPorts = [listening.port, alsoListening.port];
    const silentHosts = silentPorts.map((port) => `127.0.0.1:${port}`);
    const hosts = ["127.0.0.1:1", ...silentHosts, "no-such-host.invalid:5432"];
    const env = {
      DATABASE_URL: `postgres://kurs:sesame-42@${hosts.join()}/kurs`,
      // The silent hosts must run into it, and the others be faster.
      KURS_TEST_PATIENCE_MS: "10000",
    };
    const dataDirectory = join(directory.path, "data");
    const run = async (...args: readonly string[]) => {
      await using program = new Program(args, { dataDirectory, env: { PORT: "0", ...env } });
      return await program.end();
    };

    for (const ended of await Promise.all([run("serve"), run("plans", "list")])) {
      assert.doesNotMatch(ended.stderr, /sesame/);
      assertOneLine(ended, /^kurs: Cannot reach PostgreSQL: /);
      assert.match(ended.stderr, /127\.0\.0\.1:1: [^;]*ECONNREFUSED[^;]*;/);
      for (const port of silentPorts) {
        assert.match(ended.stderr, new RegExp(`127\\.0\\.0\\.1:${port}: [^;]*timeout[^;]*;`));
      }
      assert.match(ended.stderr, /no-such-host\.invalid:5432: [^;]*(?:ENOTFOUND|EAI_AGAIN)/);
    }
    assert.deepEqual(await readdir(directory.path), []);
  });

  test("a data directory that is a file is rejected, and the file is not changed", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "notes.txt");
    await writeFile(file, "mine");
    for (const place of [file, join(file, "data")]) {
      assertOneLine(await start(place), /DATA_DIR .*notes\.txt.*: .*set DATA_DIR to a directory\./);
    }
    assert.equal(await readFile(file, "utf8"), "mine");
  });

  const foreign = /kurs\.db: it is not a Kurs database; move it away/;
  const unusable = [
    ["a directory", undefined, /database .*kurs\.db: it cannot be opened; check/],
    [
      "garbage",
      Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 251)),
      foreign,
    ],
    ["a short text", Buffer.from("not a database"), foreign],
  ] as const;

  for (const [what, bytes, line] of unusable) {
    test(`${what} in place of the database is rejected by server and commands, and stays`, async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "kurs.db");
      await (bytes === undefined ? mkdir(file) : writeFile(file, bytes));
      assertOneLine(await start(directory.path), line);
      assertOneLine(await kursHere(["rates", "list"], { dataDirectory: directory.path }), line);
      if (bytes !== undefined) assert.deepEqual(await readFile(file), bytes);
    });
  }

  test("another program's database is rejected, and nothing is written into it", async () => {
    await using directory = await temporaryDirectory();
    using database = new DatabaseSync(join(directory.path, "kurs.db"));
    database.exec("CREATE TABLE plans (title TEXT); INSERT INTO plans VALUES ('holidays')");

    assertOneLine(await start(directory.path), /kurs\.db/);

    const tables = database.prepare("SELECT name FROM sqlite_schema").all();
    assert.deepEqual(
      tables.map(({ name }) => name),
      ["plans"],
    );
  });

  test("a newer program's database is rejected and not changed", async () => {
    await using directory = await temporaryDirectory();
    migrateSqlite(directory.path, 1000);
    using database = new DatabaseSync(join(directory.path, "kurs.db"));
    database.exec("PRAGMA user_version = 999");

    assertOneLine(await start(directory.path), /written by a newer Kurs .*999.*: start that newer/);

    assert.equal(database.prepare("PRAGMA user_version").get()?.user_version, 999);
    assert.equal(database.prepare("SELECT count(*) AS count FROM plans").get()?.count, 1);
  });

  test("a truncated database is rejected, or its reads return 503, without a crash", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    await using whole = await serve({ dataDirectory });
    const { apiKey } = await whole
      .openSession("ada@example.org")
      .then((session) => whole.createKey(session));
    await whole.stop();
    const file = join(dataDirectory, "kurs.db");
    const { size } = await stat(file);
    await truncate(file, size / 2);

    await using program = new Program(["serve"], { dataDirectory, env: { PORT: "0" } });
    const url = await Promise.race([
      program.ended.then(() => undefined),
      program
        .waitFor("its address", () => /listens on (\S+)/.exec(program.stderr)?.[1])
        .catch(() => undefined),
    ]);
    if (url === undefined) {
      assertOneLine(
        await program.end(),
        /kurs\.db: it is damaged; restore a backup, or move it away/,
      );
      return;
    }
    const answer = await clientOf(url).get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(answer.status, 503);
    assert.equal(answer.body.code, "temporarily_unavailable");
    program.signal("SIGTERM");
    assert.equal((await program.end()).exitCode, 0);
  });

  test("an address that cannot be listened on is reported with the variable that sets it", async () => {
    await using directory = await temporaryDirectory();
    await using other = await listen(createServer());
    const port = String(other.port);
    const taken = `Cannot listen on 127\\.0\\.0\\.1 port ${port}: another program uses it; end that`;
    for (const [env, line] of [
      [{ PORT: port }, `${taken} program, or set PORT to`],
      [{ METRICS_PORT: port }, `${taken} program, or set METRICS_PORT to`],
      // 192.0.2.0/24 is reserved for documentation (RFC 5737): no machine has such an address.
      [{ HOST: "192.0.2.1" }, "Cannot listen on .* port 0: .*set HOST to "],
      [{ HOST: "no-such-host.invalid" }, "Cannot listen on .* port 0: .*set HOST to "],
      [
        { METRICS_HOST: "192.0.2.1", METRICS_PORT: "0" },
        "Cannot listen on 192\\.0\\.2\\.1 port 0: .*set METRICS_HOST to one of its own",
      ],
    ] as const) {
      const ended = await start(directory.path, env);
      assertOneLine({ ...ended, stdout: "" }, new RegExp(line));
      assert.doesNotMatch(ended.stdout, /"listening"/);
    }
  });

  test("every command rejects a data directory that cannot be created, at once", async () => {
    const env = { PORT: "0" };
    const run = (command: string) => kurs([command], { dataDirectory: "/proc/nope", env });
    for (const ended of await Promise.all(["serve", "migrate"].map(run))) {
      assertOneLine(ended, /^kurs: Cannot use the DATA_DIR \/proc\/nope: /);
    }
  });
});
