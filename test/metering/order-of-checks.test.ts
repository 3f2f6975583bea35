import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, assertKeyRejected } from "../support/assertions.ts";
import { startSharedService } from "../support/service.ts";

const QUOTA_MESSAGE = "Request-unit quota exceeded for the current billing period.";
const UNSUPPORTED_MESSAGE = "The requested currency pair is not currently supported.";
const UNAVAILABLE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";

const service = await startSharedService({ config: { freePlanUnits: 5 } });
service.storeRate("HALTED", "USD", "1.5");
service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'HALTED'");

/** An account with a key and this many of its 5 units used. */
async function accountWith({ used }: { used: number }) {
  const { session, apiKey, keyId: id } = await service.newCustomer();
  for (let unit = 0; unit < used; unit += 1) await service.get("/v1/rates/EUR/USD", { apiKey });
  assert.equal(await service.usedUnits(session), used);
  return { session, apiKey, id };
}

const invalidKeys = [
  ["no key", undefined],
  ["a malformed key", "svc_live_123"],
  ["an unknown key", `svc_live_${"0".repeat(64)}`],
] as const;

const reads = [
  ["a supported pair", "/v1/rates/EUR/USD"],
  ["an invalid symbol", "/v1/rates/E/USD"],
  ["an unsupported pair", "/v1/rates/USD/NONE"],
  ["a suspended pair", "/v1/rates/HALTED/USD"],
] as const;

for (const [credential, apiKey] of invalidKeys) {
  for (const [what, path] of reads) {
    test(`§4 rates, step 1: ${credential} with ${what} is 401 before any other check`, async () => {
      const charges = service.query("SELECT * FROM period_usage");

      const answer = await service.get(path, apiKey === undefined ? {} : { apiKey });

      assertKeyRejected(answer);
      assert.deepEqual(service.query("SELECT * FROM period_usage"), charges);
    });
  }
}

test("§4 rates, step 1: a revoked key with an invalid symbol is 401, uncharged", async () => {
  const { session, apiKey, id } = await accountWith({ used: 0 });
  await service.revokeKey(session, id);

  for (const [, path] of reads) assertKeyRejected(await service.get(path, { apiKey }));

  assert.equal(await service.usedUnits(session), 0);
});

test("§4 rates, step 2: an invalid symbol is 400 although the quota is exhausted", async () => {
  const { session, apiKey } = await accountWith({ used: 5 });

  const answer = await service.get("/v1/rates/E/USD", { apiKey });

  assertFailure(answer, 400, "invalid_asset_symbol", "Asset symbol format is invalid.");
  assert.equal(await service.usedUnits(session), 5);
});

test("§4 rates, step 2: two invalid symbols are one error, uncharged", async () => {
  const { session, apiKey } = await accountWith({ used: 1 });

  assertFailure(await service.get("/v1/rates/E/U", { apiKey }), 400, "invalid_asset_symbol");
  assert.equal(await service.usedUnits(session), 1);
});

const meaningful = [
  ...["date", "at", "as_of", "time", "timestamp", "from", "to", "start", "end", "start_date"],
  ...["end_date", "amount", "base", "quote", "symbols", "source", "provider", "expand"],
];

test("§4 rates: a parameter that would change the meaning is 400 after step 2, uncharged", async () => {
  const { session, apiKey, id } = await accountWith({ used: 4 });
  const others = ["?", "?a=date", "?dates=1", "?a;date=1", "?a=b&c", "?%zz=1&__proto__=1"];
  const queries = [
    ...meaningful.map((name) => [name, `?${name}=2025-01-01`] as const),
    ...["?date", "?date=", "?a=b&date=1&date=2", "?d%61te=1", "?Date=1", "?date&at=1"].map(
      (query) => ["date", query] as const,
    ),
  ];
  for (const [name, query] of queries) {
    const path = `/v1/rates/EUR/USD${query}`;
    const answer = await service.get(path, { apiKey });

    assertFailure(
      answer,
      400,
      "invalid_request",
      new RegExp(`^There is no parameter ${name}: `, "i"),
    );
    assert.equal(answer.headers["units-charged"], "0");
    assert.match(answer.headers.ratelimit ?? "", /r=1;/);
    assert.equal((await service.call("HEAD", path, { apiKey })).status, 400, path);
    const unknown = await service.get(`/v1/rates/USD/NONE${query}`, { apiKey });
    assertFailure(unknown, 400, "invalid_request");
    const invalid = await service.get(`/v1/rates/E/USD${query}`, { apiKey });
    assertFailure(invalid, 400, "invalid_asset_symbol");
    assertKeyRejected(await service.get(path));
  }
  assert.equal(await service.usedUnits(session), 4);

  assert.equal((await service.get("/v1/rates/EUR/USD?a=b", { apiKey })).status, 200);
  const exhausted = await service.get("/v1/rates/EUR/USD?date=1", { apiKey });
  assertFailure(exhausted, 400, "invalid_request");
  for (const query of others) {
    const ignored = await service.get(`/v1/rates/EUR/USD${query}`, { apiKey });
    assertFailure(ignored, 429, "quota_exceeded");
  }
  await service.revokeKey(session, id);
  assertKeyRejected(await service.get("/v1/rates/EUR/USD?date=1", { apiKey }));
  assert.equal(await service.usedUnits(session), 5);
});

