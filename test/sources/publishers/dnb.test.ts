import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Danmarks Nationalbank's kroner per 100 units have their point moved", () => {
  const lines = parse("dnb");
  assert.deepEqual(figuresOf(lines), ["CNY/DKK 0.9781", "USD/DKK 7.0818"]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("Danmarks Nationalbank's rates are dated 16:00 in Copenhagen, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("dnb")), ["2024-11-14T15:00:00.000000000Z"]);
  const summer = parseWith("dnb", "2024-11-14", "2025-07-14");
  assert.deepEqual(momentsOf(summer), ["2025-07-14T14:00:00.000000000Z"]);
});

const oddRows = [
  ['rate="97.81"', 'rate="97,81"', ': "97,81" is not a decimal number above zero'],
  ['rate="97.81"', "", " has no rate"],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of Danmarks Nationalbank with ${to || "no rate"} is rejected, the other kept`, () => {
    const lines = parseWith("dnb", from, to);
    assert.deepEqual(figuresOf(lines), ["USD/DKK 7.0818"]);
    assert.deepEqual(rejectionsOf(lines), [`"CNY/DKK"${reason}`]);
  });
}
