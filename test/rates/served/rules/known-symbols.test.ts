import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { knownSymbols } from "../../../../src/rates/served/rules/known-symbols.ts";
import { parseSymbol } from "../../../../src/rates/served/rules/symbol.ts";
import { loadSnapshot } from "../../../../src/rates/sources/fetching/snapshot.ts";
import { treasuryCurrencies } from "../../../../src/rates/sources/publishers/periodic/parsers.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const run = promisify(execFile);

test("the list is the one that Unicode CLDR and the package of cryptocurrencies give today", async () => {
  const script = join(ROOT, "scripts/list-known-symbols.js");
  const { stdout } = await run(process.execPath, [script]);
  assert.equal(
    await readFile(join(ROOT, "src/rates/served/rules/known-symbols.ts"), "utf8"),
    stdout,
  );
});

test("current, withdrawn and special currencies are known, and so are cryptocurrencies", () => {
  const current = "EUR USD XCG ZWG SLE VED XAD CNH";
  const withdrawn = "DEM FRF HRK BGN ITL ANG SLL ZWL XEU CHC LAJ";
  const special = "XAU XAG XPT XPD XDR XTS XXX XUA XSU CHE USN";
  const cryptocurrencies = "BTC XBT ETH USDT USDC DOGE 1INCH PEPE XMR SHIB";
  for (const symbol of `${current} ${withdrawn} ${special} ${cryptocurrencies}`.split(" ")) {
    assert.ok(knownSymbols.has(symbol), symbol);
  }
});

test("typing errors of common currencies are not known", () => {
  for (const symbol of "USF EUX USB GPB JPN EURO USDOLLAR AB".split(" ")) {
    assert.ok(!knownSymbols.has(symbol), symbol);
  }
});

test("every known symbol is in its stored form, and each currency of the system is known", () => {
  assert.ok(knownSymbols.size > 1000);
  for (const symbol of knownSymbols) assert.equal(parseSymbol(symbol), symbol);
  for (const symbol of Intl.supportedValuesOf("currency")) assert.ok(knownSymbols.has(symbol));
});

test("the publishers' own symbols are known", () => {
  for (const symbol of treasuryCurrencies.values()) assert.ok(knownSymbols.has(symbol), symbol);
  const quotations = loadSnapshot().publications.flatMap((publication) => publication.quotations);
  assert.ok(quotations.length > 100);
  for (const { base, quote } of quotations) {
    for (const symbol of [base, quote]) assert.ok(knownSymbols.has(symbol), symbol);
  }
});
