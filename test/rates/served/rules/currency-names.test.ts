import assert from "node:assert/strict";
import { test } from "node:test";
import { currencyName } from "../../../../src/rates/served/rules/currency-names.ts";
import {
  cryptocurrencyNames,
  knownSymbols,
} from "../../../../src/rates/served/rules/known-symbols.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";

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
  for (const [symbol, name] of Object.entries(names)) {
    assert.equal(currencyName(symbol, "ecb"), name);
  }
});

test("at an exchange, a symbol of a cryptocurrency is not named by ISO 4217", () => {
  const exchanges = publishers.filter(({ schedule }) => "everySeconds" in schedule);
  assert.deepEqual(
    exchanges.map(({ key }) => key),
    ["kraken"],
  );
  const money = ["AUD", "CAD", "CHF", "EUR", "GBP", "JPY", "USD"];
  for (const symbol of knownSymbols) {
    const [atBank, atExchange] = [currencyName(symbol, "ecb"), currencyName(symbol, "kraken")];
    if (money.includes(symbol) || cryptocurrencyNames.get(symbol) === atBank) {
      assert.equal(atExchange, atBank, symbol);
    } else assert.equal(atExchange, symbol === "MNT" ? "Mantle" : undefined, symbol);
  }
});

test("any other symbol has no name", () => {
  for (const symbol of ["QQQ", "A1", "ABCDEFGHIJ", "1INCH", "123", "ACT", "AB"]) {
    assert.equal(currencyName(symbol, "ecb"), undefined, symbol);
  }
});
