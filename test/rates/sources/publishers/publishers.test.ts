import assert from "node:assert/strict";
import { test } from "node:test";
import { latestAsOf, parseQuotation } from "../../../../src/rates/served/rules/rate.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";
import { fc } from "../../../support/properties.ts";
import {
  figuresOf,
  momentsOf,
  parse,
  parseWith,
  recordedOf,
  rejectionsOf,
  validityOf,
} from "./recorded.ts";
import type { Loss } from "./rows/row.ts";

/** After every recorded publication. */
const NEWEST = latestAsOf(Date.parse("2026-10-31T00:00:00Z"));

const listed = (text: string) => (text === "" ? [] : text.split(", "));

const instantsOf = (text: string) =>
  listed(text).map((time) =>
    Temporal.Instant.from(`${time}Z`).toString({ fractionalSecondDigits: 9 }),
  );

/** Line feeds would break a title. */
const shown = (text: string) => JSON.stringify(text);

const pairOf = (figure: string) => figure.split(" ")[0] ?? "";

/** The figures that remain, in alphabetical order. */
function remaining(figures: string, { pairs }: Loss, instead: string): readonly string[] {
  const kept = listed(figures).filter((figure) => !pairs.includes(pairOf(figure)));
  return [...kept, ...listed(instead)].sort();
}

const wholes = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,12}$/));
const fractions = fc.oneof(fc.constant(""), fc.stringMatching(/^[0-9]{1,20}$/));
const decimals = fc
  .tuple(wholes, fractions)
  .map(([whole, fraction]) => (fraction === "" ? whole : `${whole}.${fraction}`))
  .filter((figure) => /[1-9]/.test(figure));

/** The digits without the point and the leading zeros. */
const significant = (figure: string) => figure.replace(".", "").replace(/^0+/, "");

const placesOf = (figure: string) => figure.split(/[.,]/)[1]?.length ?? 0;

for (const { key } of publishers) {
  const { figures, asOf, valid, moved = [], changed = [], digits } = recordedOf(key);

  test(`${key}: each figure is read in its direction, digit by digit, and none is rejected`, () => {
    const lines = parse(key);
    assert.deepEqual(figuresOf(lines), listed(figures));
    assert.deepEqual(rejectionsOf(lines), []);
    if (valid !== undefined) assert.deepEqual(validityOf(lines), [valid]);
    assert.deepEqual(momentsOf(lines), instantsOf(asOf));
  });

  for (const [from, to, movedTo, movedValid] of moved) {
    test(`${key}: ${shown(to)} instead of ${shown(from)} is dated ${movedTo} in UTC`, () => {
      const lines = parseWith(key, from, to);
      assert.deepEqual(momentsOf(lines), instantsOf(movedTo));
      if (movedValid !== undefined) assert.deepEqual(validityOf(lines), [movedValid]);
    });
  }

  for (const [from, to, loss, instead = ""] of changed) {
    test(`${key}: ${shown(to)} instead of ${shown(from)} changes nothing else`, () => {
      const lines = parseWith(key, from, to);
      assert.deepEqual([...figuresOf(lines)].sort(), remaining(figures, loss, instead));
      assert.deepEqual([...new Set(rejectionsOf(lines))], loss.reasons);
    });
  }

  for (const [pair, stated] of Object.entries(digits)) {
    const [number = ""] = /[\d.,]*\d(?=\D*$)/.exec(stated) ?? [];
    const recorded = listed(figures).find((figure) => pairOf(figure) === pair) ?? "";
    const moves = placesOf(recorded.split(" ")[1] ?? "") - placesOf(number);

    test(`${key}: any decimal of ${pair} keeps every digit, its point moved by ${moves}`, () => {
      fc.assert(
        fc.property(decimals, (decimal) => {
          const text = number.includes(",") ? decimal.replace(".", ",") : decimal;
          const lines = parseWith(key, stated, stated.replace(number, text));
          const line = lines.find((one) => "rate" in one && `${one.base}/${one.quote}` === pair);
          assert.ok(line !== undefined && "rate" in line);
          if (moves === 0) assert.equal(line.rate, decimal);
          assert.equal(significant(line.rate), significant(decimal));
          assert.equal(placesOf(line.rate), placesOf(decimal) + moves);
          const parsed = parseQuotation(line, NEWEST);
          assert.ok("rate" in parsed && parsed.rate === line.rate, JSON.stringify(parsed));
        }),
      );
    });
  }
}

test("an exponent is written out and keeps the trailing zeros", () => {
  const written = (key: string, from: string, to: string) => {
    const line = parseWith(key, from, to).find((one) => "rate" in one && one.base === "IDR");
    assert.ok(line !== undefined && "rate" in line);
    const parsed = parseQuotation(line, NEWEST);
    return "rate" in parsed ? parsed.rate : parsed.reason;
  };
  assert.equal(written("riksbank", "0.00056", "5.60E-4"), "0.000560");
  assert.equal(written("cnb", "1.230", "1.230e1"), "0.01230");
});
