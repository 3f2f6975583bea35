import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import {
  ecbDay,
  FETCHED,
  logged,
  playPublisher,
  sourceAt,
} from "../../test/support/fake-publisher.ts";
import { playSmtp } from "../../test/support/fake-smtp-server.ts";
import { eventually, tokenOf } from "../../test/support/mails.ts";
import { nth, SHARED, startCluster } from "../../test/support/nodes.ts";
import { databaseOf, newPostgresDatabase } from "../../test/support/postgres-databases.ts";
import { startService, TestClock } from "../../test/support/service.ts";

suite("nodes of one database", () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres(SHARED);
  });
  after(() => postgres[Symbol.asyncDispose]());

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
