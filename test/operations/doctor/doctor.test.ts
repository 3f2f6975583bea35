import assert from "node:assert/strict";
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { administer } from "../../../harness/postgres.ts";
import { readConfig } from "../../../src/app/config.ts";
import { checkDirectory } from "../../../src/operations/doctor/directory.ts";
import { examine } from "../../../src/operations/doctor/examine.ts";
import { checkClock } from "../../../src/operations/doctor/store.ts";
import { checkSources } from "../../../src/rates/findings.ts";
import { copyOf, namesIn, query, stateOf } from "../../platform/storage/stored.ts";
import { kurs } from "../../support/command-line.ts";
import { playSmtp } from "../../support/fake-smtp-server.ts";
import { newBareDatabase, newPostgresDatabase } from "../../support/postgres-databases.ts";
import { serve, temporaryDirectory } from "../../support/process.ts";

interface Finding {
  readonly level: string;
  readonly subject: string;
  readonly text: string;
}

/** Runs the doctor. @returns its exit code and a lookup of findings by level and subject. */
async function doctor(dataDirectory: string, env: Record<string, string> = {}, ...args: string[]) {
  const { exitCode, stdout, stderr } = await kurs(["doctor", "--json", ...args], {
    dataDirectory,
    env,
  });
  assert.equal(stderr, "");
  assert.doesNotMatch(stdout, /sesame/);
  const findings = JSON.parse(stdout) as Finding[];
  const text = (level: string, subject: string) =>
    findings.filter((each) => each.level === level && each.subject === subject).at(0)?.text ?? "";
  const bad = findings.filter(({ level }) => level !== "ok").map((each) => each.subject);
  return { exitCode, text, bad, stdout };
}

let used = "";
const resources = new AsyncDisposableStack();

before(async () => {
  const dataDirectory = join(resources.use(await temporaryDirectory()).path, "data");
  await using server = await serve({ dataDirectory });
  const { apiKey } = await server.newCustomer("ada@example.org");
  await server.get("/v1/rates/EUR/USD", { apiKey });
  // The data are only in the WAL, which no checkpoint has transferred.
  await server.kill();
  used = dataDirectory;
});
after(() => resources.disposeAsync());

/** A copy of a used store in a new directory. */
const usedDirectory = () => copyOf(used);

