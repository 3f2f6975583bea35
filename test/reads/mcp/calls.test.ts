import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertCommonHeaders } from "../../support/assertions.ts";
import { startService, startSharedService } from "../../support/service.ts";
import { failureIn, metaIn, type RpcAnswer, rpcOf, valueIn } from "./answers.ts";
import { openAll, Rejected } from "./doors.ts";
import { EUR_USD, eras, readOf, requestOf } from "./messages.ts";
import { postTo } from "./with-key.ts";

// What a call costs is decided by the meter (test/contract). This is what it looks like through
// every door of MCP: the same value or failure, and the same price.

const ample = await startSharedService();
const { session, apiKey } = await ample.newCustomer();
ample.storeRate("MANY", "DIGITS", "0.00012345678901234567890123456789012345");
ample.storeRate("SUS", "USD", "2.5");
ample.storeRate("USD", "INVERSE", "2.5");
ample.query("UPDATE rates SET suspended_at = as_of WHERE base = 'SUS'");

const empty = await startSharedService({ config: { freePlanUnits: 0 } });
const poor = await empty.newCustomer();

const doors = await openAll(ample, apiKey);
const poorDoors = await openAll(empty, poor.apiKey);

type Given = Readonly<Record<string, unknown>>;

/** Calls a tool through every door. Each response states its price, and the account was charged. */
async function callAll(units: 0 | 1, tool: string, given: Given, check: (rpc: RpcAnswer) => void) {
  const used = await ample.usedUnits(session);
  for (const [name, { call }] of doors) {
    const rpc = await call(tool, given);
    assert.equal(metaIn(rpc)["kurs/units-charged"], String(units), name);
    check(rpc);
  }
  assert.equal(await ample.usedUnits(session), used + units * doors.length);
}

suite("MCP calls, through every door:", () => {
  test("get_rate gets the bytes of the rate resource, for one unit", async () => {
    for (const given of [EUR_USD, { base: " eur ", quote: "\tuSd\n" }]) {
      const { text } = await ample.get("/v1/rates/EUR/USD", { apiKey });
      await callAll(1, "get_rate", given, (rpc) => {
        valueIn(rpc);
        assert.equal(rpc.result?.content?.[0]?.text, text);
      });
    }
  });

  test("get_usage gets the bytes of the account's usage, for no unit", async () => {
    const { text } = await ample.get("/v1/account/usage", { session });
    await callAll(0, "get_usage", {}, (rpc) => {
      valueIn(rpc);
      assert.equal(rpc.result?.content?.[0]?.text, text);
    });
  });

  test("convert_currency gets every digit of the exact product, for one unit", async () => {
    const amount = "98765432109876543210.12345678901234567890";
    // Computed with another program's decimals.
    const result = "12193263113702179.5225118122210028952304555707219343087927393537645950602050";
    const { body } = await ample.get("/v1/rates/MANY/DIGITS", { apiKey });

    await callAll(1, "convert_currency", { base: " many ", quote: "digits", amount }, (rpc) => {
      assert.deepEqual(valueIn(rpc), { ...body, amount, result });
    });
  });

  const UNSUPPORTED = "The requested currency pair is not currently supported.";
  const charged = [
    ["NONE", "unsupported_pair", UNSUPPORTED, /^The supported pairs are listed .+\/coverage$/],
    ["INVERSE", "unsupported_pair", UNSUPPORTED, /^USD\/INVERSE exists; Kurs does not invert: /],
    [
      "SUS",
      "temporarily_unavailable",
      "The service is temporarily unable to serve this rate. Please retry.",
      /^$/,
    ],
  ] as const;

  for (const [base, code, message, help] of charged) {
    test(`a read of ${base}/USD fails as ${code}, for one unit`, async () => {
      for (const [tool, more] of [
        ["get_rate", {}],
        ["convert_currency", { amount: "1" }],
      ] as const) {
        await callAll(1, tool, { base, quote: "USD", ...more }, (rpc) => {
          const envelope = failureIn(rpc);
          assert.match(rpc.result?.content?.[1]?.text ?? "", help);
          assert.deepEqual([envelope.code, envelope.message], [code, message]);
        });
      }
    });
  }

  test("a key that is revoked is rejected at the next call of any tool", async () => {
    const other = await ample.createKey(session);
    const opened = await openAll(ample, other.apiKey);
    const used = await ample.usedUnits(session);
    await ample.revokeKey(session, other.id);

    for (const [name, { call }] of opened) {
      for (const tool of ["get_rate", "get_usage", "convert_currency"]) {
        await assert.rejects(call(tool, EUR_USD), (error) => {
          assert.ok(error instanceof Rejected, name);
          const { status, body } = error;
          const expected = [401, "unauthorized", "A valid API key is required."];
          assert.deepEqual([status, body.code, body.message], expected, name);
          return true;
        });
      }
    }
    assert.equal(await ample.usedUnits(session), used);
  });
});

