import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../harness/postgres.ts";
import { readConfig } from "../../../src/app/config.ts";
import { examineStore } from "../../../src/operations/doctor/examine-store.ts";
import { ConfigError } from "../../../src/platform/shared/program/start-error.ts";
import { sourceNames } from "../../../src/rates/sources/fetching/registry.ts";
import { connectTo } from "../../support/nodes.ts";
import { databaseOf } from "../../support/postgres-databases.ts";
import { kurs, temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";

// A real server with a certificate for `localhost` from a private CA. It accepts the role
// `postgres` over TLS and on its Unix socket, and `certified` only with a client certificate.

const fileOf = (name: string) => join(import.meta.dirname, `../../support/tls/${name}.pem`);
const textOf = (name: string) => readFileSync(fileOf(name), "utf8");

const CA = `sslrootcert=${fileOf("private-ca-cert")}`;
const CLIENT = `sslcert=${fileOf("private-client-cert")}&sslkey=${fileOf("private-client-key")}`;
/** A self-signed certificate, and so a CA, of another party. */
const OTHER_CA = `sslrootcert=${fileOf("localhost-cert")}`;

const UNKNOWN_CA =
  /^Cannot reach PostgreSQL: [^\n]*not signed by a known CA; set sslrootcert[^\n]*\.$/;

const RULES = `
local all all trust
hostssl all certified all cert map=clients
hostssl all all all trust
host plain all all trust
`;

const HOW_CONNECTED = `
  SELECT s.ssl, a.client_addr IS NULL AS is_local
  FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) WHERE a.application_name = 'kurs'`;

const resources = new AsyncDisposableStack();
let server: PostgresServer;
let socketDirectory = "";
let environment: Record<string, string>;

before(async () => {
  ({ path: socketDirectory } = resources.use(await temporaryDirectory()));
  await chmod(socketDirectory, 0o777);
  server = await startPostgres({
    files: {
      "server.crt": textOf("private-server-cert"),
      "server.key": textOf("private-server-key"),
      "root.crt": textOf("private-ca-cert"),
      "pg_hba.conf": RULES,
      "pg_ident.conf": "clients postgres certified\n",
    },
    settings: { ssl: "on", ssl_ca_file: "root.crt", unix_socket_directories: socketDirectory },
  });
  resources.use(server);
  await using admin = await connectTo(overSocket());
  await admin.query("CREATE DATABASE plain");
  await admin.query("CREATE ROLE certified LOGIN SUPERUSER");
  environment = { DATA_DIR: socketDirectory };
});
after(() => resources.disposeAsync());

const overTls = (options: string, { host = "localhost", user = "postgres" } = {}) =>
  `postgres://${user}@${host}:${server.port}/postgres?${options}`;

const overSocket = () =>
  `postgres://postgres@/postgres?host=${encodeURIComponent(socketDirectory)}&port=${server.port}`;

/** Starts a service with a URL. @returns how PostgreSQL sees its connections. */
async function connectionsOf(url: string) {
  await using _service = await startService({ config: { database: databaseOf(url) } });
  await using admin = await connectTo(overSocket());
  const { rows } = await admin.query(HOW_CONNECTED);
  assert.ok(rows.length > 0);
  return {
    areEncrypted: rows.every(({ ssl }) => ssl),
    areLocal: rows.every((row) => row.is_local),
  };
}

suite("PostgreSQL over TLS", () => {
  const served: readonly (readonly [what: string, options: string, at?: object])[] = [
    ["require without a CA, whose certificate is not verified", "sslmode=require"],
    ["verify-ca at another address", `sslmode=verify-ca&${CA}`, { host: "127.0.0.1" }],
    ["verify-full by the name in the certificate", `sslmode=verify-full&${CA}`],
    ["a client certificate", `sslmode=verify-full&${CA}&${CLIENT}`, { user: "certified" }],
  ];

  for (const [what, options, at] of served) {
    test(`serves with ${what}, over encrypted connections only`, async () => {
      const seen = await connectionsOf(overTls(options, at));
      assert.deepEqual(seen, { areEncrypted: true, areLocal: false });
    });
  }

  const nothing = join(import.meta.dirname, "nothing.pem");
  const otherKey = `sslkey=${fileOf("private-server-key")}`;
  const rejected: readonly (readonly [
    what: string,
    options: string,
    sentence: RegExp,
    at?: object,
  ])[] = [
    ["a certificate of another CA", `sslmode=verify-full&${OTHER_CA}`, UNKNOWN_CA],
    ["require with another CA", `sslmode=require&${OTHER_CA}`, UNKNOWN_CA],
    ["a certificate of a CA that is not public", "sslmode=verify-full", UNKNOWN_CA],
    [
      "a host that is not in the certificate",
      `sslmode=verify-full&${CA}`,
      /^Cannot reach PostgreSQL: .*certificate .* another host.*\.$/,
      { host: "127.0.0.1" },
    ],
    [
      "a CA's file that is missing",
      `sslmode=verify-full&sslrootcert=${nothing}`,
      /Cannot use .*nothing\.pem of DATABASE_URL: no such file\.$/,
    ],
    [
      "a CA's file without a certificate",
      `sslmode=verify-full&sslrootcert=${import.meta.filename}`,
      UNKNOWN_CA,
    ],
    [
      "a client's key of another certificate",
      `sslmode=require&sslcert=${fileOf("private-client-cert")}&${otherKey}`,
      /Cannot use the TLS files of DATABASE_URL: key values mismatch\.$/,
    ],
  ];

  for (const [what, options, message, at] of rejected) {
    test(`rejects ${what} at once, in one sentence`, async () => {
      const database = databaseOf(overTls(options, at));
      const starting = startService({ config: { database } });
      await assert.rejects(starting, { name: "StartupError", message });
    });
  }

  test("the server's rejection of a client certificate of another CA is reported in one line", async () => {
    const client = `sslcert=${fileOf("localhost-cert")}&sslkey=${fileOf("localhost-key")}`;
    const url = overTls(`sslmode=verify-full&${CA}&${client}`, { user: "certified" });
    const store = { dataDirectory: "", database: databaseOf(url) };
    const [found] = await examineStore(store, false, async () => []);
    assert.match(found?.text ?? "", /^PostgreSQL cannot be used: localhost:\d+: [^\n]+$/);
  });

  test("each invalid option is reported in its own line", () => {
    for (const [options, line] of [
      ["sslmode=prefer", "sslmode must be disable, require, verify-ca or verify-full"],
      ["sslmode=verify-ca", "sslmode=verify-ca needs sslrootcert"],
      [CA, "sslrootcert needs sslmode=require, verify-ca or verify-full"],
      [`sslmode=verify-full&sslcert=${nothing}`, "sslcert and sslkey go together"],
      ["sslmode=verify-full&sslcrl=/crl.pem", "unknown option sslcrl"],
    ] as const) {
      const read = () => readConfig(sourceNames, { DATABASE_URL: overTls(options) });
      assert.throws(read, (error) => {
        assert.ok(error instanceof ConfigError);
        const [problem = "", ...others] = error.problems;
        assert.ok(problem.startsWith(`DATABASE_URL: ${line}`), problem);
        assert.deepEqual(others, []);
        return true;
      });
    }
  });

  test("a command over TLS prints no warning", async () => {
    const env = { ...environment, DATABASE_URL: overTls("sslmode=require") };
    const { exitCode, stderr } = await kurs(["migrate"], { env });
    assert.deepEqual([exitCode, stderr], [0, ""]);
  });

  test("a certificate of another CA is rejected also where Node is told to accept any", async () => {
    const url = overTls(`sslmode=verify-full&${OTHER_CA}`);
    const env = { ...environment, DATABASE_URL: url, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { exitCode, stderr } = await kurs(["migrate"], { env });
    assert.equal(exitCode, 1);
    assert.match(stderr, /not signed by a known CA/);
  });

  test("sslmode=disable connects without TLS even if the server offers it", async () => {
    const url = overTls("sslmode=disable").replace("/postgres?", "/plain?");
    assert.deepEqual(await connectionsOf(url), { areEncrypted: false, areLocal: false });
  });
});

suite("PostgreSQL on a Unix socket", () => {
  test("is reached with libpq's forms of the URL, without TLS", async () => {
    const host = encodeURIComponent(socketDirectory);
    for (const url of [
      overSocket(),
      `postgres:///postgres?host=${socketDirectory}&port=${server.port}&user=postgres&sslmode=verify-full`,
      `postgres://postgres@${host}:${server.port}/postgres`,
    ]) {
      assert.deepEqual(await connectionsOf(url), { areEncrypted: false, areLocal: true }, url);
    }
  });

  test("that does not exist is named in one sentence", async () => {
    const env = { ...environment, DATABASE_URL: "postgres:///kurs?host=/nowhere&user=kurs" };
    const { exitCode, stdout } = await kurs(["doctor"], { env });
    assert.equal(exitCode, 1);
    assert.match(stdout, /^problem {2}database +PostgreSQL cannot be used: \/nowhere: .*ENOENT/m);
  });
});
