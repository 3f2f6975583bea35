import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import {
  assertRpcError,
  assertToolFailure,
  callOf,
  type Era,
  EUR_USD,
  eras,
  failureIn,
  metaIn,
  PATH,
  readOf,
  rpcOf,
  rpcsOf,
  startWithKey,
  valueIn,
} from "./messages.ts";

const { service, apiKey, post, charging } = await startWithKey();
after(() => service[Symbol.asyncDispose]());
const postText = (era: Era, raw: string): Promise<Answer> =>
  service.post(PATH, { apiKey, raw, headers: readOf(era).headers });

const TAKEN: Readonly<Record<string, string>> = {
  get_rate: "base, quote",
  convert_currency: "base, quote, amount",
  get_usage: "none",
};
const noArgument = (tool: string, name: string) =>
  `${tool} has no argument ${name}: it takes ${TAKEN[tool]}.`;

const badArguments = [
  ["no arguments", "get_rate", {}, "base is missing."],
  ["no quote", "get_rate", { base: "EUR" }, "quote is missing."],
  ["no base", "get_rate", { quote: "USD" }, "base is missing."],
  ["a date", "get_rate", { ...EUR_USD, date: "2025-01-01" }, noArgument("get_rate", "date")],
  ["other names", "get_rate", { from: "EUR", to: "USD" }, noArgument("get_rate", "from")],
  ["names in capitals", "get_rate", { BASE: "EUR", QUOTE: "USD" }, noArgument("get_rate", "BASE")],
  ["an unknown null", "get_rate", { ...EUR_USD, at: null }, noArgument("get_rate", "at")],
  [
    "an inherited name",
    "get_rate",
    { ...EUR_USD, toString: 1 },
    noArgument("get_rate", "toString"),
  ],
  [
    "a date",
    "convert_currency",
    { ...EUR_USD, amount: "1", date: "" },
    noArgument("convert_currency", "date"),
  ],
  ["a pair", "get_usage", EUR_USD, noArgument("get_usage", "base")],
  [
    "null as base",
    "get_rate",
    { base: null, quote: "USD" },
    'base must be a string such as "EUR".',
  ],
  [
    "a number as base",
    "get_rate",
    { base: 1, quote: "USD" },
    'base must be a string such as "EUR".',
  ],
  [
    "a list as base",
    "get_rate",
    { base: ["EUR"], quote: "USD" },
    'base must be a string such as "EUR".',
  ],
  [
    "an object as quote",
    "get_rate",
    { base: "EUR", quote: {} },
    'quote must be a string such as "USD".',
  ],
  [
    "true as quote",
    "get_rate",
    { base: "EUR", quote: true },
    'quote must be a string such as "USD".',
  ],
  ["no amount", "convert_currency", EUR_USD, "amount is missing."],
  [
    "a number as amount",
    "convert_currency",
    { ...EUR_USD, amount: 1 },
    'amount must be a string such as "1250.50".',
  ],
  [
    "a null amount",
    "convert_currency",
    { ...EUR_USD, amount: null },
    'amount must be a string such as "1250.50".',
  ],
] as const;

for (const [what, name, given, message] of badArguments) {
  test(`MCP: ${name} with ${what} fails as invalid_request, uncharged`, async () => {
    for (const era of eras) {
      const answer = await charging(0, () => post(callOf(era, name, given)));
      assertToolFailure(answer, "invalid_request", message);
    }
  });
}

test("MCP: a call with an unknown argument is rejected also behind a wrong key or in a batch", async () => {
  const json = callOf("2025", "get_rate", { ...EUR_USD, ["d".repeat(5000)]: "" }).json;
  const { headers } = readOf("2025");
  const call = (key: string, sent: unknown) =>
    charging(0, () => service.post(PATH, { apiKey: key, headers, json: sent }));
  assertFailure(await call(`svc_live_${"0".repeat(64)}`, json), 401, "unauthorized");
  const [first, second] = rpcsOf(await call(apiKey, [json, { ...json, id: 2 }]));
  for (const rpc of [first, second]) {
    assert.ok(rpc !== undefined);
    const { code, message } = failureIn(rpc);
    assert.equal(code, "invalid_request");
    assert.ok(String(message).length < 400, "the message repeats all of the name");
    assert.equal(metaIn(rpc)["kurs/units-charged"], "0");
  }
});

