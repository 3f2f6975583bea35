import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { knownSchema, migrationsIn } from "../../src/platform/storage/migrations.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import { assertRejected } from "../../test/support/assertions.ts";
import { eventually } from "../../test/support/mails.ts";
import { newerVersion } from "../../test/support/newer-version.ts";
import {
  type Cluster,
  connectTo,
  SHARED,
  startCluster,
  waitersFor,
} from "../../test/support/nodes.ts";
import { hostsOf } from "../../test/support/postgres-databases.ts";
import { kurs, Program } from "../../test/support/process.ts";

/** The advisory lock of migrations (src/platform/storage/postgres/migrate.ts). */
const MIGRATION_LOCK = 5_278_777;

/** The advisory lock of sessions that use the tables (src/platform/storage/postgres/schema-lock.ts). */
const LOCK_SCHEMA = "SELECT pg_advisory_lock_shared(5278778, hashtext($1))";

const NEWER = 999;
const SCHEMA = knownSchema("postgres");

const END_SESSIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'kurs' AND datname = current_database()`;

const COLUMNS = `
  SELECT table_name, column_name, data_type FROM information_schema.columns
  WHERE table_schema = 'public' ORDER BY 1, 2`;

/** All that could be changed by a start that should not have been: the schema and its versions. */
async function stateOf(cluster: Cluster) {
  const versions = await cluster.query("SELECT * FROM schema_migrations ORDER BY version");
  const plans = await cluster.query("SELECT * FROM plans ORDER BY name");
  return { versions, plans, columns: await cluster.query(COLUMNS) };
}

suite("migrations of a shared database", () => {
  let postgres: PostgresServer;
  before(async () => {
    // Clients on its socket have another address than those on 127.0.0.1.
    const settings = { ...SHARED.settings, unix_socket_directories: "." };
    postgres = await startPostgres({ settings });
  });
  after(() => postgres[Symbol.asyncDispose]());

  test("twenty concurrent starts on an empty database all serve, and one of them migrates", async () => {
    await using cluster = await startCluster(postgres);

    const nodes = await cluster.startNodes(20);

    const answers = await Promise.all(nodes.map((node) => node.get("/readyz")));
    assert.deepEqual(
      answers.map(({ status }) => status),
      nodes.map(() => 200),
    );
    const versions = await cluster.query("SELECT version FROM schema_migrations ORDER BY version");
    assert.deepEqual(
      versions.map(({ version }) => version),
      migrationsIn("postgres").map(({ version }) => version),
    );
    // One transaction wrote every rate of the snapshot.
    const [written] = await cluster.query(
      "SELECT count(*) AS rates, count(DISTINCT xmin::text) AS transactions FROM rates",
    );
    assert.equal(written?.transactions, "1");
    assert.ok(Number(written?.rates) > 100);
    assert.equal((await cluster.query("SELECT name FROM plans")).length, 1);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("a newer program's database is rejected and not changed", async () => {
    await using cluster = await startCluster(postgres);
    await migratePostgresStore(hostsOf(cluster.url));
    await cluster.query("INSERT INTO schema_migrations (version) VALUES ($1)", NEWER);
    const before = await stateOf(cluster);
    const reason = `written by a newer Kurs .*${NEWER}.* ${SCHEMA}\\): start that newer program, or`;

    for (const args of [["serve"], ["migrate"], ["rates", "list"]]) {
      assertRejected(await cluster.kurs(...args), new RegExp(reason));
    }

    assert.deepEqual(await stateOf(cluster), before);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("a start waits for a running migration and then continues", async () => {
    await using cluster = await startCluster(postgres);
    await using migrating = await connectTo(cluster.url);
    await migrating.query("BEGIN");
    await migrating.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);

    const starting = cluster.startNode();
    await waitersFor(migrating);
    assert.deepEqual(await cluster.query(COLUMNS), []);
    await migrating.query("COMMIT");
    const node = await starting;

    assert.equal((await node.get("/readyz")).status, 200);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("a newer version does not migrate under a node of this one, but once it has stopped", async () => {
    await using cluster = await startCluster(postgres);
    await using newer = await newerVersion();
    const options = { main: newer.main, env: { DATABASE_URL: cluster.url, PORT: "0" } };
    const node = await cluster.startNode();
    const { read } = await node.newCustomer("ada@example.org");
    assert.equal((await read()).status, 200);
    const before = await stateOf(cluster);
    const onSocket = (url: string) => connectTo(`${url}?host=${postgres.dataDirectory}`);
    await using otherDatabase = await onSocket(postgres.url());
    await otherDatabase.query(LOCK_SCHEMA, ["public"]);
    await using otherSchema = await onSocket(cluster.url);
    await otherSchema.query(LOCK_SCHEMA, ["elsewhere"]);

    // Neither a session of another database nor one of another schema is named.
    for (const args of [["migrate"], ["serve"]]) {
      const ended = await kurs(args, options);

      const line = `has schema ${SCHEMA}, this program needs ${SCHEMA + 1}, .*from 127.0.0.1.: stop`;
      assertRejected(ended, new RegExp(line));
      assert.deepEqual(await stateOf(cluster), before);
    }

    assert.equal((await read()).status, 200);
    // Nodes of the same version come and go.
    const other = await cluster.startNode();
    assert.equal((await other.get("/readyz")).status, 200);
    for (const each of [node, other]) await each.stop();
    for (const printed of [
      `the schema was ${SCHEMA} and is now ${SCHEMA + 1}\n`,
      `the schema is ${SCHEMA + 1}: nothing to do\n`,
    ]) {
      const { exitCode, stdout, stderr } = await kurs(["migrate"], options);
      assert.deepEqual([exitCode, stdout, stderr], [0, printed, ""]);
      assert.equal((await stateOf(cluster)).versions.at(-1)?.version, SCHEMA + 1);
    }
  });

  test("a node that reconnects after another version has migrated reads and charges nothing", async () => {
    await using cluster = await startCluster(postgres);
    const node = await cluster.startNode();
    const { read, session } = await node.newCustomer("ada@example.org");
    assert.equal((await read()).status, 200);

    await cluster.query("INSERT INTO schema_migrations (version) VALUES ($1)", NEWER);
    await cluster.query(END_SESSIONS);
    for (let tries = 0; tries < 3; tries += 1) assert.equal((await read()).status, 503);
    assert.equal((await node.get("/readyz")).status, 503);
    await node.program.waitFor("the reason", () => {
      const reason = `has schema ${NEWER}, and this program uses ${SCHEMA}: start the version of`;
      return node.program.stdout.includes(reason) || undefined;
    });
    await cluster.query("DELETE FROM schema_migrations WHERE version = $1", NEWER);

    await eventually("read", async () => ((await read()).status === 200 ? true : undefined));
    assert.equal(await node.usedUnits(session), 2);
  });

  for (const [what, statement, change, reason] of [
    [
      "another program's database",
      "CREATE TABLE accounts (title text)",
      {},
      /Cannot migrate .*"accounts" already exists/,
    ],
    [
      "a role that may not create tables",
      "CREATE ROLE guest LOGIN",
      { username: "guest" },
      /Cannot migrate .*permission denied for schema public/,
    ],
    [
      "a missing database",
      "SELECT 1",
      { pathname: "/no_such_database" },
      /Cannot reach .*127\.0\.0\.1:\d+: .*"no_such_database" does not exist/,
    ],
  ] as const) {
    test(`${what} is reported with the server's reason, and nothing is created`, async () => {
      await using cluster = await startCluster(postgres);
      await cluster.query(statement);
      const names = "SELECT datname FROM pg_database ORDER BY 1";
      const before = [await cluster.query(COLUMNS), await cluster.query(names)];
      const url = new URL(cluster.url);
      Object.assign(url, change);
      const env = { DATABASE_URL: url.href };
      await using program = new Program(["serve"], { env, dataDirectory: cluster.dataDirectory });

      assertRejected(await program.end(), reason);

      assert.deepEqual([await cluster.query(COLUMNS), await cluster.query(names)], before);
    });
  }
});
