import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { startService } from "../support/service.ts";

const PATH = "/v1/rates/EUR/USD";

test("metering: after the quota is lowered below the used units, a read returns 429 with 0 remaining", async () => {
  await using service = await startService();
  const { session, apiKey } = await service.newCustomer();
  for (let read = 0; read < 5; read += 1) await service.get(PATH, { apiKey });
  service.query("UPDATE plans SET units_per_period = 3 WHERE name = 'free'");

  const rejected = await service.get(PATH, { apiKey });

  assertFailure(rejected, 429, "quota_exceeded");
  assert.deepEqual([rejected.body.limit, rejected.body.remaining], [3, 0]);
  assert.match(rejected.headers.ratelimit ?? "", /;r=0;/);
  const { used_units, quota_units, remaining_units } = await service.usage(session);
  assert.deepEqual([used_units, quota_units, remaining_units], [5, 3, 0]);
});

test("metering: a raised quota applies from the next read", async () => {
  await using service = await startService({ config: { freePlanUnits: 1 } });
  const { apiKey } = await service.newCustomer();
  await service.get(PATH, { apiKey });
  assertFailure(await service.get(PATH, { apiKey }), 429, "quota_exceeded");
  service.query("UPDATE plans SET units_per_period = 2 WHERE name = 'free'");

  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  assertFailure(await service.get(PATH, { apiKey }), 429, "quota_exceeded");
});

test("metering: a new plan of an account applies from the next read", async () => {
  await using service = await startService({ config: { freePlanUnits: 1 } });
  const { session, apiKey } = await service.newCustomer();
  await service.get(PATH, { apiKey });
  service.query("INSERT INTO plans (name, units_per_period) VALUES ('pro', 10)");
  service.query("UPDATE accounts SET plan = 'pro'");

  const answer = await service.get(PATH, { apiKey });

  assert.equal(answer.status, 200);
  assert.match(answer.headers["ratelimit-policy"] ?? "", /;q=10;/);
  const usage = await service.get("/v1/account/usage", { session });
  assert.equal(usage.body.plan, "pro");
  assert.deepEqual(usage.body.usage, {
    used_units: 2,
    quota_units: 10,
    remaining_units: 8,
    utilization: 0.2,
  });
});

test("metering: on a plan with zero units every read returns 429 and charges nothing", async () => {
  await using service = await startService({ config: { freePlanUnits: 0 } });
  const { apiKey } = await service.newCustomer();

  const answer = await service.get(PATH, { apiKey });

  assertFailure(answer, 429, "quota_exceeded");
  assert.deepEqual([answer.body.limit, answer.body.remaining], [0, 0]);
  assert.deepEqual(service.query("SELECT * FROM period_usage"), []);
  assert.deepEqual(service.query("SELECT * FROM daily_usage"), []);
});
