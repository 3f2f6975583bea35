import assert from "node:assert/strict";
import { test } from "node:test";
import { currencyName } from "../../../src/rates/rules/currency-names.ts";

test("codes of ISO 4217 and well-known cryptocurrencies have English names", () => {
  const names = {
    EUR: "Euro",
    USD: "US Dollar",
    ISK: "Icelandic Króna",
    DEM: "German Mark",
    XAU: "Gold",
    BTC: "Bitcoin",
    XBT: "Bitcoin",
    ETH: "Ethereum",
    USDT: "Tether",
  };
  for (const [symbol, name] of Object.entries(names)) assert.equal(currencyName(symbol), name);
});

test("any other symbol has no name", () => {
  for (const symbol of ["QQQ", "A1", "ABCDEFGHIJ", "1INCH", "123", "ACT", "AB"]) {
    assert.equal(currencyName(symbol), undefined, symbol);
  }
});
