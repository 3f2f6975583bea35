import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { migrateSqlite } from "../../src/storage/sqlite/open.ts";
import { clientOf } from "../support/client.ts";
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

const listWithGoodOrigins = (origins: readonly string[]) =>
  ["https://good.example.org", ...origins, "http://localhost:3000"].join(" , ");

suite("invalid configurations", { concurrency: 4 }, () => {
  test("an address with a password, which /openapi.json would show, is rejected without it", async () => {
    await using directory = await temporaryDirectory();
    const env = { PUBLIC_URL: "https://kurs:sesame-42@rates.example.org" };
    const { exitCode, stdout, stderr } = await start(join(directory.path, "data"), env);
    assert.equal(exitCode, 2);
    assert.match(stderr, /PUBLIC_URL: want an address without a name or password/);
    assert.doesNotMatch(stdout + stderr, /sesame-42/);
  });

  test("every invalid variable is reported, each in its own line", async () => {
    await using directory = await temporaryDirectory();
    const ended = await start(join(directory.path, "data"), {
      PORT: "abc",
      PLAN_FREE_UNITS: "1.5",
      AUTH_LIMIT: "0",
      AUTH_WINDOW_SECONDS: "-1",
      PUBLIC_URL: "ftp://rates.example.org",
      TRUST_PROXY: "10.0.0.0/8,proxy,0.0.0.0/0",
      LOG_LEVEL: "loud",
      MAIL_FROM: "Kurs",
      REQUIRE_VERIFIED_EMAIL: "yes",
      REGISTRATION: "Closed",
      ALLOWED_ORIGINS: "https://app.example.org/",
      METRICS_PORT: "-1",
    });

    assertStartupError(ended, 2);
    const [heading, ...problems] = ended.stderr.split("\n").slice(0, -1);
    assert.match(heading ?? "", /^kurs: .*configuration/);
    const named = problems.map((line) => /^ {2}([A-Z_]+): want .+, not "(.+)"$/.exec(line));
    assert.deepEqual(named.map((match) => `${match?.[1]}=${match?.[2]}`).sort(), [
      "ALLOWED_ORIGINS=https://app.example.org/",
      "AUTH_LIMIT=0",
      "AUTH_WINDOW_SECONDS=-1",
      "LOG_LEVEL=loud",
      "MAIL_FROM=Kurs",
      "METRICS_PORT=-1",
      "PLAN_FREE_UNITS=1.5",
      "PORT=abc",
      "PUBLIC_URL=ftp://rates.example.org",
      "REGISTRATION=Closed",
      "REQUIRE_VERIFIED_EMAIL=yes",
      "TRUST_PROXY=0.0.0.0/0",
      "TRUST_PROXY=proxy",
    ]);
    assert.deepEqual(await readdir(directory.path), []);
  });

  const badPorts = ["-1", "65536", "0x50", "１２"];

  const badSmtpUrls = [
    ["of another protocol", "http://kurs:sesame-42@mail.example.org"],
    ["without a host", "smtp://"],
    ["without its slashes", "smtp:kurs:sesame-42@mail.example.org"],
    ["that is not a URL", "sesame-42"],
    ["with an invalid port", "smtp://kurs:sesame-42@mail.example.org:port"],
    ["with a slash in the password", "smtp://kurs:sesame/42@mail.example.org"],
    ["with an invalid host", "smtp://kurs:sesame-42@mail%20example.org"],
  ] as const;
  const badTlsQueries = ["requireTLS=no", "ignoreTLS=", "requireTLS=true&ignoreTLS=true"];

  const badDatabaseUrls = [
    ["of another kind", "mysql://kurs:sesame-42@db.example.org/kurs"],
    ["without a host", "postgres://kurs:sesame-42@/kurs"],
    ["without its slashes", "postgres:kurs:sesame-42@db.example.org"],
    ["that is not a URL", "sesame-42"],
    ["with an invalid port", "postgres://kurs:sesame-42@db.example.org:port/kurs"],
    ["with a slash in the password", "postgres://kurs:sesame/42@db.example.org/kurs"],
    ["with an extra comma", "postgres://kurs:sesame-42@one,,two/kurs"],
  ] as const;

  const badSenders = [
    "Kurs",
    "<>",
    "kurs@",
    "ada@example.org, eve@example.org",
    "Kurs <kurs@example.org> of Berlin",
    "Kurs <kurs@example.org",
    "kurs@example.org>",
  ];

  const badOrigins = {
    "in another form than browsers send": [
      "*",
      "null",
      "app.example.org",
      "localhost:3000",
      "//app.example.org",
      "https://app.example.org/",
      "https://app.example.org/page",
      "https://app.example.org?page",
      "https://APP.example.org",
      "https://app.example.org:443",
      "https://ada@app.example.org",
      "https://app.example.org https://b.example.org",
      "file:///home",
    ],
    "that no web page has": ["https://*.example.org", "ftp://app.example.org"],
  };

  const smtpUrls = [
    ...badSmtpUrls.map(([, url]) => url),
    ...badTlsQueries.map((query) => `smtp://mail.example.org?${query}`),
  ];

  // A start reports all variables at once, so each start has one bad value of every list. This takes
  // 10 starts of 0.4 s of processor time instead of 30.
  const badEnvironments = smtpUrls.map((smtpUrl, index): Record<string, string> => {
    const databaseUrl = badDatabaseUrls[index]?.[1];
    const sender = badSenders[index];
    const origins = Object.values(badOrigins)[index];
    return {
      PORT: badPorts[index] ?? "abc",
      SMTP_URL: smtpUrl,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(sender === undefined ? {} : { MAIL_FROM: sender }),
      ...(origins === undefined ? {} : { ALLOWED_ORIGINS: listWithGoodOrigins(origins) }),
    };
  });
  const startsOfBadEnvironments = new Map<number, Promise<readonly string[]>>();

  /** Starts a server with the environment, once for all tests. @returns the reported problems. */
  function problemsOf(index: number): Promise<readonly string[]> {
    const known = startsOfBadEnvironments.get(index);
    if (known !== undefined) return known;
    const problems = startBadEnvironment(badEnvironments[index] ?? {});
    startsOfBadEnvironments.set(index, problems);
    return problems;
  }

  async function startBadEnvironment(env: Record<string, string>): Promise<readonly string[]> {
    await using directory = await temporaryDirectory();
    const ended = await start(join(directory.path, "data"), env);

    assert.doesNotMatch(ended.stdout + ended.stderr, /sesame/);
    assertStartupError(ended, 2);
    const [, ...problems] = ended.stderr.split("\n").slice(0, -1);
    const names = new Set(problems.map((line) => line.split(": ")[0]));
    assert.deepEqual(
      [...names].sort(),
      Object.keys(env)
        .map((name) => `  ${name}`)
        .sort(),
    );
    assert.deepEqual(await readdir(directory.path), []);
    return problems;
  }

  /** The reported problems of one variable. */
  const problemsOfVariable = async (index: number, name: string) =>
    (await problemsOf(index)).filter((line) => line.startsWith(`  ${name}: `));

  for (const [index, port] of badPorts.entries()) {
    test(`port ${port} is reported as invalid`, async () => {
      const [problem, ...others] = await problemsOfVariable(index, "PORT");
      assert.ok(problem?.includes(`PORT: want a whole number from 0 to 65535, not "${port}"`));
      assert.deepEqual(others, []);
    });
  }

  for (const [index, [what]] of badSmtpUrls.entries()) {
    test(`an SMTP_URL ${what} is reported but not printed: it may contain a password`, async () => {
      const [problem, ...others] = await problemsOfVariable(index, "SMTP_URL");
      assert.match(problem ?? "", /SMTP_URL: want an address such as smtps:\/\/user:password@\S+$/);
      assert.deepEqual(others, []);
    });
  }

  test("of requireTLS and ignoreTLS in SMTP_URL only one may be set, to true", async () => {
    for (const index of badTlsQueries.keys()) {
      const [problem] = await problemsOfVariable(badSmtpUrls.length + index, "SMTP_URL");
      assert.match(problem ?? "", /SMTP_URL: want one of requireTLS and ignoreTLS, once, and true/);
    }
  });

  for (const [index, [what]] of badDatabaseUrls.entries()) {
    test(`a DATABASE_URL ${what} is reported but not printed: it may contain a password`, async () => {
      const [problem, ...others] = await problemsOfVariable(index, "DATABASE_URL");
      assert.match(problem ?? "", /DATABASE_URL: want an address such as postgres:\/\/\S+$/);
      assert.deepEqual(others, []);
    });
  }

  test("unreachable database hosts are reported in one line, each with its reason", async () => {
    await using directory = await temporaryDirectory();
    // It accepts connections and never responds.
    await using silent = createServer((socket) => socket.on("error", () => undefined).resume());
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const hosts = ["127.0.0.1:1", `127.0.0.1:${port}`, "no-such-host.invalid:5432"];
    const env = {
      DATABASE_URL: `postgres://kurs:sesame-42@${hosts.join()}/kurs`,
      // The silent host must run into it, and the others be faster.
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
      assert.match(ended.stderr, new RegExp(`127\\.0\\.0\\.1:${port}: [^;]*timeout[^;]*;`));
      assert.match(ended.stderr, /no-such-host\.invalid:5432: [^;]*(?:ENOTFOUND|EAI_AGAIN)/);
    }
    assert.deepEqual(await readdir(directory.path), []);
  });

  for (const [index, sender] of badSenders.entries()) {
    test(`MAIL_FROM ${sender} is reported as invalid`, async () => {
      const want = `  MAIL_FROM: want a sender such as Kurs <kurs@example.org>, not "${sender}"`;
      assert.deepEqual(await problemsOfVariable(index, "MAIL_FROM"), [want]);
    });
  }

  for (const [index, [what, origins]] of Object.entries(badOrigins).entries()) {
    test(`ALLOWED_ORIGINS ${what} are reported one by one, and valid ones are not`, async () => {
      assert.deepEqual(
        await problemsOfVariable(index, "ALLOWED_ORIGINS"),
        origins.map(
          (origin) =>
            `  ALLOWED_ORIGINS: want origins such as https://app.example.org, not "${origin}"`,
        ),
      );
    });
  }

  test("a data directory that is a file is rejected, and the file is not changed", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "notes.txt");
    await writeFile(file, "mine");
    for (const place of [file, join(file, "data")]) {
      assertOneLine(await start(place), /DATA_DIR .*notes\.txt.*: .*set DATA_DIR to a directory\./);
    }
    assert.equal(await readFile(file, "utf8"), "mine");
  });

  test("a database path that is a directory is rejected", async () => {
    await using directory = await temporaryDirectory();
    await mkdir(join(directory.path, "kurs.db"));
    assertOneLine(await start(directory.path), /database .*kurs\.db: it cannot be opened; check/);
  });

  const foreignFiles = [
    ["garbage", Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 251))],
    ["a short text", Buffer.from("not a database")],
  ] as const;

  for (const [what, bytes] of foreignFiles) {
    test(`${what} in place of the database is rejected and not changed`, async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "kurs.db");
      await writeFile(file, bytes);
      assertOneLine(
        await start(directory.path),
        /kurs\.db: it is not a Kurs database; move it away/,
      );
      assert.deepEqual(await readFile(file), bytes);
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

  test("a port that is in use is reported", async () => {
    await using directory = await temporaryDirectory();
    await using other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const ended = await start(directory.path, { PORT: String(port) });
    const { stdout } = ended;
    assertOneLine(
      { ...ended, stdout: "" },
      new RegExp(`127\\.0\\.0\\.1 port ${port}: another program`),
    );
    assert.doesNotMatch(stdout, /listening/);
  });

  test("a metrics port that is in use, or that is the service's own port, is reported", async () => {
    await using directory = await temporaryDirectory();
    await using other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const metricsPort = String(port);

    const ended = await start(directory.path, { METRICS_PORT: metricsPort });

    const { stdout } = ended;
    const advice = "another program uses it; end that program, or set METRICS_PORT to";
    const line = new RegExp(`Cannot listen on 127\\.0\\.0\\.1 port ${port}: ${advice}`);
    assertOneLine({ ...ended, stdout: "" }, line);
    assert.doesNotMatch(stdout, /"listening"/);

    const same = await start(directory.path, { PORT: metricsPort, METRICS_PORT: metricsPort });
    assertStartupError(same, 2);
    assert.ok(same.stderr.includes(`METRICS_PORT: want another port than PORT, which is ${port}`));
  });

  // 192.0.2.0/24 is reserved for documentation (RFC 5737): no machine has such an address.
  for (const host of ["192.0.2.1", "no-such-host.invalid"]) {
    test(`host ${host}, which is not this machine, is reported`, async () => {
      await using directory = await temporaryDirectory();
      const ended = await start(directory.path, { HOST: host });
      const { stdout } = ended;
      assertOneLine({ ...ended, stdout: "" }, /Cannot listen on .* port 0: .*set HOST to /);
      assert.doesNotMatch(stdout, /listening/);
    });
  }

  test("an address of another machine in METRICS_HOST is reported with that variable's name", async () => {
    await using directory = await temporaryDirectory();
    const env = { METRICS_HOST: "192.0.2.1", METRICS_PORT: "0" };
    const ended = await start(directory.path, env);
    const line = /Cannot listen on 192\.0\.2\.1 port 0: .*set METRICS_HOST to one of its own/;
    assertOneLine({ ...ended, stdout: "" }, line);
    assert.doesNotMatch(ended.stdout, /listening/);
  });

  test("every command rejects a data directory that cannot be created, at once", async () => {
    const env = { PORT: "0" };
    const run = (command: string) => kurs([command], { dataDirectory: "/proc/nope", env });
    for (const ended of await Promise.all(["serve", "migrate"].map(run))) {
      assertOneLine(ended, /^kurs: Cannot use the DATA_DIR \/proc\/nope: /);
    }
  });

  test("a command rejects an unusable database like the server", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, "kurs.db"), "not a database");
    const ended = await kurs(["rates", "list"], { dataDirectory: directory.path });
    assertOneLine(ended, /kurs\.db: it is not a Kurs database; move it away/);
  });
});