test("MCP: arguments in __proto__ are ignored and pollute nothing", async () => {
  for (const era of eras) {
    for (const member of ["__proto__", "constructor"]) {
      const raw = JSON.stringify(readOf(era).json).replace(
        '"arguments":{"base":"EUR","quote":"USD"}',
        `"arguments":{"${member}":{"base":"EUR","quote":"USD","prototype":{"base":"EUR"}}}`,
      );
      assert.ok(raw.includes(member));
      const answer = await charging(0, () => postText(era, raw));
      const rule = member === "constructor" ? noArgument("get_rate", member) : "base is missing.";
      assertToolFailure(answer, "invalid_request", rule);
    }
  }
  assert.equal(Object.hasOwn(Object.prototype, "base"), false);
});

test("MCP: arguments that are not an object are a protocol error, uncharged", async () => {
  for (const era of eras) {
    for (const given of [null, [], ["EUR", "USD"], '{"base":"EUR","quote":"USD"}', 5, true]) {
      const posted = readOf(era);
      const params = { ...(posted.json.params as object), arguments: given };
      const answer = await charging(0, () => post({ ...posted, json: { ...posted.json, params } }));
      assertRpcError(answer, 200, -32_602, /arguments/);
    }
  }
});

const AMOUNT_RULE =
  "amount must be a decimal string such as 1250.50: digits with at most one point, not negative, " +
  "without exponent or separators, at most 40 digits.";

const convert = (era: Era, amount: string) =>
  callOf(era, "convert_currency", { ...EUR_USD, amount });

const badAmounts = [
  ["no characters", ""],
  ["a space", " "],
  ["an exponent", "1e5"],
  ["an exponent in capitals", "1E5"],
  ["a negative number", "-1"],
  ["minus zero", "-0"],
  ["NaN", "NaN"],
  ["infinity", "Infinity"],
  ["41 digits", "1".repeat(41)],
  ["41 digits around a point", `${"1".repeat(40)}.1`],
  ["60,000 digits", "1".repeat(60_000)],
  ["a thousands separator", "1,000"],
  ["a decimal comma", "1,5"],
  ["a leading space", " 1"],
  ["a trailing line feed", "1\n"],
  ["a point at the end", "1."],
  ["a point at the start", ".5"],
  ["only a point", "."],
  ["two points", "1.2.3"],
  ["a plus sign", "+1"],
  ["a leading zero", "01"],
  ["a hexadecimal number", "0x10"],
  ["a JavaScript BigInt literal", "10n"],
  ["full-width digits", "１２"],
  ["Arabic digits", "١٢"],
  ["a currency", "1 EUR"],
] as const;

for (const [what, amount] of badAmounts) {
  test(`MCP: the amount ${what} fails as invalid_request, uncharged`, async () => {
    for (const era of eras) {
      const answer = await charging(0, () => post(convert(era, amount)));
      assertToolFailure(answer, "invalid_request", AMOUNT_RULE);
    }
  });
}

const goodAmounts = [
  ["0", "0.0000"],
  ["0.00", "0.000000"],
  ["1", "1.1476"],
  ["2.50", "2.869000"],
  ["1".repeat(40), "1275111111111111111111111111111111111110.9836"],
  [`0.${"0".repeat(38)}1`, `0.${"0".repeat(38)}11476`],
] as const;

for (const [amount, result] of goodAmounts) {
  test(`MCP: ${amount} EUR at 1.1476 are exactly ${result} USD, for one unit`, async () => {
    for (const era of eras) {
      const value = valueIn(rpcOf(await charging(1, () => post(convert(era, amount)))));
      assert.deepEqual(value, {
        base: "EUR",
        quote: "USD",
        rate: "1.1476",
        as_of: "2026-03-13T15:00:00.000000000Z",
        type: "direct",
        amount,
        result,
      });
    }
  });
}

