import assert from "node:assert/strict";
import { test } from "node:test";
import { isDecimal, parseDecimal } from "../../../../src/platform/shared/decimal.ts";
import { instantAt } from "../../../../src/platform/shared/instant.ts";
import { rateJson } from "../../../../src/rates/served/json.ts";
import { rateBody } from "../../../../src/rates/served/rules/rate.ts";
import { parsePair } from "../../../../src/rates/served/rules/symbol.ts";
import { fc } from "../../../support/properties.ts";

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