const TAKEN: Readonly<Record<string, string>> = {
  get_rate: "base, quote, date",
  convert_currency: "base, quote, amount, date",
  get_usage: "none",
};
const noArgument = (tool: string, name: string) =>
  `${tool} has no argument ${name}: it takes ${TAKEN[tool]}.`;
const noText = (name: string, example: string) => `${name} must be a string such as "${example}".`;

const NO_DATE = 'date must be a date such as "2025-10-14", or be left out for the newest rate.';

const CONVERSION = { ...EUR_USD, amount: "1" };
const inProto = JSON.parse('{"__proto__":{"base":"EUR","quote":"USD"}}') as Given;

const badArguments: readonly (readonly [tool: string, given: Given, message: string])[] = [
  ["get_rate", {}, "base is missing."],
  ["get_rate", { quote: "USD" }, "base is missing."],
  ["get_rate", { base: "EUR" }, "quote is missing."],
  ["get_rate", inProto, "base is missing."],
  ["get_rate", { constructor: EUR_USD }, noArgument("get_rate", "constructor")],
  ...["14.10.2025", "2025-02-30", "2025-10-14T00:00:00Z", "", 20251014, ["2025-10-14"]].map(
    (date) => ["get_rate", { ...EUR_USD, date }, NO_DATE] as const,
  ),
  ["get_rate", { from: "EUR", to: "USD" }, noArgument("get_rate", "from")],
  ["get_rate", { BASE: "EUR", QUOTE: "USD" }, noArgument("get_rate", "BASE")],
  ["get_rate", { ...EUR_USD, at: null }, noArgument("get_rate", "at")],
  ["get_rate", { ...EUR_USD, toString: 1 }, noArgument("get_rate", "toString")],
  ["get_rate", { ...EUR_USD, ["d".repeat(5000)]: "" }, noArgument("get_rate", "d".repeat(64))],
  ["get_rate", { base: null, quote: "USD" }, noText("base", "EUR")],
  ["get_rate", { base: 1, quote: "USD" }, noText("base", "EUR")],
  ["get_rate", { base: ["EUR"], quote: "USD" }, noText("base", "EUR")],
  ["get_rate", { base: "EUR", quote: {} }, noText("quote", "USD")],
  ["get_rate", { base: "EUR", quote: true }, noText("quote", "USD")],
  ["convert_currency", EUR_USD, "amount is missing."],
  ["convert_currency", { ...EUR_USD, amount: 1 }, noText("amount", "1250.50")],
  ["convert_currency", { ...EUR_USD, amount: null }, noText("amount", "1250.50")],
  ["convert_currency", { ...CONVERSION, date: "today" }, NO_DATE],
  ["convert_currency", { ...CONVERSION, at: "" }, noArgument("convert_currency", "at")],
  ["get_usage", EUR_USD, noArgument("get_usage", "base")],
];

const AMOUNT_RULE =
  "amount must be a decimal string such as 1250.50: digits with at most one point, not negative, " +
  "without exponent or separators, at most 40 digits.";
const SYMBOL_RULE = "Asset symbol format is invalid.";

/** Which texts are amounts and symbols: test/metering. The symbols come before the amount. */
const badValues = [
  ["convert_currency", { ...EUR_USD, amount: "1e5" }, "invalid_request", AMOUNT_RULE],
  ["convert_currency", { ...EUR_USD, amount: "1".repeat(41) }, "invalid_request", AMOUNT_RULE],
  ["convert_currency", { ...EUR_USD, amount: "1".repeat(60_000) }, "invalid_request", AMOUNT_RULE],
  ["convert_currency", { ...CONVERSION, base: "E" }, "invalid_asset_symbol", SYMBOL_RULE],
  [
    "convert_currency",
    { base: "EUR", quote: "U-S", amount: "1e5" },
    "invalid_asset_symbol",
    SYMBOL_RULE,
  ],
  ["get_rate", { base: "\ud800", quote: "USD" }, "invalid_asset_symbol", SYMBOL_RULE],
  ["get_rate", { base: "EUR", quote: "EUR/USD" }, "invalid_asset_symbol", SYMBOL_RULE],
] as const;

