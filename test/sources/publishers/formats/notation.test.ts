import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decimalOfComma,
  decimalWithoutCommas,
  isoDateOf,
  isoDateOfMonthFirst,
} from "../../../../src/sources/publishers/formats/notation.ts";

const dates = [
  ["25.04.2026", "2026-04-25"],
  ["5/4/2026", "2026-04-05"],
  ["05-04-2026", "2026-04-05"],
  ["20-Mar-2026", "2026-03-20"],
  ["5 September 2026", "2026-09-05"],
  ["2026-04-25", ""],
  ["25.04/2026", ""],
  ["25.04.26", ""],
] as const;

for (const [text, date] of dates) {
  test(`the date ${text} has its day first: ${date || "unreadable"}`, () => {
    assert.equal(isoDateOf(text), date);
  });
}

test("a date of an unknown month is no date", () => {
  assert.equal(isoDateOf("20-Mrz-2026"), "2026-Mrz-20");
});

test("an American date has its month first", () => {
  assert.equal(isoDateOfMonthFirst("04/25/2026"), "2026-04-25");
  assert.equal(isoDateOfMonthFirst("March 2, 2026"), "2026-03-02");
  assert.equal(isoDateOfMonthFirst("March 02, 2026"), "2026-03-02");
  assert.equal(isoDateOfMonthFirst("2026-04-25"), "");
});

test("a decimal comma becomes a point, and the marks of groups go", () => {
  assert.equal(decimalOfComma("79,4500"), "79.4500");
  assert.equal(decimalOfComma("79"), "79");
  assert.equal(decimalOfComma("1.079,4500", "."), "1079.4500");
  assert.equal(decimalOfComma("1 234 567,8", " "), "1234567.8");
});

for (const text of ["79.4500", "1.079,45", "79,45,1", "79,", ",5", "", "-1,5", "1e3"]) {
  test(`"${text}" is no number with a decimal comma`, () => {
    assert.equal(decimalOfComma(text), undefined);
  });
}

test("commas between groups of three digits go", () => {
  assert.equal(decimalWithoutCommas("1,479.800000"), "1479.800000");
  assert.equal(decimalWithoutCommas("1234.5"), "1234.5");
  assert.equal(decimalWithoutCommas("0.075100"), "0.075100");
});

for (const text of ["1,47.98", "1479,800.5", "14,79", "1,479.", "NA", ""]) {
  test(`"${text}" is no number with commas between groups of three digits`, () => {
    assert.equal(decimalWithoutCommas(text), undefined);
  });
}
