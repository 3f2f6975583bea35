import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("Bank Negara Malaysia's ringgit per 100 units have their point moved, each digit as written", () => {
  const middle = parse("bnm").filter((line) => line.kind === "middle");
  assert.deepEqual(figuresOf(middle), [
    "INR/MYR 0.042244000000000002",
    "XDR/MYR 5.3537999999999997",
    "JPY/MYR 0.024596",
    "USD/MYR 3.9300000000000002",
  ]);
  assert.deepEqual(rejectionsOf(parse("bnm")), []);
});

test("Bank Negara Malaysia's buying and selling rates are figures of their own", () => {
  const usd = parse("bnm").filter((line) => "rate" in line && line.base === "USD");
  const stated = usd.flatMap((line) => ("rate" in line ? [`${line.kind} ${line.rate}`] : []));
  assert.deepEqual(stated, [
    "middle 3.9300000000000002",
    "buying 3.927",
    "selling 3.9329999999999998",
  ]);
});

test("Bank Negara Malaysia's rates are dated 09:00 in Kuala Lumpur, all year", () => {
  assert.deepEqual(momentsOf(parse("bnm")), ["2026-03-19T01:00:00.000000000Z"]);
  const summer = parseWith("bnm", '"date":"2026-03-19', '"date":"2025-07-18');
  assert.deepEqual(momentsOf(summer), ["2025-07-18T01:00:00.000000000Z"]);
});

test("a row of Bank Negara Malaysia for 15 units is rejected, and the others are kept", () => {
  const lines = parseWith("bnm", '"JPY","unit":100', '"JPY","unit":15');
  assert.equal(figuresOf(lines).length, 7);
  assert.deepEqual(
    rejectionsOf(lines),
    ["middle", "buying", "selling"].map(() => '"JPY/MYR" is not for a power of ten of units'),
  );
});