const badSymbols = ["E", "", " ", "EURUSDEURUSD", "ß", "ſſ", "E R", "EUR/USD", "ＥＵＲ", "\ud800"];

for (const symbol of badSymbols) {
  test(`MCP: ${JSON.stringify(symbol)} is an invalid base and quote, uncharged`, async () => {
    for (const era of eras) {
      for (const pair of [
        { base: symbol, quote: "USD" },
        { base: "EUR", quote: symbol },
      ]) {
        const read = await charging(0, () => post(callOf(era, "get_rate", pair)));
        assertToolFailure(read, "invalid_asset_symbol", "Asset symbol format is invalid.");
        const given = { ...pair, amount: "1" };
        const conversion = await charging(0, () => post(callOf(era, "convert_currency", given)));
        assertToolFailure(conversion, "invalid_asset_symbol", "Asset symbol format is invalid.");
      }
    }
  });
}

const bothReads = [
  ["get_rate", {}],
  ["convert_currency", { amount: "1" }],
] as const;

test("MCP: symbols are trimmed and converted to upper case, as over REST", async () => {
  for (const era of eras) {
    const given = { base: " eur ", quote: "\tuSd\n" };
    for (const [name, more] of bothReads) {
      const call = callOf(era, name, { ...given, ...more });
      const value = valueIn(rpcOf(await charging(1, () => post(call))));
      assert.deepEqual([value.base, value.quote, value.rate], ["EUR", "USD", "1.1476"]);
    }
  }
});

test("MCP: a call for an unsupported or a suspended pair fails and costs one unit", async () => {
  service.storeRate("SUS", "USD", "2.5");
  service.query("UPDATE rates SET suspended_at = '2026-11-21T11:00:00.000Z' WHERE base = 'SUS'");
  for (const era of eras) {
    for (const [name, more] of bothReads) {
      const call = (base: string) => post(callOf(era, name, { base, quote: "USD", ...more }));
      assertToolFailure(
        await charging(1, () => call("NONE")),
        "unsupported_pair",
        "The requested currency pair is not currently supported.",
      );
      assertToolFailure(
        await charging(1, () => call("SUS")),
        "temporarily_unavailable",
        "The service is temporarily unable to serve this rate. Please retry.",
      );
    }
  }
});

test("MCP: the symbols are checked before the amount, and both before the quota", async () => {
  await using own = await startWithKey({ freePlanUnits: 0 });
  const call = (era: Era, name: string, given: Record<string, unknown>) =>
    own.post(callOf(era, name, given));
  for (const era of eras) {
    const both = { base: "E", quote: "USD", amount: "1e5" };
    assertToolFailure(await call(era, "convert_currency", both), "invalid_asset_symbol");
    const amount = { ...EUR_USD, amount: "1e5" };
    assertToolFailure(await call(era, "convert_currency", amount), "invalid_request", AMOUNT_RULE);
    assertToolFailure(
      await call(era, "get_rate", { base: "E", quote: "U" }),
      "invalid_asset_symbol",
    );
    assertToolFailure(await call(era, "get_rate", {}), "invalid_request", "base is missing.");

    const answer = await call(era, "get_rate", EUR_USD);
    const { request_id: _id, ...envelope } = failureIn(rpcOf(answer));
    assert.deepEqual(envelope, {
      code: "quota_exceeded",
      message: "Request-unit quota exceeded for the current billing period.",
      limit: 0,
      remaining: 0,
      reset_at: "2026-12-01T00:00:00.000Z",
    });
  }
});

test("MCP: the invalid arguments caused no internal error", () => {
  const mistakes = service.logLines.filter((line) => line.includes('"err"'));
  assert.deepEqual(mistakes, []);
});
