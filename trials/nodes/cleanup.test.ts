import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { migratePostgresStore } from "../../src/storage/postgres/open.ts";
import {
  ecbDay,
  FETCHED,
  logged,
  playPublisher,
  sourceAt,
} from "../../test/support/fake-publisher.ts";
import { playSmtp } from "../../test/support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../test/support/mails.ts";
import { type Cluster, nth, SHARED, startCluster } from "../../test/support/nodes.ts";
import { databaseOf, hostsOf, newPostgresDatabase } from "../../test/support/postgres-databases.ts";
import type { Server } from "../../test/support/process.ts";
import { startService, TestClock } from "../../test/support/service.ts";

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** An account with one of each kind of expiring row, all with the same expiry. */
async function addEnding(cluster: Cluster, name: string, endsAt: string): Promise<void> {
  await cluster.query(
    "INSERT INTO accounts VALUES ($1, $1 || '@example.org', 'hash', 'free', $2, $2)",
    name,
    daysFromNow(-100),
  );
  await cluster.query(
    `INSERT INTO sessions (token_hash, id, account_id, created_at, expires_at, address)
     VALUES ($1, $1, $1, $2, $2, '192.0.2.1')`,
    name,
    endsAt,
  );
  await cluster.query("INSERT INTO auth_windows VALUES ($1, 1, $2)", name, endsAt);
  await cluster.query("INSERT INTO mail_tokens VALUES ($1, 'verification', $1, $2)", name, endsAt);
}

/** A mail that was delivered or, depending on `how`, given up. */
async function addEndedMail(cluster: Cluster, id: string, at: string, how = "delivered_at") {
  await cluster.query(
    `INSERT INTO mails (id, account_id, kind, created_at, attempts, ${how})
     VALUES ($1, 'over', 'verification', $2, 1, $2)`,
    id,
    at,
  );
}

/** The rows of `addEnding` and `addEndedMail` that still exist, as `table name`. */
async function leftOf(cluster: Cluster): Promise<string[]> {
  const rows = await cluster.query(`
    SELECT 'sessions ' || token_hash AS name FROM sessions
    UNION ALL SELECT 'auth_windows ' || scope FROM auth_windows
    UNION ALL SELECT 'mail_tokens ' || token_hash FROM mail_tokens
    UNION ALL SELECT 'mails ' || id FROM mails ORDER BY 1`);
  return rows.map(({ name }) => String(name));
}

