import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertCommonHeaders,
  assertFailure,
  assertSessionRejected,
} from "../support/assertions.ts";
import { startService, startSharedService, TestClock } from "../support/service.ts";
import { withoutTable } from "../support/store-faults.ts";

const USAGE = "/v1/account/usage";
const RATE = "/v1/rates/EUR/USD";

const service = await startSharedService();

test("§2 usage: the response has exactly the plan, the billing period and the four usage figures", async () => {
  const { session, apiKey } = await service.newCustomer();
  for (let read = 0; read < 3; read += 1) await service.get(RATE, { apiKey });

  const answer = await service.get(USAGE, { session });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    plan: "free",
    billing_period: { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" },
    usage: { used_units: 3, quota_units: 1000, remaining_units: 997, utilization: 0.003 },
  });
  assert.equal(answer.headers["cache-control"], "no-store");
  assertCommonHeaders(answer);
});

test("§2 usage: an account without reads has zero used units", async () => {
  const { body } = await service.get(USAGE, { session: await service.openSession() });

  assert.deepEqual(body.usage, {
    used_units: 0,
    quota_units: 1000,
    remaining_units: 1000,
    utilization: 0,
  });
});

test("§4 usage: an account sees only its own units", async () => {
  const own = await service.openSession();
  const other = await service.openSession();
  await service.get(RATE, await service.createKey(other));

  assert.equal(await service.usedUnits(own), 0);
  assert.equal(await service.usedUnits(other), 1);
});

test("§4 usage: GET and HEAD of the usage charge nothing", async () => {
  const session = await service.openSession();

  await service.get(USAGE, { session });
  const head = await service.call("HEAD", USAGE, { session });

  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal(await service.usedUnits(session), 0);
});

const ratios = [
  [1, 3, 0.3333],
  [2, 3, 0.6667],
  [3, 3, 1],
  [1, 7, 0.1429],
  [1, 20_000, 0.0001],
  [1, 30_000, 0],
  [5, 4, 1.25],
] as const;

test("§2 usage: the server rounds utilization to 4 decimal places", async () => {
  const session = await service.openSession("ratio@example.org");
  await service.get(RATE, await service.createKey(session));
  const account = "(SELECT number FROM accounts WHERE email = 'ratio@example.org')";
  service.query("INSERT INTO plans (name, units_per_period) VALUES ('ratio', 1)");
  service.query("UPDATE accounts SET plan = 'ratio' WHERE email = 'ratio@example.org'");

  for (const [used, quota, utilization] of ratios) {
    service.query(`UPDATE charged_units SET units = ? WHERE account = ${account}`, used);
    service.query("UPDATE plans SET units_per_period = ? WHERE name = 'ratio'", quota);

    const usage = await service.usage(session);

    assert.equal(usage.utilization, utilization, `${used} of ${quota}`);
    assert.equal(usage.remaining_units, Math.max(quota - used, 0));
  }
});

const months = [
  ["2026-11-30T23:59:59.999Z", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
  ["2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ["2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ["2028-02-29T12:00:00.000Z", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
] as const;

for (const [now, start, end] of months) {
  test(`metering: at ${now} the billing period starts ${start} and ends ${end}`, async () => {
    await using own = await startService({ clock: new TestClock(now) });

    const { body } = await own.get(USAGE, { session: await own.openSession() });

    assert.deepEqual(body.billing_period, { start, end });
  });
}

test("§4 usage: a request without a valid session returns 401, uncached and without details", async () => {
  const { apiKey } = await service.newCustomer();

  assertSessionRejected(await service.get(USAGE));
  assertSessionRejected(await service.get(USAGE, { apiKey }));
  assertSessionRejected(await service.get(USAGE, { session: `svc_sess_${"0".repeat(64)}` }));
});

test("§4 usage: a storage failure returns 503 with Retry-After and does not reveal the cause", async () => {
  await using own = await startService();
  const session = await own.openSession();
  {
    using _gone = withoutTable(own, "plans");
    // The second one has a query, so node:http serves it.
    for (const path of [USAGE, `${USAGE}?a=b`]) {
      const from = own.logLines.length;
      const answer = await own.get(path, { session });
      assertFailure(answer, 503, "temporarily_unavailable");
      assert.doesNotMatch(answer.text, /plans|table|sql/i);
      assert.ok(own.logLines.slice(from).some((line) => line.includes("no such table")));
    }
  }
  assert.equal(await own.usedUnits(session), 0);
});
