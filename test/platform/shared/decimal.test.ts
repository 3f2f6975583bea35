import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Decimal,
  isLess,
  isZero,
  MAX_DECIMAL_LENGTH,
  movePoint,
  multiply,
  parseDecimal,
  percentAbove,
  subtract,
} from "../../../src/platform/shared/decimal.ts";
import { fc } from "../../support/properties.ts";

const digit = fc.constantFrom(..."0123456789");
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: digit, minLength, maxLength });
const whole = fc.oneof(
  fc.constant("0"),
  fc.tuple(fc.constantFrom(..."123456789"), digits(0, 30)).map(([first, rest]) => first + rest),
);
/** Any number without an exponent that a publisher can print. */
const printed = fc
  .tuple(whole, fc.option(digits(1, 30), { nil: undefined }))
  .map(([before, after]) => (after === undefined ? before : `${before}.${after}`));

/** A number as a multiple of its last decimal place: `1.10` is 110 with 2 places. */
function counted(text: string): { readonly count: bigint; readonly places: number } {
  const [before = "", after = ""] = text.split(".");
  return { count: BigInt(before + after), places: after.length };
}

/** Writes `count / 10 ** places` with integer arithmetic only. */
function writtenOut(count: bigint, places: number): string {
  if (places <= 0) return String(count * 10n ** BigInt(-places));
  const text = String(count).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

test("any decimal text of a publisher keeps every digit", () => {
  fc.assert(fc.property(printed, (text) => assert.equal(parseDecimal(text), text)));
});

test("writing out an exponent equals integer arithmetic", () => {
  const exponent = fc.integer({ min: -MAX_DECIMAL_LENGTH, max: MAX_DECIMAL_LENGTH });
  const form = fc.constantFrom("e", "E", "e+", "E+");
  fc.assert(
    fc.property(printed, exponent, form, (text, power, letter) => {
      const sign = power < 0 ? letter[0] : letter;
      const { count, places } = counted(text);
      const expected = writtenOut(count, places - power);
      const fits = expected.length <= MAX_DECIMAL_LENGTH;
      assert.equal(parseDecimal(`${text}${sign}${power}`), fits ? expected : "malformed");
    }),
    { numRuns: 1000 },
  );
});

test("moving the point equals integer arithmetic with powers of ten", () => {
  fc.assert(
    fc.property(printed, fc.integer({ min: -40, max: 40 }), (text, power) => {
      const { count, places } = counted(text);
      const moved = movePoint(text as Decimal, power);
      assert.equal(moved, power === 0 ? text : writtenOut(count, places - power));
    }),
    { numRuns: 1000 },
  );
});

test("writing out an exponent keeps trailing zeros and removes leading ones", () => {
  const cases = [
    ["1.0e-5", "0.000010"],
    ["0.00120e2", "0.120"],
    ["1.10e-0", "1.10"],
    ["0.00e1", "0.0"],
    ["1e0001", "10"],
  ] as const;
  for (const [text, written] of cases) assert.equal(parseDecimal(text), written, text);
});

const malformed = [
  ...["", "abc", "NaN", "Infinity", "+1.5", "--1", "-", "01.5", ".5", "5.", "1.2.3", "1,5"],
  ...["1'000", "1_000", "0x10", "10n", "1e", "1e1.5", "1e00001", " 1.5", "1.5 ", "1.5\n", "5%"],
  // Other scripts' digits, a full-width digit, and a minus sign that is not a hyphen.
  ...["١.٥", "１", "−1"],
];

test("no other notation is a decimal number", () => {
  for (const text of malformed) assert.equal(parseDecimal(text), "malformed", text);
});

test("a number below zero is reported as negative, and minus zero is zero", () => {
  for (const text of ["-1", "-0.001", "-1e-5", "-1.50E3"]) {
    assert.equal(parseDecimal(text), "negative", text);
  }
  assert.equal(parseDecimal("-0"), "0");
  assert.equal(parseDecimal("-0.00"), "0.00");
});

test("a number has at most 64 characters, before and after its exponent is written out", () => {
  const longest = `0.${"1".repeat(62)}`;
  assert.equal(longest.length, MAX_DECIMAL_LENGTH);
  assert.equal(parseDecimal(longest), longest);
  assert.equal(parseDecimal(`${longest}1`), "malformed");
  assert.equal(parseDecimal("1e63"), `1${"0".repeat(63)}`);
  assert.equal(parseDecimal("1e64"), "malformed");
  assert.equal(parseDecimal("1e-62"), `0.${"0".repeat(61)}1`);
  assert.equal(parseDecimal("1e-63"), "malformed");
});

test("an exponent or a length that would exhaust memory is rejected at once", () => {
  assert.equal(parseDecimal("1e9999"), "malformed");
  assert.equal(parseDecimal("1e-9999"), "malformed");
  assert.equal(parseDecimal("1e999999999"), "malformed");
  assert.equal(parseDecimal("1".repeat(1_000_000)), "malformed");
});

test("any text gives a decimal or the reason why it is none", () => {
  const unit = fc.constantFrom(..."0123456789.eE+- ,x");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 80 }), (text) => {
      const parsed = parseDecimal(text);
      if (parsed === "negative" || parsed === "malformed") return;
      assert.match(parsed, /^(0|[1-9][0-9]*)(\.[0-9]+)?$/);
      assert.ok(parsed.length <= MAX_DECIMAL_LENGTH);
    }),
    { numRuns: 2000 },
  );
});

