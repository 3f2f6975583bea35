import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, kindsOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

const FIGURES = [
  "USD/TRY 2.8852",
  "USD/TRY 2.8904",
  "DKK/TRY 0.42878",
  "DKK/TRY 0.43089",
  "JPY/TRY 0.025472",
  "JPY/TRY 0.025641",
  "XDR/TRY 4.0259",
];

test("the Turkish central bank's buying and selling rates are kept apart", () => {
  const lines = parse("tcmb");
  assert.deepEqual(figuresOf(lines), FIGURES);
  assert.deepEqual(kindsOf(lines), ["buying", "selling"]);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["buying", "selling", "buying", "selling", "buying", "selling", "buying"],
  );
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Turkish central bank's rates are dated 15:30 in Istanbul, before and since 2016", () => {
  // Since September 2016 the clocks stay on summer time.
  assert.deepEqual(momentsOf(parse("tcmb")), ["2016-03-15T13:30:00.000000000Z"]);
  const summer = parseWith("tcmb", "15.03.2016", "15.07.2026");
  assert.deepEqual(momentsOf(summer), ["2026-07-15T12:30:00.000000000Z"]);
  const winter = parseWith("tcmb", "15.03.2016", "15.01.2026");
  assert.deepEqual(momentsOf(winter), ["2026-01-15T12:30:00.000000000Z"]);
});

test("the file is read in UTF-8 as well: only the Turkish names differ", () => {
  const [line] = parse("tcmb", [
    `<?xml version="1.0" encoding="UTF-8"?><Tarih_Date Tarih="15.01.2026">
    <Currency CurrencyCode="GBP"><Unit>1</Unit><Isim>İNGİLİZ STERLİNİ</Isim>
    <ForexBuying>57.9</ForexBuying><ForexSelling>58.1</ForexSelling></Currency></Tarih_Date>`,
  ]);
  assert.ok(line !== undefined && "rate" in line && line.rate === "57.9");
});

const oddRows = [
  [">2.8904<", ">2,8904<", '"USD/TRY": "2,8904" is not a decimal number above zero'],
  ["<ForexSelling>2.8904</ForexSelling>", "", '"USD/TRY" has no rate'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a figure of the Turkish central bank with ${to || "none"} is rejected by its pair`, () => {
    const lines = parseWith("tcmb", from, to);
    assert.deepEqual(figuresOf(lines), FIGURES.toSpliced(1, 1));
    assert.deepEqual(rejectionsOf(lines), [reason]);
  });
}
