import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_AMOUNT_DIGITS, parseAmount } from "../../../src/reads/metering/rules.ts";
import { fc } from "../../support/properties.ts";

test("an amount keeps every digit", () => {
  const amounts = "0 1 10 1250.50 0.5 0.00 0.10 1.000 9007199254740993".split(" ");
  for (const text of amounts) assert.equal(parseAmount(text), text);
});

test("40 digits, zeros included, are an amount with the point anywhere, and 41 are not", () => {
  assert.equal(MAX_AMOUNT_DIGITS, 40, "as documented");
  for (const digits of ["1234567890".repeat(4), `1${"0".repeat(39)}`]) {
    assert.equal(parseAmount(digits), digits);
    assert.equal(parseAmount(`${digits}0`), undefined);
    for (let point = 1; point < 40; point += 1) {
      const text = `${digits.slice(0, point)}.${digits.slice(point)}`;
      assert.equal(parseAmount(text), text);
      assert.equal(parseAmount(`${text}0`), undefined, `${text}0`);
    }
  }
  assert.equal(parseAmount(`0.${"0".repeat(39)}`), `0.${"0".repeat(39)}`);
  assert.equal(parseAmount(`0.${"0".repeat(40)}`), undefined);
});

const notAmounts = [
  ...["", " ", "ten", "NaN", "Infinity", "1e5", "1E5", "1e0", "0x10", "0b1", "10n"],
  ...["-1", "-0", "+1", "−1", "01", "00.5", ".5", "1.", ".", "1.2.3", "1..2"],
  ...[
    "1,5",
    "1,000",
    "1'000",
    "1_000",
    "1 000",
    " 1",
    "1 ",
    "1\n",
    "\n1",
    "1\n2",
    "\ufeff1",
    "1\0",
  ],
  ...["１２", "١٢", "1²", "½", "5%", "€1"],
  // Rejected at once.
  ...["1".repeat(1_000_000), "0.".repeat(500_000), "9".repeat(65)],
];

test("no other notation is an amount", () => {
  for (const text of notAmounts) assert.equal(parseAmount(text), undefined, text.slice(0, 99));
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
