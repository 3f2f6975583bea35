import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePair, parseSymbol } from "../../../../src/rates/served/rules/symbol.ts";
import { anyCharacter, fc } from "../../../support/properties.ts";

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const symbolText = fc.string({ unit: fc.constantFrom(...letters), minLength: 2, maxLength: 10 });
/** Every character that String.prototype.trim removes (ECMAScript: white space, line ends). */
const WHITE_SPACE =
  " \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000\ufeff";
const blank = fc.string({ unit: fc.constantFrom(...WHITE_SPACE), maxLength: 3 });

// What is none: test/reads/metering/symbols.test.ts.

test("any symbol is accepted in any case and with any white space around it", () => {
  const cased = symbolText.chain((text) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((lower) => [...text].map((c, at) => (lower[at] ? c.toLowerCase() : c)).join("")),
  );
  fc.assert(
    fc.property(blank, cased, blank, (before, text, after) => {
      assert.equal(parseSymbol(before + text + after), text.toUpperCase());
    }),
  );
});

test("each character that String.prototype.trim removes is trimmed from a symbol", () => {
  for (const character of WHITE_SPACE) {
    assert.equal(parseSymbol(`${character}eur${character}`), "EUR", JSON.stringify(character));
  }
});

test("every parsed symbol has the specified form and is parsed to itself", () => {
  const unit = fc.oneof(fc.constantFrom(...letters, ..."eur \tß"), anyCharacter);
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      const symbol = parseSymbol(text);
      if (symbol === undefined) return;
      assert.match(symbol, /^[A-Z0-9]{2,10}$/);
      assert.equal(parseSymbol(symbol), symbol);
      assert.equal(text.trim().toUpperCase(), symbol);
    }),
    { numRuns: 1000 },
  );
});

test("a pair keeps its direction and needs two symbols", () => {
  assert.deepEqual(parsePair("eur", " usd"), { base: "EUR", quote: "USD" });
  assert.deepEqual(parsePair("USD", "EUR"), { base: "USD", quote: "EUR" });
  assert.equal(parsePair("E", "USD"), undefined);
  assert.equal(parsePair("EUR", "U"), undefined);
});
