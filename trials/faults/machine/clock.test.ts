import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { timestamp } from "../../../src/shared/instant.ts";
import type { Row } from "../../../src/storage/engine.ts";
import { openSqliteStore } from "../../../src/store.ts";
import { byAt, newInvitation } from "../../../test/contract/suite/database.ts";
import { assertFailure, assertSessionRejected } from "../../../test/support/assertions.ts";
import {
  engines,
  type ServiceOnEngine,
  startServiceOn,
} from "../../../test/support/both-engines.ts";
import { playSmtp } from "../../../test/support/fake-smtp-server.ts";
import { eventually, mailTo } from "../../../test/support/mails.ts";
import { connectTo } from "../../../test/support/nodes.ts";
import { temporaryDirectory } from "../../../test/support/process.ts";
import { startService, TestClock, type TestService } from "../../../test/support/service.ts";

const NOW = "2026-12-01T00:00:10.000Z";
const BEFORE_MIDNIGHT = "2026-11-30T23:59:55.000Z";
const A_MONTH_AGO = "2026-11-01T00:00:10.000Z";
const RATE = "/v1/rates/EUR/USD";

const periodsOf = (service: TestService) =>
  service.query("SELECT period, units FROM period_usage ORDER BY period").map(Object.values);

suite("a clock that is set back", () => {
  test("across a month's end, reads are charged to the clock's month and never exceed its quota", async () => {
    const config = { freePlanUnits: 3 };
    await using service = await startService({ config, clock: new TestClock(BEFORE_MIDNIGHT) });
    const { session, read } = await service.newCustomer();
    const statuses = async (count: number) => {
      const found: number[] = [];
      for (let index = 0; index < count; index += 1) found.push((await read()).status);
      return found;
    };

    assert.deepEqual(await statuses(2), [200, 200]);
    service.clock.set(NOW);
    assert.deepEqual(await statuses(4), [200, 200, 200, 429]);
    service.clock.set(BEFORE_MIDNIGHT);
    // November's remaining unit, and none more because of December.
    assert.deepEqual(await statuses(2), [200, 429]);
    assertFailure(await read(), 429, "quota_exceeded");
    service.clock.set(NOW);
    assert.deepEqual(await statuses(1), [429]);

    assert.deepEqual(periodsOf(service), [
      ["2026-11", 3],
      ["2026-12", 3],
    ]);
    assert.equal(await service.usedUnits(session), 3);
  });

  test("between two runs, the units of both months are kept", async () => {
    await using first = await startService({ clock: new TestClock(NOW) });
    const { apiKey } = await first.newCustomer();
    assert.equal((await first.get(RATE, { apiKey })).status, 200);
    const { dataDirectory } = first;
    await using second = await startService({ dataDirectory, clock: new TestClock(A_MONTH_AGO) });

    assert.equal((await second.get(RATE, { apiKey })).status, 200);
    assert.deepEqual(periodsOf(second), [
      ["2026-11", 1],
      ["2026-12", 1],
    ]);
  });

  for (const [step, seconds] of [
    ["a second", 1],
    ["four minutes", 240],
  ] as const) {
    test(`by ${step}, sessions stay valid and expire at their original time`, async () => {
      await using service = await startService({ clock: new TestClock(NOW) });
      const session = await service.openSession();

      service.clock.advanceMs(-seconds * 1000);
      assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
      service.clock.set("2026-12-02T00:00:09.999Z");
      assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
      service.clock.set("2026-12-02T00:00:10.000Z");
      assertSessionRejected(await service.get("/v1/account/usage", { session }));
    });
  }

  for (const [step, time] of [
    ["a day", "2026-11-30T00:00:10.000Z"],
    ["a month", A_MONTH_AGO],
  ] as const) {
    test(`by ${step}, a session from the future is invalid, and none lasts longer than a day`, async () => {
      await using service = await startService({ clock: new TestClock(NOW) });
      const session = await service.openSession("ada@example.org");

      service.clock.set(time);
      assertSessionRejected(await service.get("/v1/account/usage", { session }));
      const json = { email: "ada@example.org", password: "correct horse battery" };
      const login = await service.post("/v1/auth/login", { json });
      assert.equal(login.status, 200);
      const again = { session: String(login.body.session_token) };
      assert.equal((await service.get("/v1/account/usage", again)).status, 200);
      // After the clock is corrected, the first session is valid again.
      service.clock.set(NOW);
      assert.equal((await service.get("/v1/account/usage", { session })).status, 200);
    });
  }

  test("by a month, a client over the auth limit waits one window and is still limited", async () => {
    const config = { authCallsPerWindow: 2, authWindowSeconds: 900 };
    await using service = await startService({ config, clock: new TestClock(NOW) });
    const json = { email: "eve@example.org", password: "wrong horse battery" };
    const logIn = () => service.post("/v1/auth/login", { json });
    for (let count = 0; count < 2; count += 1) assert.equal((await logIn()).status, 401);
    assertFailure(await logIn(), 429, "too_many_requests");

    service.clock.set(A_MONTH_AGO);
    const rejected = await logIn();
    assertFailure(rejected, 429, "too_many_requests");
    assert.ok(Number(rejected.headers["retry-after"]) <= 900, rejected.text);
    service.clock.advanceMs(900_000);
    assert.equal((await logIn()).status, 401);
  });

  test("by a month, rates from the future are served unchanged", async () => {
    await using service = await startService({ clock: new TestClock(NOW) });
    const { read } = await service.newCustomer();
    service.query("UPDATE rates SET as_of = '2026-11-30T15:00:00.000000000Z' WHERE base = 'EUR'");
    const before = await read();

    service.clock.set(A_MONTH_AGO);
    assert.deepEqual((await read()).body, before.body);
  });

  test("by a month, a mail is retried without waiting for the month to pass", async () => {
    await using service = await startService({ clock: new TestClock(NOW) });
    const mailDirectory = join(service.dataDirectory, "mail");
    await writeFile(mailDirectory, "in the way");
    await service.openSession("ada@example.org");
    await eventually("the failure", () => {
      return service.query("SELECT 1 FROM mails WHERE last_error IS NOT NULL")[0];
    });

    service.clock.set(A_MONTH_AGO);
    await rm(mailDirectory);
    assert.ok(await mailTo(service.dataDirectory, "ada@example.org", "verify"));
  });

  test("by a month, fetches and jobs are due at once, and one node claims each", async () => {
    await using directory = await temporaryDirectory();
    await using store = openSqliteStore(directory.path, 1000);
    const [later, earlier] = [Date.parse(NOW), Date.parse(A_MONTH_AGO)].map((ms) => ({
      now: timestamp(ms),
      soon: timestamp(ms + 90_000),
      tomorrow: timestamp(ms + 86_400_000),
    })) as [Times, Times];
    const lease = ({ now, soon }: Times) =>
      store.sources.lease("ecb", { now, until: soon, onlyWhenDue: true });
    await store.sources.add("ecb", later.now);
    assert.ok(await lease(later));

    // First the lease of a crashed node; then a success with the next fetch tomorrow.
    assert.equal(await lease(earlier), true);
    assert.equal(await lease(earlier), false);
    const success = { at: later.now, newestAsOf: undefined };
    await store.sources.recordSuccess("ecb", { ...success, nextAttemptAt: later.tomorrow });
    assert.equal(await lease(later), false);
    assert.equal(await lease(earlier), true);

    assert.equal(await store.cleanup.claimJob("cleanup", later.now, later.tomorrow), true);
    assert.equal(await store.cleanup.claimJob("cleanup", later.now, later.tomorrow), false);
    assert.equal(await store.cleanup.claimJob("cleanup", earlier.now, earlier.tomorrow), true);
    assert.equal(await store.cleanup.claimJob("cleanup", earlier.now, earlier.tomorrow), false);
  });
});

