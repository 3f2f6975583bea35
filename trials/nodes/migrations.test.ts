import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { knownSchema, migrationsIn } from "../../src/storage/migrations.ts";
import { migratePostgresStore } from "../../src/storage/postgres/open.ts";
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

/** The advisory lock of migrations (src/storage/postgres/migrate.ts). */
const MIGRATION_LOCK = 5_278_777;

/** The advisory lock of sessions that use the tables (src/storage/postgres/schema-lock.ts). */
const LOCK_SCHEMA = "SELECT pg_advisory_lock_shared(5278778, hashtext($1))";

const NEWER = 999;
const SCHEMA = knownSchema("postgres");

const TABLES = `
  SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
  ORDER BY table_name`;

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

  test("kurs migrate migrates an empty database, and a second run changes nothing", async () => {
    await using cluster = await startCluster(postgres);

    const first = await cluster.kurs("migrate");
    const state = await stateOf(cluster);
    const second = await cluster.kurs("migrate");

    assert.deepEqual([first.exitCode, first.stderr], [0, ""]);
    assert.equal(first.stdout, `the schema was 0 and is now ${SCHEMA}\n`);
    assert.deepEqual([second.exitCode, second.stderr], [0, ""]);
    assert.equal(second.stdout, `the schema is ${SCHEMA}: nothing to do\n`);
    assert.deepEqual(await stateOf(cluster), state);
    // It only creates the schema: rates and accounts come from a server.
    assert.deepEqual(await cluster.query("SELECT base FROM rates"), []);
    assert.deepEqual(cluster.complaints(), []);
  });

  for (const args of [["serve"], ["migrate"], ["rates", "list"]]) {
    test(`kurs ${args.join(" ")} rejects a newer program's database and does not change it`, async () => {
      await using cluster = await startCluster(postgres);
      await migratePostgresStore(hostsOf(cluster.url));
      await cluster.query("INSERT INTO schema_migrations (version) VALUES ($1)", NEWER);
      const before = await stateOf(cluster);

      const ended = await cluster.kurs(...args);

      assertRejected(
        ended,
        new RegExp(
          `written by a newer Kurs .*${NEWER}.* ${SCHEMA}\\): start that newer program, or`,
        ),
      );
      assert.deepEqual(await stateOf(cluster), before);
      assert.deepEqual(cluster.complaints(), []);
    });
  }

  test("a start waits for a running migration and then continues", async () => {
    await using cluster = await startCluster(postgres);
    await using migrating = await connectTo(cluster.url);
    await migrating.query("BEGIN");
    await migrating.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);

    const starting = cluster.startNode();
    await waitersFor(migrating);
    assert.deepEqual(await cluster.query(TABLES), []);
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
    assert.equal((await kurs(["migrate"], options)).exitCode, 0);
    assert.equal((await stateOf(cluster)).versions.at(-1)?.version, SCHEMA + 1);
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

  test("a start rejects another program's database and writes nothing into it", async () => {
    await using cluster = await startCluster(postgres);
    await cluster.query("CREATE TABLE accounts (title text)");
    const before = await cluster.query(COLUMNS);

    assertRejected(await cluster.kurs("serve"), /Cannot migrate .*"accounts" already exists/);

    assert.deepEqual(await cluster.query(COLUMNS), before);
  });

  test("a role that may not create tables gets the server's reason", async () => {
    await using cluster = await startCluster(postgres);
    await cluster.query("CREATE ROLE guest LOGIN");
    const url = new URL(cluster.url);
    url.username = "guest";
    await using program = new Program(["migrate"], { env: { DATABASE_URL: url.href } });

    assertRejected(await program.end(), /Cannot migrate .*permission denied for schema public/);

    assert.deepEqual(await cluster.query(TABLES), []);
  });

  test("a missing database is reported by its name and not created", async () => {
    await using cluster = await startCluster(postgres);
    const { port } = cluster.postgres;
    const names = () => administer(postgres.url(), "SELECT datname FROM pg_database ORDER BY 1");
    const before = await names();
    const env = { DATABASE_URL: cluster.postgres.url("no_such_database") };
    await using program = new Program(["serve"], { env, dataDirectory: cluster.dataDirectory });

    assertRejected(
      await program.end(10_000),
      new RegExp(`Cannot reach .*127\\.0\\.0\\.1:${port}: .*"no_such_database" does not exist`),
    );

    assert.deepEqual(await names(), before);
  });
});
