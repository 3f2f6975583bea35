import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, assertKeyRejected, CHALLENGE } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { startService, startSharedService } from "../../support/service.ts";

// The order of the checks of a read, and what each response tells of its price and of the quota
// (draft-ietf-httpapi-ratelimit-headers): what a client paid for, and what cost nothing.

const QUOTA = 2;
const QUOTA_MESSAGE = "Request-unit quota exceeded for the current billing period.";
const SYMBOL_MESSAGE = "Asset symbol format is invalid.";
const UNSUPPORTED_MESSAGE = "The requested currency pair is not currently supported.";
const NO_INVERSE = "guide/sources#which-directions-there-are-and-why-no-inverse";
const UNAVAILABLE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";
const SECONDS_TO_DECEMBER = 9.5 * 86_400;

const service = await startSharedService({ config: { freePlanUnits: QUOTA } });
service.storeRate("HALTED", "USD", "1.5");
service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'HALTED'");

const withWayOut = (wayOut: string) => `${UNSUPPORTED_MESSAGE} ${wayOut}`;
const unsupported = withWayOut(
  `The supported pairs cost nothing to list: ${service.url}/coverage, or GET /v1/account/pairs ` +
    "with a session.",
);
const inverted = withWayOut(`EUR/USD exists; Kurs does not invert: ${service.url}/${NO_INVERSE}`);

const reads = [
  ["a supported pair", "EUR/USD", 200, 1],
  ["an unsupported pair", "USD/NONE", 404, 1, "unsupported_pair", unsupported],
  ["a pair of which only the inverse is stored", "usd/EUR", 404, 1, "unsupported_pair", inverted],
  [
    "a pair of which only the inverse is suspended",
    "USD/HALTED",
    404,
    1,
    "unsupported_pair",
    unsupported,
  ],
  ["a suspended pair", "HALTED/USD", 503, 1, "temporarily_unavailable", UNAVAILABLE_MESSAGE],
  ["an invalid symbol", "E/USD", 400, 0, "invalid_asset_symbol", SYMBOL_MESSAGE],
  ["two invalid symbols", "E/U", 400, 0, "invalid_asset_symbol", SYMBOL_MESSAGE],
  ["a malformed escape", "%zz/USD", 400, 0, "invalid_asset_symbol", SYMBOL_MESSAGE],
] as const;

const pathOf = (pair: string) => `/v1/rates/${pair}`;

/** Asserts what a response tells of its units and of the quota. */
function assertUnits({ headers }: Answer, units: number, left: number): void {
  assert.equal(headers["units-charged"], String(units));
  assert.equal(headers["ratelimit-policy"], `"units";q=${QUOTA};w=${30 * 86_400}`);
  assert.equal(headers.ratelimit, `"units";r=${left};t=${SECONDS_TO_DECEMBER}`);
}

for (const method of ["GET", "HEAD"] as const) {
  for (const [what, pair, status, units, code = "", message] of reads) {
    test(`§4 rates: ${method} of ${what} is ${status} and costs ${units}, up to the last unit`, async () => {
      const { apiKey, usedUnits } = await service.newCustomer();
      const call = () => service.call(method, pathOf(pair), { apiKey });
      const assertAnswer = (answer: Answer) => {
        assert.equal(answer.status, status);
        if (method === "HEAD") assert.equal(answer.text, "");
        else if (code !== "") assertFailure(answer, status, code, message);
        if (status === 503) assert.equal(answer.headers["retry-after"], "3600");
        assert.ok(status === 200 || !answer.text.includes("1.5"));
      };

      for (let left = QUOTA - 1; left >= 0; left -= 1) {
        const answer = await call();
        assertAnswer(answer);
        if (units === 0) await service.readRate("EUR/USD", apiKey);
        assertUnits(answer, units, units === 0 ? left + 1 : left);
        assert.equal(await usedUnits(), QUOTA - left);
      }

      const exhausted = await call();
      assertUnits(exhausted, 0, 0);
      assert.equal(await usedUnits(), QUOTA);
      if (units === 0) return assertAnswer(exhausted);
      assert.equal(exhausted.headers["retry-after"], String(SECONDS_TO_DECEMBER));
      if (method === "HEAD") return assert.deepEqual([exhausted.status, exhausted.text], [429, ""]);
      assertFailure(exhausted, 429, "quota_exceeded", QUOTA_MESSAGE);
      const { limit, remaining, reset_at: resetAt } = exhausted.body;
      assert.deepEqual([limit, remaining, resetAt], [QUOTA, 0, "2026-12-01T00:00:00.000Z"]);
    });
  }
}

