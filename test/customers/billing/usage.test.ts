import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { startService, startSharedService, TestClock } from "../../support/service.ts";
import { withoutTable } from "../../support/store-faults.ts";

const USAGE = "/v1/account/usage";
const DAILY = "/v1/account/usage/daily";
const KEY_USAGE = "/v1/account/usage/api-keys";
const LIMITS = "/v1/account/usage/limits";
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

test("§4 usage: requests for it charge and change nothing, also of an account without keys", async () => {
  const session = await service.openSession();
  const stored = () =>
    ["sessions", "api_keys", "charged_units", "events", "auth_windows"].map((table) =>
      service.query(`SELECT * FROM ${table}`),
    );
  const before = stored();

  for (const path of [USAGE, DAILY, KEY_USAGE, LIMITS]) {
    const answer = await service.get(path, { session });
    assert.equal(answer.status, 200);
    if (path !== USAGE) assert.match(answer.text, /^\{"(days|api_keys)":\[\]\}$/);
    const head = await service.call("HEAD", path, { session });
    assert.deepEqual([head.status, head.text], [200, ""]);
  }

  const unused = { used_units: 0, quota_units: 1000, remaining_units: 1000, utilization: 0 };
  assert.deepEqual(await service.usage(session), unused);
  assert.deepEqual(stored(), before);
});

test("§2 usage: a quota below the used units leaves none, and the utilization is above 1", async () => {
  const { email, session, read } = await service.newCustomer();
  for (let count = 0; count < 5; count += 1) await read();
  service.query("INSERT INTO plans (name, units_per_period) VALUES ('ratio', 3)");
  service.query("UPDATE accounts SET plan = 'ratio' WHERE email = ?", email);

  const { used_units, remaining_units, utilization } = await service.usage(session);

  assert.deepEqual([used_units, remaining_units, utilization], [5, 0, 1.6667]);
});

test("metering: the billing period is that of the clock", async () => {
  await using own = await startService({ clock: new TestClock("2026-12-31T23:59:59.999Z") });

  const { body } = await own.get(USAGE, { session: await own.openSession() });

  const [start, end] = ["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"];
  assert.deepEqual(body.billing_period, { start, end });
});

test("§4 usage: a storage failure returns 503 with Retry-After and does not reveal the cause", async () => {
  await using own = await startService();
  const session = await own.openSession();
  // One with a query is served by node:http.
  for (const [path, table] of [
    [USAGE, "plans"],
    [`${USAGE}?a=b`, "plans"],
    [DAILY, "charged_units"],
  ] as const) {
    using _gone = withoutTable(own, table);
    const from = own.logLines.length;
    const answer = await own.get(path, { session });
    assertFailure(answer, 503, "temporarily_unavailable");
    assert.doesNotMatch(answer.text, /plans|charged_units|table|sql/i);
    assert.ok(own.logLines.slice(from).some((line) => line.includes("no such table")));
  }
  assert.equal(await own.usedUnits(session), 0);
});

test("each key has its last day and its units of this month, revoked keys too", async () => {
  const ada = await service.newCustomer("ada@example.org");
  const second = await service.createKey(ada.session, "second");
  const unused = await service.createKey(ada.session, "unused");
  await (await service.newCustomer()).read();
  await service.readRate("EUR/USD", second.apiKey);
  await service.revokeKey(ada.session, second.id);
  service.clock.set("2026-12-02T10:00:00.000Z");
  for (const pair of ["EUR/USD", "USD/NONE", "E/USD"]) await ada.read(pair);
  const session = await service.logIn(ada.email);

  const answer = await service.get(KEY_USAGE, { session });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    api_keys: [
      { api_key_id: ada.keyId, last_used_on: "2026-12-02", units: 2 },
      { api_key_id: second.id, last_used_on: "2026-11-21", units: 0 },
      { api_key_id: unused.id, last_used_on: null, units: 0 },
    ],
  });
  assert.equal(await service.usedUnits(session), 2);
});

test("each limited key has its limits and the units that count against them", async () => {
  const { session, keyId, read } = await service.newCustomer("bob@example.org");
  const limits = {
    expires_at: "2027-01-31T00:00:00.000Z",
    units_per_period: 5,
    units_per_day: null,
  };
  const url = `/v1/account/api-keys/${keyId}`;
  await service.call("PUT", `${url}/limits`, { session, json: limits });
  await read();

  const { status, body } = await service.get(LIMITS, { session });

  const used = { period_units: 1, day_units: 1 };
  assert.deepEqual(
    [status, body],
    [200, { api_keys: [{ api_key_id: keyId, ...limits, ...used }] }],
  );
});