suite("nodes of one database", () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres(SHARED);
  });
  after(async () => {
    await (await limiting)?.cluster[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  /** Two nodes with a limit of six calls, for the tests that need no others. */
  let limiting: Promise<{ cluster: Cluster; nodes: Server[] }> | undefined;
  const startLimiting = async () => {
    const cluster = await startCluster(postgres);
    return { cluster, nodes: await cluster.startNodes(2, { AUTH_LIMIT: "6" }) };
  };
  const withoutWindows = async () => {
    limiting ??= startLimiting();
    const { cluster, nodes } = await limiting;
    await cluster.query("DELETE FROM auth_windows");
    return { cluster, nodes };
  };

  test("the auth limiter counts the calls of all nodes in one window", async () => {
    const { cluster, nodes } = await withoutWindows();
    const logIn = (index: number, email = "ada@example.org") =>
      nth(nodes, index).call("POST", "/v1/auth/login", {
        json: { email, password: "correct horse battery" },
      });

    const answers = [];
    for (let index = 0; index < 8; index += 1) answers.push((await logIn(index)).status);

    assert.deepEqual(answers, [401, 401, 401, 401, 401, 401, 429, 429]);
    assert.equal((await logIn(0, "eve@example.org")).status, 401);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("admit at most the limit of calls that arrive at all nodes at the same time", async () => {
    const { cluster, nodes } = await withoutWindows();
    const json = { email: "ada@example.org" };

    // A call has up to two statements at once, and with a slow database a node rejects the 17th
    // with 503: 8 calls on each of the 2 nodes are served however busy the machine is.
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        nth(nodes, index).call("POST", "/v1/auth/password-reset", { json }),
      ),
    );

    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(6).fill(202), ...Array(10).fill(429)]);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("admit calls under the limit while windows end", async () => {
    await using cluster = await startCluster(postgres);
    const env = { AUTH_LIMIT: "1000000", AUTH_WINDOW_SECONDS: "1" };
    const nodes = await cluster.startNodes(2, env);
    const endMs = performance.now() + 5000;
    const statuses = new Set<number>();

    const callOn = async (caller: number) => {
      const { call } = nth(nodes, caller);
      for (let index = caller; performance.now() < endMs; index += 1) {
        const json = { email: `reader-${index % 5}@example.org` };
        statuses.add((await call("POST", "/v1/auth/password-reset", { json })).status);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, caller) => callOn(caller)));

    // On a busy machine a statement that waits for others may take over a second: its call gets 503.
    const isTooSlow = (line: string) => line.includes("due to statement timeout");
    assert.deepEqual(
      cluster.complaints().filter((line) => !isTooSlow(line)),
      [],
    );
    statuses.delete(503);
    assert.deepEqual([...statuses], [202]);
  });

  test("deliver each mail once", async () => {
    await using cluster = await startCluster(postgres);
    await using smtp = await playSmtp();
    const nodes = await cluster.startNodes(2, { SMTP_URL: smtp.url });
    const emails = Array.from({ length: 12 }, (_, index) => `reader-${index}@example.org`);

    await Promise.all(emails.map((email, index) => nth(nodes, index).register(email)));
    const waiting = "SELECT count(*) AS mails FROM mails WHERE delivered_at IS NULL";
    await eventually("outbox without a mail", async () =>
      (await cluster.query(waiting))[0]?.mails === "0" ? true : undefined,
    );
    // Every mail that was due with them has been tried by the time that one more has arrived.
    await nth(nodes, 0).register("witness@example.org");
    await eventually("mail", () => smtp.received.find(({ to }) => to[0]?.startsWith("witness")));

    const receivers = smtp.received.map(({ to }) => to.join());
    assert.deepEqual(receivers.sort(), [...emails, "witness@example.org"].sort());
    assert.equal(smtp.attempts(), receivers.length);
    const [received] = smtp.received;
    assert.ok(received !== undefined);
    const json = { token: tokenOf(received.mail) };
    const answer = await nth(nodes, 1).call("POST", "/v1/auth/verification", {
      json,
    });
    assert.equal(answer.status, 204);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("let one of them remove expired rows, once per interval", async () => {
    await using cluster = await startCluster(postgres);
    await migratePostgresStore(hostsOf(cluster.url));
    await addEnding(cluster, "over", daysFromNow(-1));
    await addEnding(cluster, "valid", daysFromNow(1));
    await addEndedMail(cluster, "old", daysFromNow(-31));
    await addEndedMail(cluster, "old-given-up", daysFromNow(-31), "given_up_at");
    await addEndedMail(cluster, "young", daysFromNow(-29));
    const kept = ["auth_windows valid", "mail_tokens valid", "mails young", "sessions valid"];

    const nodes = await cluster.startNodes(2);
    await eventually("removal", async () => {
      const left = await leftOf(cluster);
      return left.length <= kept.length ? left : undefined;
    });
    assert.deepEqual(await leftOf(cluster), kept);
    assert.equal((await cluster.query("SELECT id FROM accounts")).length, 2);
    const [job] = await cluster.query("SELECT next_at FROM jobs WHERE name = 'cleanup'");
    const inMs = Date.parse(String(job?.next_at)) - Date.now();
    assert.ok(inMs > DAY_MS / 25 && inMs <= DAY_MS / 24, `the next time is in ${inMs} ms`);
    for (const node of nodes) assert.equal((await node.stop()).exitCode, 0);

    // A node that starts meanwhile removes nothing: it checks before it delivers its first mail.
    await cluster.query("UPDATE sessions SET expires_at = $1", daysFromNow(-1));
    await using smtp = await playSmtp();
    const third = await cluster.startNode({ SMTP_URL: smtp.url });
    await third.register("witness@example.org");
    await eventually("mail", () => smtp.received[0]);
    assert.ok((await leftOf(cluster)).includes("sessions valid"));
    await third.stop();

    await cluster.query("UPDATE jobs SET next_at = $1", daysFromNow(-1));
    await cluster.startNode();
    await eventually("removal", async () =>
      (await leftOf(cluster)).includes("sessions valid") ? undefined : true,
    );
    assert.deepEqual(cluster.complaints(), []);
  });

  test("let one of them at a time fetch from a publisher, and all serve the fetched rates", async () => {
    await using database = await newPostgresDatabase();
    const clock = new TestClock("2026-11-21T12:00:00.000Z");
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using ecb = await playPublisher((response) => {
      asked.resolve();
      gate.promise.then(
        () => response.end(ecbDay("2026-11-20", { USD: "1.1600" })),
        (error) => assert.fail(error),
      );
    });
    await using cnb = await playPublisher((response) => {
      response.end('{"rates":[]}');
    });
    const sources = [sourceAt("ecb", [ecb.address], clock), sourceAt("cnb", [cnb.address], clock)];
    const config = { rateSources: ["ecb", "cnb"], database: databaseOf(database.url) };

    await using first = await startService({ clock, config, sources: sources.slice(0, 1) });
    await asked.promise;
    await using second = await startService({ clock, config, sources });
    // It has then skipped the first source, which the other node has claimed.
    await eventually("request to the second source", () => cnb.requests[0]);
    gate.resolve();
    await logged(first, FETCHED, "ecb");

    assert.equal(ecb.requests.length, 1);
    const { apiKey } = await first.newCustomer();
    for (const node of [first, second]) {
      const { body } = await node.get("/v1/rates/EUR/USD", { apiKey });
      assert.equal(body.rate, "1.1600");
    }
  });
});
