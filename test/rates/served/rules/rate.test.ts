import assert from "node:assert/strict";
import { test } from "node:test";
import { isDecimal, parseDecimal } from "../../../../src/platform/shared/decimal.ts";
import { instantAt } from "../../../../src/platform/shared/instant.ts";
import { rateJson } from "../../../../src/rates/served/json.ts";
import {
  latestAsOf,
  parseQuotation,
  type Quotation,
  rateBody,
} from "../../../../src/rates/served/rules/rate.ts";
import { parsePair } from "../../../../src/rates/served/rules/symbol.ts";
import { anyCharacter, fc } from "../../../support/properties.ts";

const LATEST = latestAsOf(Date.parse("2026-11-21T12:00:00.000Z"));

const good: Quotation = { base: "EUR", quote: "USD", rate: "1.1476", asOf: "2026-03-13T15:00:00Z" };

const parseWith = (change: Partial<Quotation>) => parseQuotation({ ...good, ...change }, LATEST);

test("a valid quotation becomes a rate in stored form", () => {
  const rate = parseWith({
    base: " eur",
    quote: "usd\t",
    rate: " 1.10e0 ",
    asOf: " 2026-03-13T16:00:00+01:00\n",
  });
  assert.deepEqual(rate, {
    base: "EUR",
    quote: "USD",
    rate: "1.10",
    asOf: "2026-03-13T15:00:00.000000000Z",
  });
});

test("a rate is never inverted, crossed or rounded", () => {
  const figure = "0.0000000000000000000000000000000000000001234567890";
  assert.deepEqual(parseWith({ base: "USD", quote: "EUR", rate: figure }), {
    base: "USD",
    quote: "EUR",
    rate: figure,
    asOf: "2026-03-13T15:00:00.000000000Z",
  });
});

const NO_DECIMAL = "is not a decimal number such as 1.1476, of at most 64 characters";
const NO_TIME = "is not an RFC 3339 time such as 2026-03-13T15:00:00Z";

const rejected = [
  ["an invalid base", { base: "E" }, 'base "E" is not a symbol of 2 to 10 letters A-Z or digits'],
  ["a bad quote", { quote: "U$D" }, 'quote "U$D" is not a symbol of 2 to 10 letters A-Z or digits'],
  ["a pair of one symbol", { quote: "eur" }, "base and quote are both EUR"],
  ["a text as rate", { rate: "1,1" }, `rate "1,1" ${NO_DECIMAL}`],
  ["an empty rate", { rate: "" }, `rate "" ${NO_DECIMAL}`],
  ["a rate of zero", { rate: "0.00" }, 'rate "0.00" is not above zero'],
  ["a zero with an exponent", { rate: "0e9" }, 'rate "0e9" is not above zero'],
  ["a negative rate", { rate: "-1.5" }, 'rate "-1.5" is not above zero'],
  ["a negative zero", { rate: "-0" }, 'rate "-0" is not above zero'],
  ["only a date", { asOf: "2026-03-13" }, `as_of "2026-03-13" ${NO_TIME}`],
  [
    "a leap second",
    { asOf: "2016-12-31T23:59:60Z" },
    'as_of "2016-12-31T23:59:60Z" is a leap second, which is not stored: state another second',
  ],
  [
    "a time more than a day in the future",
    { asOf: "2026-11-22T12:00:00.000000001Z" },
    'as_of "2026-11-22T12:00:00.000000001Z" is more than a day in the future',
  ],
] as const;

for (const [what, change, reason] of rejected) {
  test(`${what} is rejected with its reason`, () =>
    assert.deepEqual(parseWith(change), { reason }));
}

test("a time exactly one day in the future is the latest that is accepted", () => {
  const rate = parseWith({ asOf: "2026-11-22T12:00:00Z" });
  assert.equal("asOf" in rate && rate.asOf, "2026-11-22T12:00:00.000000000Z");
});

test("a reason escapes and shortens the text that it quotes", () => {
  const result = parseWith({ rate: `\u001b[31m\n${"x".repeat(1000)}` });
  assert.ok("reason" in result);
  assert.ok(result.reason.length < 120, result.reason);
  assert.ok([...result.reason].every((character) => character >= " "));
});

test("any four texts give a rate or a reason of one line, and nothing is thrown", () => {
  const text = (fit: string) => fc.oneof(fc.constant(fit), fc.string({ unit: anyCharacter }));
  const quotation = fc.record({
    base: text("EUR"),
    quote: text("USD"),
    rate: text("1.5"),
    asOf: text("2026-03-13T15:00:00Z"),
  });
  fc.assert(
    fc.property(quotation, (quoted) => {
      const result = parseQuotation(quoted, LATEST);
      if ("reason" in result) assert.doesNotMatch(result.reason, /[\r\n]/);
      else assert.match(result.rate, /^[0-9]+(\.[0-9]+)?$/);
    }),
    { numRuns: 1000 },
  );
});

test("the body of a rate equals JSON.stringify of the rate", () => {
  const digits = fc.stringMatching(/^[0-9]{1,30}(\.[0-9]{1,30})?$/);
  const symbols = fc.stringMatching(/^[A-Za-z0-9]{2,10}$/);
  const nowMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(symbols, symbols, digits, nowMs, (base, quote, text, asOfMs) => {
      const pair = parsePair(base, quote);
      const rate = parseDecimal(text);
      assert.ok(pair !== undefined);
      fc.pre(isDecimal(rate));
      const whole = { ...pair, rate, asOf: instantAt(asOfMs) };
      assert.equal(rateBody(whole), JSON.stringify(rateJson(whole)));
    }),
  );
});
