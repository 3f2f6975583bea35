import assert from "node:assert/strict";
import { test } from "node:test";
import { type Rounding, times, toNumber } from "../../client/src/index.ts";
import { fc, runsOf } from "../support/properties.ts";

const RUNS = runsOf(3000);

const roundings = ["half-even", "half-up", "down", "up"] as const;

/** Whether the dropped digits make the kept ones one larger. Compares their text. */
function roundsUp(rounding: Rounding, kept: string, dropped: string): boolean {
  const half = dropped.replace(/./, "5").replaceAll(/(?<=.)./g, "0");
  const isOdd = "13579".includes(kept.at(-1) ?? "0");
  if (rounding === "down" || dropped === "") return false;
  if (rounding === "up") return /[1-9]/.test(dropped);
  return dropped > half || (dropped === half && (rounding === "half-up" || isOdd));
}

const placesOf = (text: string) => text.split(".")[1]?.length ?? 0;
const wholeOf = (text: string) => BigInt(text.replaceAll(/[-.]/g, ""));

/** A product of whole numbers, cut and rounded as text. */
function expected(amount: string, rate: string, scale: number, rounding: Rounding): string {
  const places = placesOf(amount) + placesOf(rate);
  const product = String(wholeOf(amount) * wholeOf(rate)).padStart(places + 1, "0");
  const padded = product + "0".repeat(Math.max(0, scale - places));
  const end = padded.length - Math.max(0, places - scale);
  const [kept, dropped] = [padded.slice(0, end) || "0", padded.slice(end)];
  const one = roundsUp(rounding, kept, dropped) ? 1n : 0n;
  const digits = String(BigInt(kept) + one).padStart(scale + 1, "0");
  const cut = digits.length - scale;
  const text = digits.slice(0, cut) + (scale > 0 ? `.${digits.slice(cut)}` : "");
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

test("a product is exact and rounded once", () => {
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
