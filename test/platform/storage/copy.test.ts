// A used store, PostgreSQL, and servers in processes of their own: 9 s of processor time.
import assert from "node:assert/strict";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import type { Client } from "pg";
import { administer } from "../../../harness/postgres.ts";
import { tables } from "../../../src/app/command-store.ts";
import { listColumns } from "../../../src/platform/storage/copy/tables.ts";
import { assertRejected } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { eventually } from "../../support/mails.ts";
import { connectTo, waitersFor } from "../../support/nodes.ts";
import {
  databaseOf,
  newBareDatabase,
  newPostgresDatabase,
} from "../../support/postgres-databases.ts";
import {
  type Ended,
  Program,
  type ProgramOptions,
  serve,
  temporaryDirectory,
} from "../../support/process.ts";
import { startService, TestClock } from "../../support/service.ts";
import { type Contents, contentsOfSqlite, textOf, type UsedStore, useStore } from "./used-store.ts";

async function contentsOfPostgres(url: string): Promise<Contents> {
  const contents: Record<string, readonly string[]> = {};
  await using client = await connectTo(url);
  for (const table of tables) {
    const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${table.name}`);
    contents[table.name] = rows.map((row) => textOf(row, listColumns(table))).sort();
  }
  return contents;
}

const tablesAt = (url: string) =>
  administer(url, "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()");

/** Records what the session that writes a table waits for at most within a transaction. */
const RECORD_IDLE_LIMIT = `
  CREATE TABLE seen (idle_limit text);
  CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO seen VALUES (current_setting('idle_in_transaction_session_timeout'));
    RETURN NEW; END $$;
  CREATE TRIGGER record BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION record()`;

let used: UsedStore;
const resources = new AsyncDisposableStack();

before(async () => {
  used = await useStore(resources.use(await temporaryDirectory()).path);
});
after(() => resources.disposeAsync());

/** A copy of the used store in its own directory. */
async function newSource() {
  const directory = await temporaryDirectory();
  await cp(used.dataDirectory, directory.path, { recursive: true });
  return directory;
}

const copy = (from: string, to: string, ...more: readonly string[]) =>
  kurs(["store", "copy", "--from", `sqlite:${from}`, "--to", to, ...more]);

/** Waits until a copy waits for the locks of a connection. @returns its process of PostgreSQL. */
async function waiterOf(holder: Client, copying: Promise<Ended>): Promise<number> {
  const early = copying.then(({ stderr }) => assert.fail(`it has ended: ${stderr}`));
  const [pid = 0] = await Promise.race([waitersFor(holder), early]);
  early.catch(() => undefined);
  return pid;
}

/** Holds the last table: everything else has been written when a copy waits for it. */
async function lockLastTable(holder: Client): Promise<void> {
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE jobs IN SHARE MODE");
}

suite("kurs store copy", () => {
  test("copies every row, prints the counts and sums, and a node continues there", async () => {
    await using source = await newSource();
    await using target = await newBareDatabase();
    // Source and target from the configuration; the other tests have them as options.
    const env = { DATA_DIR: source.path, DATABASE_URL: target.url };

    const { exitCode, stdout, stderr } = await kurs(["store", "copy"], { env });

    assert.deepEqual([exitCode, stderr], [0, ""]);
    const { contents } = used;
    assert.deepEqual(await contentsOfPostgres(target.url), contents);
    assert.deepEqual(contentsOfSqlite(source.path), contents);
    // The fixture must have every kind of row; otherwise the copy proves nothing.
    const filled = Object.entries(contents).filter(([, rows]) => rows.length > 0);
    const empty = ["sources"];
    assert.deepEqual(
      filled.map(([name]) => name),
      tables.map(({ name }) => name).filter((name) => !empty.includes(name)),
    );
    const lines = stdout.trimEnd().split("\n");
    assert.match(lines[0] ?? "", /^TABLE +ROWS +SUM$/);
    assert.equal(lines.at(-1), "copied and compared: counts and sums agree");
    const shown = new Map(lines.slice(1, -1).map((line) => [line.split(/ +/)[0], line]));
    for (const { name } of tables) {
      assert.match(shown.get(name) ?? "", new RegExp(`^${name} +${contents[name]?.length} +\\d+$`));
    }
    assert.match(shown.get("period_usage") ?? "", / 2 +12$/);
    assert.match(shown.get("daily_usage") ?? "", / 3 +12$/);
    assert.match(shown.get("plans") ?? "", / 2 +6000$/);

    const clock = new TestClock("2026-11-21T12:30:00.000Z");
    await using node = await startService({ clock, config: { database: databaseOf(target.url) } });
    const { session, active, revoked } = used;

    assert.equal((await node.usage(session)).used_units, 4);
    const read = await node.readRate("EUR/USD", active.apiKey);
    assert.deepEqual([read.status, read.headers.ratelimit?.includes("r=9995")], [200, true]);
    assert.equal((await node.readRate("EUR/USD", revoked.apiKey)).status, 401);
    assert.equal((await node.readRate("EUR/CHF", active.apiKey)).status, 503);
    assert.equal(await node.usedUnits(session), 6);
    for (const [password, status] of [
      ["correct horse battery", 200],
      ["wrong", 401],
    ] as const) {
      const json = { email: "ada@example.org", password };
      assert.equal((await node.post("/v1/auth/login", { json })).status, status);
    }
    const held = await kurs(["rates", "held", "--json"], { env });
    assert.match(held.stdout, /"PEPE"[^}]*"38\.87"/);
  });

  test("keeps servers that start on the source or the target waiting until it is done", async () => {
    await using source = await newSource();
    await using target = await newPostgresDatabase();
    await using other = await connectTo(target.url);
    await other.query(RECORD_IDLE_LIMIT);
    await lockLastTable(other);

    const copying = copy(source.path, target.url);
    await waiterOf(other, copying);
    await using started = new AsyncDisposableStack();
    const start = async (options: ProgramOptions, wait: string) => {
      const env = { PORT: "0", ...options.env };
      const program = started.use(new Program(["serve"], { ...options, env }));
      await program.waitFor("its wait", () => program.stdout.includes(wait) || undefined);
      assert.doesNotMatch(program.stdout, /"listening"/);
      return program;
    };
    const onTarget = { env: { DATABASE_URL: target.url } };
    const servers = [
      await start({ dataDirectory: source.path }, "waiting until"),
      await start(onTarget, "copied into"),
    ];
    const stopped = await start(onTarget, "copied into");
    stopped.signal("SIGTERM");
    assert.equal((await stopped.end()).exitCode, 0);
    await other.query("ROLLBACK");

    assert.equal((await copying).exitCode, 0);
    for (const server of servers) {
      await server.waitFor("listening", () => server.stdout.includes("listening") || undefined);
      assert.doesNotMatch(server.stdout, /"level":"(?:error|fatal)"/);
    }
    // Whatever the source's disk takes between two statements.
    const { rows } = await other.query("SELECT DISTINCT idle_limit FROM seen");
    assert.deepEqual(rows, [{ idle_limit: "0" }]);
    // The started server has its own jobs and events.
    const served = await contentsOfPostgres(target.url);
    for (const name of ["accounts", "api_keys", "daily_usage", "rates", "observations"]) {
      assert.deepEqual(served[name], used.contents[name], name);
    }
  });

  test("copies what a killed server left in the WAL, and changes no byte of the source", async () => {
    await using source = await newSource();
    await using killed = await temporaryDirectory();
    await using target = await newBareDatabase();
    {
      using database = new DatabaseSync(join(source.path, "kurs.db"));
      database.exec("UPDATE plans SET units_per_period = 77 WHERE name = 'free'");
      await cp(source.path, killed.path, { recursive: true });
    }
    const files = ["kurs.db", "kurs.db-wal"].map((name) => join(killed.path, name));
    const before = await Promise.all(files.map((file) => readFile(file)));

    const { exitCode } = await copy(killed.path, target.url);

    assert.equal(exitCode, 0);
    const { plans = [] } = await contentsOfPostgres(target.url);
    assert.ok(
      plans.some((plan) => plan.includes("77")),
      plans.join(),
    );
    assert.deepEqual(await Promise.all(files.map((file) => readFile(file))), before);
  });
});

suite("kurs store copy stores nothing", () => {
  test("while a server has the source open, whose charges it would miss", async () => {
    await using source = await newSource();
    await using target = await newBareDatabase();
    await using server = await serve({ dataDirectory: source.path });
    const read = () => server.get("/v1/rates/EUR/USD", { apiKey: used.active.apiKey });

    const ended = await copy(source.path, target.url);

    assertRejected(ended, /A server or a command has the database in .* open: stop the server/);
    assert.equal((await read()).status, 200);
    assert.deepEqual(await tablesAt(target.url), []);
  });

  test("when the target is not empty, and does not change it", async () => {
    await using source = await newSource();
    await using target = await newBareDatabase();
    await copy(source.path, target.url);
    await administer(target.url, "UPDATE period_usage SET units = units + 1");
    const before = await contentsOfPostgres(target.url);

    const ended = await copy(source.path, target.url);

    assertRejected(ended, /not empty: accounts has 2 rows\. Copy into a new one\.$/m);
    assert.deepEqual(await contentsOfPostgres(target.url), before);
  });

  test("while a node uses the target, which stays as it is", async () => {
    await using source = await newSource();
    await using target = await newPostgresDatabase();
    await using node = await startService({ config: { database: databaseOf(target.url) } });
    // The node's own first cleanup stores its time.
    const before = await eventually("cleanup", async () => {
      const contents = await contentsOfPostgres(target.url);
      return contents.trusted_time?.length === 1 ? contents : undefined;
    });

    const ended = await copy(source.path, target.url);

    assertRejected(ended, /commands use the PostgreSQL database \(from \S+\): stop them, and copy/);
    assert.deepEqual(await contentsOfPostgres(target.url), before);
    assert.equal((await node.get("/readyz")).status, 200);
  });

  const changedTargets = [
    [
      "has a plan that the source does not have",
      "INSERT INTO plans VALUES ('team', 7)",
      /copy of plans differs: 2 rows .* became 3 rows .*Nothing was stored\.$/m,
    ],
    [
      "stores other units than it is sent",
      `CREATE FUNCTION add_unit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.units = NEW.units + 1; RETURN NEW; END $$;
      CREATE TRIGGER add_unit BEFORE INSERT ON daily_usage FOR EACH ROW
        EXECUTE FUNCTION add_unit()`,
      /daily_usage differs: 3 rows with 12 units became 3 rows with 15 units\. Nothing/,
    ],
  ] as const;

  for (const [what, change, line] of changedTargets) {
    test(`when the target ${what}`, async () => {
      await using source = await newSource();
      await using target = await newPostgresDatabase();
      await administer(target.url, change);
      const before = await contentsOfPostgres(target.url);

      assertRejected(await copy(source.path, target.url), line);

      assert.deepEqual(await contentsOfPostgres(target.url), before);
    });
  }

  const ends = [
    ["killed", (program: Program) => program.signal("SIGKILL")],
    ["interrupted", (program: Program) => program.signal("SIGINT")],
    [
      "cut off from its server",
      (_program: Program, other: Client, pid: number) =>
        other.query("SELECT pg_terminate_backend($1)", [pid]),
    ],
  ] as const;

  for (const [what, end] of ends) {
    test(`when it is ${what}, and the next copy is complete`, async () => {
      await using source = await newSource();
      await using target = await newPostgresDatabase();
      await using other = await connectTo(target.url);
      const before = await contentsOfPostgres(target.url);
      await lockLastTable(other);
      const args = ["store", "copy", "--from", `sqlite:${source.path}`, "--to", target.url];
      await using program = new Program(args);
      const pid = await waiterOf(other, program.ended);

      await end(program, other, pid);
      const ended = await program.end();
      await other.query("ROLLBACK");
      await eventually("end of the connection", async () => {
        const { rows } = await other.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid]);
        return rows.length === 0 ? true : undefined;
      });

      assert.notEqual(ended.exitCode, 0);
      assert.equal(ended.stdout, "");
      assert.match(ended.stderr, what.startsWith("cut") ? /^kurs: [^\n]+\.\n$/ : /^$/);
      assert.deepEqual(await contentsOfPostgres(target.url), before);
      assert.equal((await copy(source.path, target.url)).exitCode, 0);
      assert.deepEqual(await contentsOfPostgres(target.url), used.contents);
    });
  }

  test("when the source is missing or not a database, and creates and changes no file", async () => {
    await using directory = await temporaryDirectory();
    await using target = await newBareDatabase();
    for (const path of [join(directory.path, "nowhere"), join(directory.path, "kurs.sqlite")]) {
      assertRejected(await copy(path, target.url), /There is no database at .+\.$/m);
    }
    assertRejected(await copy(directory.path, target.url), /no database at .*\/kurs\.db\.$/m);
    assert.deepEqual(await readdir(directory.path), []);
    const file = join(directory.path, "notes.txt");
    await writeFile(file, "mine");
    assertRejected(await copy(file, target.url), /the database .*notes\.txt: it is not a Kurs/);
    assert.equal(await readFile(file, "utf8"), "mine");
    assert.deepEqual(await tablesAt(target.url), []);
  });

  test("where it is used wrongly, and shows no password", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    for (const [args, line] of [
      [["--from", "./data"], /--from \.\/data: must be sqlite: and a path/],
      [["--from", "sqlite:"], /--from sqlite:: must be sqlite: and a path/],
      [["--from", "postgres://kurs:sesame-42@db/"], /--from .*must be sqlite/],
      [[], /--to or DATABASE_URL: must be an address such as postgres:/],
      [["--to", "mysql://kurs:sesame-42@localhost/kurs"], /--to .*must be an/],
      [["--to", "postgres://kurs:sesame-42@/kurs"], /--to .*must be an/],
      [["here", "there"], /error: too many arguments for 'copy'/],
    ] as const) {
      const ended = await kurs(["store", "copy", ...args], { dataDirectory });

      assert.deepEqual([ended.exitCode, ended.stdout], [2, ""], ended.stderr);
      assert.match(ended.stderr, line);
      assert.doesNotMatch(ended.stderr, /sesame| {4}at /);
    }
    assert.deepEqual(await readdir(directory.path), []);
  });
});
