import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKeyRejected } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { startService, startSharedService, TestClock } from "../support/service.ts";

// draft-ietf-httpapi-ratelimit-headers: RateLimit-Policy and RateLimit on the rate endpoint.

const clock = new TestClock("2026-11-21T12:00:00.000Z");
const service = await startSharedService({ clock, config: { freePlanUnits: 3 } });
service.storeRate("HALTED", "USD", "1.5");
service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'HALTED'");

const POLICY_OF_NOVEMBER = `"units";q=3;w=${30 * 86_400}`;
const SECONDS_TO_DECEMBER = 9.5 * 86_400;

const headersOf = ({ headers }: Answer) => [headers["ratelimit-policy"], headers.ratelimit];

test("§8 quota state: every response to a valid key has the RateLimit headers, whatever its status", async () => {
  const { apiKey } = await service.newCustomer();
  const reads = [
    ["/v1/rates/EUR/USD", 200, 2],
    ["/v1/rates/E/USD", 400, 2],
    ["/v1/rates/USD/NONE", 404, 1],
    ["/v1/rates/HALTED/USD", 503, 0],
    ["/v1/rates/EUR/USD", 429, 0],
    ["/v1/rates/E/USD", 400, 0],
  ] as const;

  for (const [path, status, remaining] of reads) {
    const answer = await service.get(path, { apiKey });

    assert.equal(answer.status, status);
    const limit = `"units";r=${remaining};t=${SECONDS_TO_DECEMBER}`;
    assert.deepEqual(headersOf(answer), [POLICY_OF_NOVEMBER, limit]);
  }
});

test("§8 quota state: a response without a valid key has no RateLimit headers", async () => {
  const { session, apiKey, keyId: id } = await service.newCustomer();
  await service.revokeKey(session, id);

  assertKeyRejected(await service.get("/v1/rates/EUR/USD"));
  assertKeyRejected(await service.get("/v1/rates/EUR/USD", { apiKey }));
  assertKeyRejected(await service.get("/v1/rates/EUR/USD", { session }));
});

test("§8 quota state: the seconds until the reset are rounded up and follow the clock", async () => {
  await using own = await startService({ clock: new TestClock("2026-11-30T23:59:58.001Z") });
  const { apiKey } = await own.newCustomer();

  const nearly = await own.get("/v1/rates/EUR/USD", { apiKey });
  own.clock.set("2026-11-30T23:59:59.999Z");
  const last = await own.get("/v1/rates/EUR/USD", { apiKey });
  own.clock.set("2026-12-01T00:00:00.000Z");
  const first = await own.get("/v1/rates/EUR/USD", { apiKey });

  assert.equal(nearly.headers.ratelimit, '"units";r=999;t=2');
  assert.equal(last.headers.ratelimit, '"units";r=998;t=1');
  assert.equal(first.headers.ratelimit, `"units";r=999;t=${31 * 86_400}`);
});

const windows = [
  ["2026-12-31T23:59:59.999Z", 31],
  ["2027-02-10T00:00:00.000Z", 28],
  ["2028-02-10T00:00:00.000Z", 29],
] as const;

test("§8 quota state: the policy's window is as long as the calendar month", async () => {
  await using own = await startService();
  const { apiKey } = await own.newCustomer();

  for (const [time, days] of windows) {
    own.clock.set(time);
    const { headers } = await own.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(headers["ratelimit-policy"], `"units";q=1000;w=${days * 86_400}`);
  }
});

test("§8 quota state: the next response after a plan change has the new quota", async () => {
  await using own = await startService();
  const { apiKey } = await own.newCustomer();
  const before = await own.get("/v1/rates/EUR/USD", { apiKey });
  own.query("UPDATE plans SET units_per_period = 50 WHERE name = 'free'");

  const afterwards = await own.get("/v1/rates/EUR/USD", { apiKey });

  assert.match(before.headers["ratelimit-policy"] ?? "", /q=1000;/);
  assert.match(afterwards.headers["ratelimit-policy"] ?? "", /q=50;/);
  assert.match(afterwards.headers.ratelimit ?? "", /r=48;/);
});