suite("MCP calls of an account without units, through every door:", () => {
  const callEach = async (tool: string, given: unknown, check: (rpc: RpcAnswer) => void) => {
    for (const [, { call }] of poorDoors) check(await call(tool, given));
  };
  const failures = [
    ...badArguments.map(([tool, given, message]) => [tool, given, "invalid_request", message]),
    ...badValues,
  ] as unknown as typeof badValues;

  for (const [tool, given, code, message] of failures) {
    test(`${tool} of ${JSON.stringify(given).slice(0, 60)} fails as ${code}`, async () => {
      await callEach(tool, given, (rpc) => {
        const envelope = failureIn(rpc);
        assert.deepEqual([envelope.code, envelope.message], [code, message]);
        assert.equal(metaIn(rpc)["kurs/units-charged"], "0");
      });
    });
  }

  test("arguments that are no object, and an unknown tool, are protocol errors", async () => {
    for (const given of [null, [], ["EUR", "USD"], '{"base":"EUR","quote":"USD"}', 5, true]) {
      await callEach("get_rate", given, ({ error, result }) => {
        assert.deepEqual([result, error?.code], [undefined, -32_602]);
        assert.match(error?.message ?? "", /arguments/);
      });
    }
    for (const tool of ["set_rate", "GET_RATE", "get_rate_", "", "constructor", "__proto__"]) {
      await callEach(tool, EUR_USD, ({ error, result }) => {
        assert.deepEqual([result, error?.code], [undefined, -32_602]);
        assert.ok(error?.message.includes(tool), JSON.stringify(error));
      });
    }
    assert.equal(Object.hasOwn(Object.prototype, "base"), false);
  });

  test("a read fails as quota_exceeded with the quota, and get_usage is served", async () => {
    for (const [tool, given] of [
      ["get_rate", EUR_USD],
      ["convert_currency", CONVERSION],
    ] as const) {
      await callEach(tool, given, (rpc) => {
        const { request_id: _id, ...envelope } = failureIn(rpc);
        assert.deepEqual(envelope, {
          code: "quota_exceeded",
          message: "Request-unit quota exceeded for the current billing period.",
          limit: 0,
          remaining: 0,
          reset_at: "2026-12-01T00:00:00.000Z",
        });
        assert.equal(metaIn(rpc)["kurs/units-charged"], "0");
      });
    }
    await callEach("get_usage", {}, (rpc) => {
      assert.equal((valueIn(rpc).usage as { remaining_units: number }).remaining_units, 0);
    });
  });

  test("no mistake of a client is logged as one of the server", () => {
    assert.deepEqual(
      empty.logLines.filter((line) => line.includes('"err"')),
      [],
    );
  });
});

test("MCP: REST and every door share a quota, to its last unit", async () => {
  const units = doors.length + 1;
  await using service = await startService({ config: { freePlanUnits: units } });
  const { read, usedUnits, apiKey: ownKey } = await service.newCustomer();
  const opened = await openAll(service, ownKey);
  for (const [, { call }] of opened) valueIn(await call("get_rate", EUR_USD));
  assert.equal((await read()).status, 200);

  for (const [, { call }] of opened) {
    assert.equal(failureIn(await call("get_rate", EUR_USD)).code, "quota_exceeded");
  }

  assert.equal((await read()).status, 429);
  assert.equal(await usedUnits(), units);
  assert.equal(service.query("SELECT sum(units) AS units FROM daily_usage")[0]?.units, units);
});

test("MCP: whatever is no call of a tool is served without units, and costs none; of 2026, it may be kept", async () => {
  const lists = ["tools/list", "resources/list", "resources/templates/list"];
  const used = await ample.usedUnits(session);
  for (const era of eras) {
    for (const method of [...lists, era === "2025" ? "ping" : "server/discover"]) {
      assert.equal((await postTo(ample, apiKey)(requestOf(era, method))).status, 200, method);
      const answer = await postTo(empty, poor.apiKey)(requestOf(era, method));
      const { error, result } = rpcOf(answer);
      assert.deepEqual([answer.status, error], [200, undefined], method);
      if (era === "2025") continue;
      const { ttlMs, cacheScope } = result ?? {};
      assert.deepEqual([ttlMs, cacheScope], [3_600_000, "public"], method);
    }
    const { headers, json } = readOf(era);
    const { id: _id, ...notification } = json;
    const unasked = await postTo(ample, apiKey)({ headers, json: notification });
    assert.deepEqual([unasked.status, unasked.text], [202, ""]);
    assertCommonHeaders(unasked);
  }
  assert.equal(await ample.usedUnits(session), used);
});
