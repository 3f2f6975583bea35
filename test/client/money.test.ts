import assert from "node:assert/strict";
import { test } from "node:test";
import { type Rounding, times, toNumber } from "../../client/src/index.ts";
import { fc, runsOf } from "../support/properties.ts";

const RUNS = runsOf(3000);

const roundings = ["half-even", "half-up", "down", "up"] as const;

/** Digits of a whole number, the last first. */
type Digits = readonly number[];

const digitsOf = (text: string): Digits => [...text].reverse().map(Number);
const textOf = (digits: Digits) => [...digits].reverse().join("");

/** The product as it is multiplied on paper. */
function multiplied(left: Digits, right: Digits): Digits {
  const product: number[] = Array(left.length + right.length).fill(0);
  for (const [place, digit] of left.entries()) {
    for (const [shift, factor] of right.entries()) {
      const at = place + shift;
      product[at] = (product[at] ?? 0) + digit * factor;
    }
  }
  return carried(product);
}

function carried(places: readonly number[]): Digits {
  let carry = 0;
  const digits = places.map((place) => {
    const sum = place + carry;
    carry = Math.floor(sum / 10);
    return sum % 10;
  });
  return carry === 0 ? digits : [...digits, ...digitsOf(String(carry))];
}

/** Whether the dropped digits make the kept ones one larger. Compares their text. */
function roundsUp(rounding: Rounding, kept: string, dropped: string): boolean {
  const half = dropped.replace(/./, "5").replaceAll(/(?<=.)./g, "0");
  const isOdd = "13579".includes(kept.at(-1) ?? "0");
  if (rounding === "down" || dropped === "") return false;
  if (rounding === "up") return /[1-9]/.test(dropped);
  return dropped > half || (dropped === half && (rounding === "half-up" || isOdd));
}

/** A product by arithmetic on decimal text, without BigInt. */
function expected(amount: string, rate: string, scale: number, rounding: Rounding): string {
  const [whole, places] = [amount, rate]
    .map((text) => text.replace("-", "").split("."))
    .reduce(
      ([digits, count], [head = "", tail = ""]) => [
        textOf(multiplied(digitsOf(digits), digitsOf(head + tail))),
        count + tail.length,
      ],
      ["1", 0] as [string, number],
    );
  const padded = whole.padStart(places + 1, "0") + "0".repeat(Math.max(0, scale - places));
  const end = padded.length - Math.max(0, places - scale);
  const [kept, dropped] = [padded.slice(0, end) || "0", padded.slice(end)];
  const one = roundsUp(rounding, kept, dropped) ? 1 : 0;
  const [last = 0, ...others] = digitsOf(kept);
  const digits = textOf(carried([last + one, ...others])).padStart(scale + 1, "0");
  const cut = digits.length - scale;
  const text =
    digits.slice(0, cut).replace(/^0+(?=.)/, "") + (scale > 0 ? `.${digits.slice(cut)}` : "");
  const isNegative = amount.startsWith("-") !== rate.startsWith("-") && /[1-9]/.test(text);
  return (isNegative ? "-" : "") + text;
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789", "0", "5", "5"), minLength, maxLength });

const decimals = fc
  .tuple(fc.boolean(), digits(1, 20), digits(0, 25))
  .map(([isNegative, whole, fraction]) => {
    return `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  });

test("a product is exact and rounded once, as arithmetic on paper gives it", () => {
  fc.assert(
    fc.property(
      decimals,
      decimals,
      fc.integer({ min: 0, max: 60 }),
      fc.constantFrom(...roundings),
      (amount, rate, scale, rounding) => {
        assert.equal(
          times(amount, rate, { scale, rounding }),
          expected(amount, rate, scale, rounding),
        );
      },
    ),
    { numRuns: RUNS },
  );
});

test("a tie is rounded as its rounding says", () => {
  fc.assert(
    fc.property(decimals, fc.integer({ min: 0, max: 30 }), (amount, scale) => {
      const [whole = "", fraction = ""] = amount.split(".");
      const tie = `${whole}.${fraction.padEnd(scale, "0").slice(0, scale)}5`;
      for (const rounding of roundings) {
        assert.equal(times(tie, "1", { scale, rounding }), expected(tie, "1", scale, rounding));
      }
    }),
    { numRuns: RUNS },
  );
});

const examples = [
  ["2.5", "2", "3", "2", "3"],
  ["3.5", "4", "4", "3", "4"],
  ["-2.5", "-2", "-3", "-2", "-3"],
  ["2.51", "3", "3", "2", "3"],
  ["-0.4", "0", "0", "0", "-1"],
] as const;

test("half-even, half-up, down and up round these amounts", () => {
  for (const [amount, ...rounded] of examples) {
    const results = roundings.map((rounding) => times(amount, "1", { scale: 0, rounding }));
    assert.deepEqual(results, rounded, amount);
  }
  const cents = { scale: 2, rounding: "half-even" } as const;
  assert.equal(times("1250.50", "1.1476", cents), "1435.07");
  assert.equal(times("3", "0.5", cents), "1.50");
  assert.equal(times("0.1", "0.2", { scale: 20, rounding: "down" }), "0.02000000000000000000");
});

test("what is no decimal text, no scale or no rounding is an error that says what to pass", () => {
  const cents = { scale: 2, rounding: "down" } as const;
  for (const text of ["", "1e3", "1.", ".5", "+1", "1,5", " 1", "0x1", "NaN", "1\n"]) {
    const wanted = `must be a text such as "1250.50" (got "${text}")`;
    assert.throws(() => times(text, "1", cents), new TypeError(`amount ${wanted}`));
    assert.throws(() => times("1", text, cents), new TypeError(`rate ${wanted}`));
  }
  assert.throws(() => times(1.5 as unknown as string, "1", cents), TypeError);
  for (const scale of [-1, 0.5, 101, Number.NaN]) {
    assert.throws(() => times("1", "1", { ...cents, scale }), RangeError);
  }
  const rounding = "floor" as "down";
  assert.throws(
    () => times("1.234", "1", { scale: 2, rounding }),
    /rounding must be one of half-even/,
  );
  assert.throws(() => times("1", "1", { scale: 2, rounding }), /rounding must be one of half-even/);
});

test("a rate as a number loses digits", () => {
  assert.equal(toNumber("1.1476"), 1.1476);
  assert.equal(String(toNumber("0.12345678901234567890")), "0.12345678901234568");
  // Of a failed read there is no rate: a chart would show 0.
  for (const none of ["", null, undefined]) {
    assert.throws(() => toNumber(none as string), TypeError);
  }
});