const AHEAD = "2028-04-14T00:00:10.000Z";

/** What a wrong clock must not remove, and the mails that it must not give up. */
const COUNTS = `
  SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM mail_tokens) AS tokens,
    (SELECT count(*) FROM invitations) AS invitations, (SELECT count(*) FROM events) AS events,
    (SELECT count(*) FROM observations) AS observations,
    (SELECT count(*) FROM mails WHERE given_up_at IS NULL) AS mails`;

const REPLACED = `
  INSERT INTO observations
    (base, quote, sequence, rate, as_of, source, stored_at, publication)
  SELECT base, quote, 2, rate, as_of, source, '${NOW}', 1 FROM rates`;

for (const engine of engines) {
  suite(`a clock that runs 500 days ahead on one of two nodes on ${engine}`, () => {
    test("removes and gives up nothing, until an operator accepts it", async () => {
      await using smtp = await playSmtp();
      smtp.behave({ reject: "RCPT", code: 450, message: "mailbox busy" });
      const settings = { smtpUrl: smtp.url, historyDays: 30, auditDays: 365 };
      const options = { clock: new TestClock(NOW), config: settings };
      await using on = await startServiceOn(engine, options);
      await using store = await on.openStore();
      const { service, config } = on;
      const { dataDirectory } = service;
      await service.openSession("ada@example.org");
      const invited = { createdAt: NOW, expiresAt: "2026-12-08T00:00:10.000Z" };
      await store.invitations.create(newInvitation(invited), byAt(NOW));
      await queryOn(on, REPLACED);
      await queryOn(on, "UPDATE rates SET observation = 2");
      const [before] = await queryOn(on, COUNTS);
      const pairs = Number(before?.observations) / 2;
      assert.ok(pairs > 100 && Number(before?.events) >= 3, JSON.stringify(before));
      const startAhead = () => startService({ dataDirectory, config, clock: new TestClock(AHEAD) });
      {
        await using wrong = await startAhead();
        const linesOf = (what: RegExp) => wrong.logLines.filter((line) => what.test(line)).length;
        await eventually("attempt for each mail", () => linesOf(/"a mail /) >= 2 || undefined);
        await eventually("warning", () => linesOf(/kurs clock accept/) === 1 || undefined);
      }
      assert.deepEqual(await queryOn(on, COUNTS), [before]);

      await store.trustedTime.accept(byAt(AHEAD));
      await using right = await startAhead();
      const left = { sessions: 0, tokens: 0, invitations: 0, observations: pairs, mails: 0 };
      await eventually("removal of all", async () => {
        const [counts] = await queryOn(on, COUNTS);
        const isDone = Object.entries(left).every(
          ([name, count]) => Number(counts?.[name]) === count,
        );
        return isDone || undefined;
      });
      assert.doesNotMatch(right.logLines.join(), /clock accept/);
    });
  });
}

async function queryOn({ service, url }: ServiceOnEngine, sql: string): Promise<readonly Row[]> {
  if (url === undefined) return service.query(sql);
  await using client = await connectTo(url);
  return (await client.query<Row>(sql)).rows;
}

interface Times {
  readonly now: string;
  readonly soon: string;
  readonly tomorrow: string;
}
