import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_AMOUNT_DIGITS, parseAmount } from "../../../src/reads/metering/rules.ts";
import { fc } from "../../support/properties.ts";

test("an amount has at most 40 digits, as documented", () => {
  assert.equal(MAX_AMOUNT_DIGITS, 40);
});

const amounts = ["0", "1", "10", "1250.50", "0.5", "0.00", "0.10", "1.000", "9007199254740993"];

for (const text of amounts) {
  test(`${text} is an amount and keeps every digit`, () => assert.equal(parseAmount(text), text));
}

test("40 digits are an amount with the point anywhere, and 41 are not", () => {
  const digits = "1234567890".repeat(4);
  assert.equal(parseAmount(digits), digits);
  assert.equal(parseAmount(`${digits}1`), undefined);
  for (let point = 1; point < 40; point += 1) {
    const text = `${digits.slice(0, point)}.${digits.slice(point)}`;
    assert.equal(parseAmount(text), text);
    assert.equal(parseAmount(`${text}0`), undefined, `${text}0`);
  }
});

test("zeros count as digits: before the point, after it and at the end", () => {
  assert.equal(parseAmount(`0.${"0".repeat(39)}`), `0.${"0".repeat(39)}`);
  assert.equal(parseAmount(`0.${"0".repeat(40)}`), undefined);
  assert.equal(parseAmount(`1${"0".repeat(39)}`), `1${"0".repeat(39)}`);
  assert.equal(parseAmount(`1${"0".repeat(40)}`), undefined);
});

const notAmounts = [
  ["no characters", ""],
  ["white space", " "],
  ["a word", "ten"],
  ["not a number", "NaN"],
  ["infinity", "Infinity"],
  ["an exponent", "1e5"],
  ["an exponent in capitals", "1E5"],
  ["an exponent of zero", "1e0"],
  ["a minus", "-1"],
  ["a minus before zero", "-0"],
  ["a plus", "+1"],
  ["a minus sign that is not a hyphen", "−1"],
  ["a leading zero", "01"],
  ["leading zeros before a point", "00.5"],
  ["a leading point", ".5"],
  ["a trailing point", "1."],
  ["only a point", "."],
  ["two points", "1.2.3"],
  ["two points in a row", "1..2"],
  ["a decimal comma", "1,5"],
  ["a thousands separator", "1,000"],
  ["an apostrophe", "1'000"],
  ["an underscore", "1_000"],
  ["a space inside", "1 000"],
  ["a leading space", " 1"],
  ["a trailing space", "1 "],
  ["a trailing line feed", "1\n"],
  ["a leading line feed", "\n1"],
  ["two lines", "1\n2"],
  ["a byte order mark", "\ufeff1"],
  ["a zero byte", "1\0"],
  ["a hexadecimal number", "0x10"],
  ["a binary number", "0b1"],
  ["a JavaScript BigInt literal", "10n"],
  ["full-width digits", "１２"],
  ["Arabic digits", "١٢"],
  ["a superscript", "1²"],
  ["a fraction", "½"],
  ["a percentage", "5%"],
  ["a currency", "€1"],
] as const;

for (const [what, text] of notAmounts) {
  test(`${what} is not an amount`, () => assert.equal(parseAmount(text), undefined));
}

test("a long text is rejected at once", () => {
  for (const text of ["1".repeat(1_000_000), `${"0.".repeat(500_000)}`, "9".repeat(65)]) {
    assert.equal(parseAmount(text), undefined);
  }
});

test("a text is an amount exactly if it is a plain decimal of at most 40 digits", () => {
  const unit = fc.constantFrom(..."0123456789.eE+-, x\n");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 48 }), (text) => {
      const [whole = "", fraction, ...rest] = text.split(".");
      const isDigits = (part: string) => part !== "" && !/[^0-9]/.test(part);
      const isPlain =
        rest.length === 0 &&
        isDigits(whole) &&
        (whole === "0" || whole[0] !== "0") &&
        (fraction === undefined || isDigits(fraction)) &&
        whole.length + (fraction?.length ?? 0) <= 40;
      assert.equal(parseAmount(text), isPlain ? text : undefined);
    }),
    { numRuns: 3000 },
  );
});

test("every plain decimal of up to 40 digits is an amount", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), digits, (whole, fraction) => {
      for (const text of [String(whole), `${whole}.${fraction}`]) {
        assert.equal(parseAmount(text), text);
      }
    }),
  );
});