test("§4 rates, step 1: without a valid key every read is 401 before any other check, uncharged", async () => {
  const revoked = await service.newCustomer();
  await service.revokeKey(revoked.session, revoked.keyId);
  const charges = service.query("SELECT * FROM period_usage");
  const credentials = [
    {},
    { apiKey: "svc_live_123" },
    { apiKey: `svc_live_${"0".repeat(64)}` },
    { apiKey: `${revoked.apiKey}0` },
    { apiKey: revoked.apiKey },
    { session: revoked.session },
  ];

  for (const credential of credentials) {
    for (const [, pair] of reads) {
      assertKeyRejected(await service.get(pathOf(pair), credential));
      const head = await service.call("HEAD", pathOf(pair), credential);
      assert.deepEqual([head.status, head.text, head.headers.ratelimit], [401, "", undefined]);
      assert.match(head.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
    }
  }

  assert.deepEqual(service.query("SELECT * FROM period_usage"), charges);
});

const meaningful = [
  ...["date", "at", "as_of", "time", "timestamp", "from", "to", "start", "end", "start_date"],
  ...["end_date", "amount", "base", "quote", "symbols", "source", "provider", "expand"],
];

test("§4 rates: a parameter that would change the meaning is 400 after step 2, uncharged", async () => {
  const { session, apiKey, keyId, read, usedUnits } = await service.newCustomer();
  await read();
  const queries = [
    ...meaningful.map((name) => [name, `?${name}=2025-01-01`] as const),
    ...["?date", "?date=", "?a=b&date=1&date=2", "?d%61te=1", "?Date=1", "?date&at=1"].map(
      (query) => ["date", query] as const,
    ),
  ];
  for (const [name, query] of queries) {
    const path = pathOf(`EUR/USD${query}`);
    const answer = await service.get(path, { apiKey });

    const rule = new RegExp(`^There is no parameter ${name}: `, "i");
    assertFailure(answer, 400, "invalid_request", rule);
    assertUnits(answer, 0, 1);
    assert.equal((await service.call("HEAD", path, { apiKey })).status, 400, path);
    assertFailure(await read(`USD/NONE${query}`), 400, "invalid_request");
    assertFailure(await read(`E/USD${query}`), 400, "invalid_asset_symbol");
    assertKeyRejected(await service.get(path));
  }
  assert.equal(await usedUnits(), 1);

  assert.equal((await read("EUR/USD?a=b")).status, 200);
  assertFailure(await read("EUR/USD?date=1"), 400, "invalid_request");
  for (const query of ["?", "?a=date", "?dates=1", "?a;date=1", "?a=b&c", "?%zz=1&__proto__=1"]) {
    assertFailure(await read(`EUR/USD${query}`), 429, "quota_exceeded");
  }
  await service.revokeKey(session, keyId);
  assertKeyRejected(await read("EUR/USD?date=1"));
  assert.equal(await usedUnits(), QUOTA);
});

test("a read that its form rejects costs nothing, and what is no read says nothing about units", async () => {
  const { session, apiKey, usedUnits } = await service.newCustomer();
  const path = pathOf("EUR/USD");
  const answers = [
    await service.get(path, { apiKey, headers: { host: "a b" } }),
    await service.get(path, { apiKey, headers: { "content-length": "20000" } }),
    await service.post(path, { apiKey }),
    await service.get("/v1/rates/EUR", { apiKey }),
    await service.get("/v1/account/usage", { session }),
    await service.get("/v1/account/usage"),
  ];

  const told = answers.map(({ status, headers }) => [status, headers["units-charged"]]);
  const others = [405, 404, 200, 401].map((status) => [status, undefined]);
  assert.deepEqual(told, [[400, "0"], [413, "0"], ...others]);
  assert.equal(await usedUnits(), 0);
});

const resets = [
  ["2026-11-30T23:59:58.001Z", 30, 2],
  ["2026-11-30T23:59:59.999Z", 30, 1],
  ["2026-12-01T00:00:00.000Z", 31, 31 * 86_400],
  ["2026-12-31T23:59:59.999Z", 31, 1],
  ["2027-02-10T00:00:00.000Z", 28, 19 * 86_400],
  ["2028-02-10T00:00:00.000Z", 29, 20 * 86_400],
] as const;

test("§8 quota state: the window is the calendar month, the seconds to its end are rounded up", async () => {
  await using own = await startService();
  const { apiKey } = await own.newCustomer();

  for (const [time, days, seconds] of resets) {
    own.clock.set(time);
    const { headers } = await own.readRate("EUR/USD", apiKey);
    assert.equal(headers["ratelimit-policy"], `"units";q=1000;w=${days * 86_400}`);
    assert.match(headers.ratelimit ?? "", new RegExp(`^"units";r=99\\d;t=${seconds}$`));
  }
});