suite("kurs doctor", { concurrency: 3 }, () => {
  test("reports a directory or a database that cannot be used, in one line each, and changes none", async () => {
    await using directory = await temporaryDirectory();
    const [loop, data, file, none] = ["loop", "data", "file", "none"].map((name) =>
      join(directory.path, name),
    ) as [string, string, string, string];
    symlinkSync(loop, loop);
    mkdirSync(data);
    symlinkSync("kurs.db", join(data, "kurs.db"));
    writeFileSync(file, "mine");

    for (const [path, missing] of [
      [loop, loop],
      [data, join(data, "kurs.db")],
    ] as const) {
      const { exitCode, bad, text } = await doctor(path);
      assert.deepEqual([exitCode, bad.includes("settings")], [1, false]);
      const reason = `cannot be checked: ELOOP: too many symbolic links encountered, stat '`;
      assert.ok(text("problem", "files").startsWith(`${reason}${missing}'`));
      assert.match(text("problem", "database"), /^cannot be checked: ELOOP.+, stat '.+kurs\.db'/);
    }
    const ofFile = await doctor(file);
    assert.equal(ofFile.exitCode, 1);
    assert.equal(
      ofFile.text("problem", "files"),
      `${file} is not a directory: set DATA_DIR to one.`,
    );
    const ofNone = await doctor(none);
    assert.equal(ofNone.exitCode, 0);
    assert.match(
      ofNone.text("warning", "database"),
      /no database at \S+kurs\.db\. The first start/,
    );
    assert.deepEqual(namesIn(directory.path), ["data", "file", "loop"]);
    assert.equal(readFileSync(file, "utf8"), "mine");
  });

  test("reports ok for a healthy installation, with and without a running server, and writes nothing", async () => {
    await using directory = await usedDirectory();
    const file = join(directory.path, "kurs.db");
    const filesNow = () => [readFileSync(file), readFileSync(`${file}-wal`)];
    const before = filesNow();
    assert.ok((before[1]?.length ?? 0) > 0);
    const alone = await doctor(directory.path, {}, "--thorough");
    assert.deepEqual([alone.exitCode, alone.bad], [0, []], alone.stdout);
    assert.deepEqual(filesNow(), before);
    assert.match(alone.text("ok", "program"), /^Kurs \d\S+ on Node\.js 26\.\d+\.\d+$/);
    assert.match(alone.text("ok", "database"), /^SQLite 3\.\d+\.\d+, schema \d+$/);
    assert.match(alone.text("ok", "integrity"), /integrity_check/);
    assert.match(alone.text("ok", "units"), /^1 unit: sums/);
    assert.equal(alone.text("ok", "keys"), "exactly the API keys in force may read");

    await using server = await serve({ dataDirectory: directory.path });
    const running = await kurs(["doctor"], { dataDirectory: directory.path });
    assert.equal(running.exitCode, 0, running.stdout);
    for (const line of running.stdout.trimEnd().split("\n")) assert.match(line, /^ok {7}\w+ +\S/);
    assert.equal((await server.get("/readyz")).status, 200);
  });

  test("reports every invalid setting as a problem, and warns of those that contradict each other", async () => {
    await using directory = await temporaryDirectory();
    const invalid = { PORT: "abc", DATABASE_URL: "mysql://kurs:sesame-42@db.example.org" };
    const { exitCode, bad, stdout } = await doctor(directory.path, invalid);
    assert.deepEqual([exitCode, bad], [1, ["settings", "settings", "settings"]]);
    assert.match(stdout, /"DATABASE_URL: must be an address/);
    assert.match(stdout, /"PORT: must be a whole number/);
    for (const [env, line] of [
      [{ PUBLIC_URL: "https://rates.example.org" }, /Set TRUST_PROXY to the proxy/],
      [{ HOST: "0.0.0.0" }, /HOST 0\.0\.0\.0 is reachable from other machines/],
      [{ PUBLIC_URL: "http://rates.example.org" }, /PUBLIC_URL is http: passwords/],
    ] as const) {
      const { exitCode, text } = await doctor(directory.path, env);
      assert.equal(exitCode, 0);
      assert.match(text("warning", "settings"), line);
    }
    const well = { PUBLIC_URL: "https://rates.example.org", TRUST_PROXY: "loopback" };
    assert.equal(
      (await doctor(directory.path, well)).text("ok", "settings"),
      "the configuration is valid",
    );
  });

  test("finds a damaged or foreign database, readable files and a leftover second name", async () => {
    await using directory = await usedDirectory();
    const file = join(directory.path, "kurs.db");
    stateOf(file);
    chmodSync(directory.path, 0o755);
    chmodSync(file, 0o644);
    linkSync(file, `${file}.replaced-then`);
    const open = await doctor(directory.path);
    assert.equal(open.exitCode, 0);
    assert.match(open.text("warning", "files"), /every user .* can read kurs\.db.*: chmod 700/);
    assert.match(open.stdout, /has a second name, left by an interrupted restore/);
    chmodSync(directory.path, 0o700);

    const bytes = readFileSync(file);
    bytes.fill(0xff, 8 * 4096, 20 * 4096);
    writeFileSync(file, bytes);
    const damaged = await doctor(directory.path);
    assert.equal(damaged.exitCode, 1);
    assert.match(damaged.stdout, /"problem"[^}]*damaged/);

    writeFileSync(file, "not a database ".repeat(1000));
    const foreign = await doctor(directory.path);
    assert.equal(foreign.exitCode, 1);
    assert.match(foreign.text("problem", "database"), /not a Kurs database/);
  });

  test("finds units that do not add up, a clock that was set back, and an unknown schema", async () => {
    await using directory = await usedDirectory();
    const after = async (...statements: string[]) => {
      for (const sql of statements) query(directory.path, sql);
      return await doctor(directory.path);
    };
    const differ = /by period and by day differ in 1 place/;
    const setUnits = (change: string) => `UPDATE charged_units SET ${change} WHERE day > 0`;
    const changed = await after(
      setUnits("units = units + 1"),
      "UPDATE events SET at = '2999-01-01T00:00:00.000Z'",
    );
    assert.equal(changed.exitCode, 1);
    assert.match(changed.text("problem", "units"), differ);
    assert.match(changed.text("problem", "clock"), /2999-01-01T00:00:00\.000Z is stored/);

    const repaired = await after(setUnits("units = units - 1"));
    assert.match(repaired.text("ok", "units"), /^1 unit: .* agree/);
    const unknown = await after(setUnits("api_key = api_key + 1"));
    assert.match(unknown.text("problem", "units"), differ);
    // Now the numbers of the API keys have a gap, which contains the unknown one.
    const between = await after(
      `INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at)
      SELECT hex('another'), 'another', account_id, name, key_prefix, created_at FROM api_keys`,
      "UPDATE api_keys SET number = number + 1 WHERE id = 'another'",
    );
    assert.match(between.text("problem", "units"), differ);
    const stored = await after(setUnits("api_key = api_key + 1"));
    assert.match(stored.text("ok", "units"), /agree/);

    const newer = await after("PRAGMA user_version = 99");
    assert.equal(newer.exitCode, 1);
    assert.match(newer.text("problem", "database"), /schema 99: a newer Kurs has written it/);
  });

  test("finds grants of which more was used than granted, or than their account was charged", async () => {
    await using directory = await usedDirectory();
    query(
      directory.path,
      `INSERT INTO unit_grants (id, account_id, units, reference, granted_at)
      SELECT 'grant', id, 1, 'invoice', created_at FROM accounts`,
    );
    const used = "INSERT OR REPLACE INTO granted_usage SELECT 'grant', period, ? FROM period_usage";
    query(directory.path, used, 1);
    assert.equal((await doctor(directory.path)).exitCode, 0);

    query(directory.path, used, 2);

    const { exitCode, bad, text } = await doctor(directory.path);
    assert.deepEqual([exitCode, bad], [1, ["units"]]);
    assert.match(text("problem", "units"), /^more units were used of grants .* in 2 places: /);
  });

  test("finds with --thorough a key that is rejected or accepted against what is stored", async () => {
    await using directory = await usedDirectory();
    query(directory.path, "CREATE TABLE kept AS SELECT * FROM usable_keys");
    const wrongs = [
      "DELETE FROM usable_keys",
      `INSERT INTO usable_keys (digest, api_key, account, plan)
      SELECT randomblob(32), api_key, account, plan FROM kept`,
      "UPDATE usable_keys SET account = account + 1",
      "UPDATE usable_keys SET plan = 'large'",
      "UPDATE usable_keys SET expires_at = '2999-01-01T00:00:00.000Z'",
      "UPDATE usable_keys SET units_per_period = 1",
      "UPDATE usable_keys SET units_per_day = 1",
    ];
    for (const wrong of wrongs) {
      query(directory.path, wrong);
      const { exitCode, bad, text } = await doctor(directory.path, {}, "--thorough");
      assert.deepEqual([exitCode, bad], [1, ["keys"]], wrong);
      assert.match(
        text("problem", "keys"),
        /^(1 API key|2 API keys) may read and should not, or the reverse/,
      );
      query(directory.path, "DELETE FROM usable_keys");
      query(directory.path, "INSERT INTO usable_keys SELECT * FROM kept");
    }
    const right = await doctor(directory.path, {}, "--thorough");
    assert.deepEqual([right.exitCode, right.bad], [0, []], right.stdout);
  });

  test("tolerates clocks that differ by up to 5 s, and a day without a cleanup", () => {
    const noon = "2026-11-21T12:00:00.000Z";
    const written = "2026-11-21T11:00:00.000Z";
    for (const [level, times] of [
      ["ok", { written: "2026-11-21T12:00:05.000Z" }],
      ["problem", { written: "2026-11-21T12:00:05.001Z" }],
      ["problem", { trusted: "2026-11-21T12:00:05.001Z" }],
      ["ok", { database: "2026-11-21T12:00:05.000Z" }],
      ["ok", { database: "2026-11-21T11:59:55.000Z" }],
      ["warning", { database: "2026-11-21T12:00:05.001Z" }],
      ["warning", { database: "2026-11-21T11:59:54.999Z" }],
      ["ok", { trusted: "2026-11-20T11:00:00.000Z" }],
      ["warning", { trusted: "2026-11-20T10:59:59.999Z" }],
    ] satisfies [string, Record<string, string>][]) {
      const { database = noon, ...others }: Record<string, string> = times;
      const known = { written, trusted: undefined, databaseMs: Date.parse(database), ...others };
      assert.equal(checkClock(known, Date.parse(noon)).level, level, JSON.stringify(times));
    }
  });

  test("finds late sources, and mails that could not be delivered", async () => {
    await using directory = await usedDirectory();
    const late = async () => await doctor(directory.path, { RATE_SOURCES: "ecb,nbp" });
    const newest = `${new Date().toISOString().slice(0, -1)}000000Z`;
    query(directory.path, "UPDATE rates SET as_of = ?", newest);
    const fetched = `INSERT INTO sources (source, last_success_at, newest_as_of, next_attempt_at)
      VALUES (?, '2026-03-13T15:00:00.000Z', ?, '')`;
    query(directory.path, fetched, "nbp", newest);
    const never = await late();
    assert.equal(never.exitCode, 0);
    assert.match(never.text("warning", "sources"), /^ecb: late, or not .* See kurs rates status;/);

    query(directory.path, fetched, "ecb", "2026-03-13T15:00:00.000000000Z");
    const stale = await late();
    assert.equal(stale.exitCode, 1);
    assert.match(stale.text("problem", "sources"), /^ecb: late/);
    query(directory.path, "UPDATE sources SET newest_as_of = ?", newest);
    assert.equal((await late()).text("ok", "sources"), "ecb, nbp are fresh");

    const at = "2026-11-21T00:00:00.000Z";
    for (const [id, times] of [
      ["one", `NULL, '${at}'`],
      ["two", `'${at}', NULL`],
    ]) {
      query(
        directory.path,
        `INSERT INTO mails (id, account_id, kind, created_at, last_error, next_attempt_at, given_up_at)
        SELECT '${id}', id, 'password_changed', '${at}', 'mailbox busy', ${times} FROM accounts`,
      );
    }
    const { exitCode, stdout } = await doctor(directory.path);
    assert.equal(exitCode, 0);
    assert.match(stdout, /2 mails could not be delivered: see kurs mail list/);
  });

  test("checks the mail server without sending a mail or printing the password", async () => {
    await using directory = await temporaryDirectory();
    const account = { user: "kurs", password: "sesame-42" };
    await using smtp = await playSmtp({ account });
    const good = await doctor(directory.path, { SMTP_URL: smtp.url });
    assert.equal(good.exitCode, 0);
    assert.match(good.text("ok", "mail"), new RegExp(`^smtp://127\\.0\\.0\\.1:${smtp.port}$`));
    assert.deepEqual([smtp.attempts(), smtp.received], [0, []]);

    const wrong = await doctor(directory.path, {
      SMTP_URL: smtp.url.replace("sesame-42", "sesame"),
    });
    assert.equal(wrong.exitCode, 1);
    assert.match(wrong.text("problem", "mail"), /does not accept mail: .*wrong user or password/);
    const away = await doctor(directory.path, { SMTP_URL: "smtp://kurs:sesame-42@127.0.0.1:1" });
    assert.match(away.text("problem", "mail"), /smtp:\/\/127\.0\.0\.1:1 .*ECONNREFUSED/);

    await using plain = await playSmtp();
    const clear = await doctor(directory.path, { SMTP_URL: `smtp://0.0.0.0:${plain.port}` });
    assert.equal(clear.exitCode, 1);
    assert.match(clear.text("problem", "mail"), /does not offer TLS.*Use smtps:.*requireTLS=false/);
  });

  test("checks PostgreSQL without creating tables and reports an unreachable server", async () => {
    await using directory = await temporaryDirectory();
    await using bare = await newBareDatabase();
    await using full = await newPostgresDatabase();
    const none = await doctor(directory.path, { DATABASE_URL: bare.url });
    assert.match(none.text("warning", "database"), /no tables in the PostgreSQL database/);
    const schema = "information_schema.tables WHERE table_schema = current_schema()";
    assert.deepEqual(await administer(bare.url, `SELECT 1 FROM ${schema}`), []);

    const well = await doctor(directory.path, { DATABASE_URL: full.url });
    // Test servers may run without syncs.
    const bad = well.bad.filter((subject) => subject !== "durability");
    assert.deepEqual([well.exitCode, bad], [0, []], well.stdout);
    assert.match(
      well.text("ok", "database"),
      /^PostgreSQL \d+\S* at 127\.0\.0\.1:\d+, schema \d+$/,
    );
    assert.match(well.text("ok", "units"), /^0 units: sums/);
    const away = { DATABASE_URL: "postgres://kurs:sesame-42@127.0.0.1:1/kurs" };
    const unreachable = await doctor(directory.path, away);
    assert.equal(unreachable.exitCode, 1);
    assert.match(unreachable.text("problem", "database"), /127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});

test("a backup that is due since seconds may still be running; the one before must be verified", async () => {
  await using directory = await temporaryDirectory();
  const environment = { DATA_DIR: directory.path, BACKUP_SCHEDULE: "0 4 * * *" };
  const nowMs = Date.parse("2026-11-21T04:00:30.000Z");
  const levelOf = async (takenAt: string) => {
    const verified = { file: "kurs.db", takenAt, isChanged: false };
    const deps = {
      version: "test",
      clock: { nowMs: () => nowMs },
      readVerified: async () => verified,
      settings: () => readConfig({ known: [], onByDefault: [] }, environment),
    };
    const findings = await examine(deps, false);
    return findings.find(({ subject }) => subject === "backups")?.level;
  };

  assert.equal(await levelOf("2026-11-20T04:00:00.000Z"), "ok");
  assert.equal(await levelOf("2026-11-20T03:59:59.999Z"), "problem");
});

test("the doctor reports a nearly full disk and read-only files", () => {
  const files = { readableByOthers: [], notWritable: [], hasSecondName: false };
  const sizes = { freeBytes: 2 ** 40, freeInodes: 50, databaseBytes: 2 ** 30, logBytes: 0 };
  const access = { isWritable: true, isWritableByOthers: false };
  const facts = { path: "/data", ...access, ...sizes, ...files };
  const larger = { databaseBytes: 2 ** 40 };
  for (const [more, ...levels] of [
    [{}, "ok disk", "ok files"],
    [{ freeBytes: 2 ** 20 }, "problem disk", "ok files"],
    [{ freeBytes: 2 ** 29 }, "warning disk", "ok files"],
    [{ freeInodes: 49 }, "ok disk", "problem disk", "ok files"],
    [larger, "ok disk", "ok files"],
    [{ ...larger, freeBytes: 2 ** 40 - 1 }, "warning disk", "ok files"],
    [{ isWritable: false }, "ok disk", "problem files"],
    [{ notWritable: ["kurs.db"] }, "ok disk", "problem files"],
    [{ isWritableByOthers: true }, "ok disk", "warning files"],
  ] satisfies [object, ...string[]][]) {
    const found = checkDirectory("/data", { ...facts, ...more });
    const shown = found.map(({ level, subject }) => `${level} ${subject}`);
    assert.deepEqual(shown, levels, JSON.stringify(more));
  }
});

test("up to four missed publications are a warning, more a problem, and so is a day of failed fetches", () => {
  const status = {
    source: "ecb",
    lastSuccessAt: "2026-03-13T15:00:00.000Z",
    lastErrorAt: undefined,
    lastError: undefined,
    failures: 0,
    newestAsOf: undefined,
    nextAttemptAt: "",
    validators: undefined,
    pairs: 30,
    missedPairs: { count: 0, names: [], publications: 0 },
  };
  const level = (missedPublications: number, more: object = {}) =>
    checkSources([{ ...status, ...more, missedPublications }])[0]?.level;
  const levels = [0, 1, 4, 5].map((missed) => level(missed));
  assert.deepEqual(levels, ["ok", "warning", "warning", "problem"]);
  assert.equal(level(0, { failures: 3 }), "warning");
  const pairs = { count: 1, names: ["EUR/ISK"], publications: 5 };
  assert.equal(level(0, { missedPairs: pairs }), "problem");
  const never = { lastSuccessAt: undefined };
  assert.equal(level(99, { ...never, failures: 29 }), "warning");
  assert.equal(level(1, { ...never, failures: 30 }), "problem");
});