test("zero is zero with any number of places", () => {
  for (const text of ["0", "0.0", "0.000"]) assert.ok(isZero(text), text);
  for (const text of ["1", "0.1", "0.0001", "10"]) assert.ok(!isZero(text), text);
});

/** A decimal of any size that amounts and rates can have, with leading or trailing zeros. */
const factor = fc
  .tuple(fc.oneof(whole, fc.constant("0")), fc.oneof(fc.constant(""), digits(1, 62)))
  .map(([before, after]) => (after === "" ? before : `${before}.${after}`));

test("a product equals that of the integers, with the places of both factors", () => {
  fc.assert(
    fc.property(factor, factor, (left, right) => {
      const [a, b] = [counted(left), counted(right)];
      const product = multiply(left as Decimal, right as Decimal);
      assert.equal(product, writtenOut(a.count * b.count, a.places + b.places));
      assert.equal(counted(product).places, a.places + b.places);
      assert.match(product, /^(0|[1-9][0-9]*)(\.[0-9]+)?$/);
    }),
    { numRuns: 3000 },
  );
});

const products = [
  ["2.50", "1.1476", "2.869000"],
  ["0", "1.1476", "0.0000"],
  // As floats: 0.30000000000000004 and 9007199254740992.
  ["3", "0.1", "0.3"],
  ["9007199254740993", "1", "9007199254740993"],
] as const;

for (const [left, right, product] of products) {
  test(`${left} times ${right} is exactly ${product}`, () => {
    assert.equal(multiply(left as Decimal, right as Decimal), product);
  });
}

test("the longest amount times the longest rate has every digit", () => {
  const nines = "9".repeat(40);
  const rate = `0.${"9".repeat(62)}`;
  const product = multiply(nines as Decimal, rate as Decimal);
  // (10^40 - 1) × (1 - 10^-62), computed by hand.
  assert.equal(product, `${"9".repeat(39)}8.${"9".repeat(22)}${"0".repeat(39)}1`);
});

const differences = [
  ["1.1476", "1.1471", "0.0005"],
  ["1.15", "1.1471", "0.0029"],
  ["24.410", "24.4", "0.010"],
  ["24.400", "24.4", "0.000"],
  // As floats: 0.09999999999999998.
  ["0.4", "0.3", "0.1"],
  ["9007199254740993", "9007199254740992", "1"],
] as const;

for (const [value, less, difference] of differences) {
  test(`${value} less ${less} is exactly ${difference}`, () => {
    const [high, low] = [value as Decimal, less as Decimal];
    assert.equal(subtract(high, low), difference);
    assert.equal(isLess(low, high), !isZero(difference));
    assert.equal(isLess(high, low), false);
  });
}

const percents = [
  ["1.1471", "1.1476", "0.0436"],
  ["24.4", "24.410", "0.0410"],
  ["100", "150", "50.0000"],
  ["1.10", "1.1", "0.0000"],
  // Exactly halfway between two results, and a little less.
  ["200000000", "200000300", "0.0002"],
  ["2000000", "2000001", "0.0001"],
  ["2000001", "2000002", "0.0000"],
  ["0.00000000000000001", "0.00000000000000003", "200.0000"],
] as const;

for (const [value, greater, percent] of percents) {
  test(`${greater} is ${percent} percent above ${value}, to four places`, () => {
    assert.equal(percentAbove(value as Decimal, greater as Decimal, 4), percent);
  });
}
