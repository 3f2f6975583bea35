import assert from "node:assert/strict";
import { test } from "node:test";
import { fundCurrencies } from "../../../src/sources/publishers/global/fund-currencies.ts";
import { figuresOf, momentsOf, parse, parseWith, rejectionsOf } from "./recorded.ts";

test("the Fund's two tables give both directions as it states them, the latest of each", () => {
  const lines = parse("imf");
  assert.deepEqual(figuresOf(lines), [
    "EUR/XDR 0.8041440000",
    "USD/XDR 0.7401230000",
    "AUD/XDR 0.5260050000",
    "KRW/XDR 0.0006010420",
    "XDR/EUR 1.243560",
    "XDR/USD 1.351130",
    "XDR/AUD 1.901120",
    "XDR/KRW 1663.780000",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the Fund's rates are dated noon in Washington, in winter and summer time", () => {
  // The column of the 30th is still empty.
  assert.deepEqual(momentsOf(parse("imf")), ["2023-01-27T17:00:00.000000000Z"]);
  const summer = parseWith("imf", "January 27, 2023", "July 3, 2023");
  assert.deepEqual(momentsOf(summer), ["2023-07-03T16:00:00.000000000Z"]);
});

test("a rate that is not available is left out, for the day before", () => {
  const lines = parseWith("imf", "\t0.8041440000", "\tNA");
  assert.equal(
    figuresOf(lines).find((figure) => figure.startsWith("EUR/")),
    "EUR/XDR 0.8055110000",
  );
});

test("a currency of the Fund with an unknown name is rejected by it, and the others are kept", () => {
  const lines = parseWith("imf", "Korean won", "Korean new won");
  assert.equal(figuresOf(lines).length, 6);
  assert.equal(rejectionsOf(lines)[0], '"Korean new won" names no currency that Kurs knows');
});

test("a figure of the Fund that is no number is rejected, and the other days are kept", () => {
  const lines = parseWith("imf", "0.8041440000", "0,8041440000");
  assert.equal(figuresOf(lines)[0], "EUR/XDR 0.8055110000");
  assert.deepEqual(rejectionsOf(lines), ['"EUR/XDR" has no rate']);
});

test("the Fund's names are those of different ISO 4217 currencies", () => {
  const codes = [...fundCurrencies.values()];
  const known = new Set(Intl.supportedValuesOf("currency"));
  assert.deepEqual(
    codes.filter((code) => !known.has(code)),
    [],
  );
  assert.equal(new Set(codes).size, codes.length);
});
