import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decimalOfComma,
  decimalWithoutCommas,
  isoDateOf,
  isoDateOfMonthFirst,
} from "../../../../../src/rates/sources/publishers/formats/notation.ts";

/** Each reader of a notation, a text, and what it reads; "" or undefined: nothing. */
const texts: readonly (readonly [string, (text: string) => unknown, string, unknown])[] = [
  ...(
    [
      ["25.04.2026", "2026-04-25"],
      ["5/4/2026", "2026-04-05"],
      ["05-04-2026", "2026-04-05"],
      ["20-Mar-2026", "2026-03-20"],
      ["5 September 2026", "2026-09-05"],
      // An unknown month makes no date.
      ["20-Mrz-2026", "2026-Mrz-20"],
      ...["2026-04-25", "25.04/2026", "25.04.26"].map((text) => [text, ""] as const),
    ] as const
  ).map(([text, date]) => ["a date with its day first", isoDateOf, text, date] as const),
  ...(
    [
      ["04/25/2026", "2026-04-25"],
      ["March 2, 2026", "2026-03-02"],
      ["March 02, 2026", "2026-03-02"],
      ["2026-04-25", ""],
    ] as const
  ).map(([text, date]) => ["an American date", isoDateOfMonthFirst, text, date] as const),
  ["a number with a decimal comma", decimalOfComma, "79,4500", "79.4500"],
  ["a number with a decimal comma", decimalOfComma, "79", "79"],
  ["groups by points", (text) => decimalOfComma(text, "."), "1.079,4500", "1079.4500"],
  ["groups by spaces", (text) => decimalOfComma(text, " "), "1 234 567,8", "1234567.8"],
  ...["79.4500", "1.079,45", "79,45,1", "79,", ",5", "", "-1,5", "1e3"].map(
    (text) => ["a number with a decimal comma", decimalOfComma, text, undefined] as const,
  ),
  ["groups by commas", decimalWithoutCommas, "1,479.800000", "1479.800000"],
  ["groups by commas", decimalWithoutCommas, "1234.5", "1234.5"],
  ["groups by commas", decimalWithoutCommas, "0.075100", "0.075100"],
  ...["1,47.98", "1479,800.5", "14,79", "1,479.", "NA", ""].map(
    (text) => ["groups by commas", decimalWithoutCommas, text, undefined] as const,
  ),
];

for (const [what, read, text, expected] of texts) {
  test(`"${text}" as ${what} is read as ${expected || "nothing"}`, () => {
    assert.equal(read(text), expected);
  });
}