for (const [what, path] of reads.filter(([what]) => what !== "an invalid symbol")) {
  test(`§4 rates, step 3: ${what} is 429 when the quota is exhausted, uncharged`, async () => {
    const { session, apiKey } = await accountWith({ used: 5 });

    const answer = await service.get(path, { apiKey });

    assertFailure(answer, 429, "quota_exceeded", QUOTA_MESSAGE);
    assert.deepEqual(
      [answer.body.limit, answer.body.remaining, answer.body.reset_at],
      [5, 0, "2026-12-01T00:00:00.000Z"],
    );
    assert.equal(answer.headers["retry-after"], String(9.5 * 86_400));
    assert.equal(await service.usedUnits(session), 5);
  });
}

test("§4 rates, step 3: HEAD is 429 when the quota is exhausted, with Retry-After", async () => {
  const { session, apiKey } = await accountWith({ used: 5 });

  const answer = await service.call("HEAD", "/v1/rates/EUR/USD", { apiKey });

  assert.deepEqual([answer.status, answer.text], [429, ""]);
  assert.equal(answer.headers["retry-after"], String(9.5 * 86_400));
  assert.equal(await service.usedUnits(session), 5);
});

test("§4 rates, step 3: the last unit is served, and the next read is rejected", async () => {
  const { session, apiKey } = await accountWith({ used: 4 });

  const last = await service.get("/v1/rates/EUR/USD", { apiKey });
  const next = await service.get("/v1/rates/EUR/USD", { apiKey });

  assert.equal(last.status, 200);
  assertFailure(next, 429, "quota_exceeded", QUOTA_MESSAGE);
  assert.equal(await service.usedUnits(session), 5);
});

test("§4 rates, step 4: an unsupported pair is 404, and its unit is not refunded", async () => {
  const { session, apiKey } = await accountWith({ used: 1 });

  const answer = await service.get("/v1/rates/USD/NONE", { apiKey });

  assertFailure(answer, 404, "unsupported_pair", UNSUPPORTED_MESSAGE);
  assert.equal(await service.usedUnits(session), 2);
});

test("§4 rates, step 4: an unsupported pair may use the last unit", async () => {
  const { session, apiKey } = await accountWith({ used: 4 });

  assertFailure(await service.get("/v1/rates/USD/NONE", { apiKey }), 404, "unsupported_pair");
  assertFailure(await service.get("/v1/rates/EUR/USD", { apiKey }), 429, "quota_exceeded");
  assert.equal(await service.usedUnits(session), 5);
});

test("§4 rates, step 4: a suspended pair is 503 with Retry-After, and is charged", async () => {
  const { session, apiKey } = await accountWith({ used: 1 });

  const answer = await service.get("/v1/rates/HALTED/USD", { apiKey });

  assertFailure(answer, 503, "temporarily_unavailable", UNAVAILABLE_MESSAGE);
  assert.ok(!answer.text.includes("1.5"));
  assert.equal(await service.usedUnits(session), 2);
});

test("§4 rates, step 4: a pair is served again once it is resumed", async () => {
  const { apiKey } = await accountWith({ used: 0 });
  service.storeRate("PAUSED", "USD", "7");
  service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'PAUSED'");
  const during = await service.get("/v1/rates/PAUSED/USD", { apiKey });
  service.query("UPDATE rates SET suspended_at = NULL WHERE base = 'PAUSED'");

  const afterwards = await service.get("/v1/rates/PAUSED/USD", { apiKey });

  assert.deepEqual([during.status, afterwards.status], [503, 200]);
});
