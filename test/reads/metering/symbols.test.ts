import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
service.storeRate("AB", "ABCDEFGHIJ", "1.5");
service.storeRate("00", "0123456789", "2.5");
service.storeRate("SSS", "USD", "3.5");

const validPairs = [
  ...["ab", "aB", "%20%20AB%20", "%09AB%0D%0A", "%41%62", "%C2%A0AB", "%EF%BB%BFAB"].map(
    (base) => `${base}/ABCDEFGHIJ`,
  ),
  ...["%E2%80%83ab%E2%80%A8", "AB%E3%80%80"].map((base) => `${base}/%20abcdefghij%09`),
  "00/0123456789",
];

test("§4 symbols: upper-cased and without white space around them, they are charged as one read", async () => {
  for (const pair of validPairs) {
    const used = await service.usedUnits(session);
    const answer = await service.readRate(pair, apiKey);
    const stored = pair.startsWith("00") ? ["00", "0123456789"] : ["AB", "ABCDEFGHIJ"];
    const { base, quote } = answer.body;
    assert.deepEqual([answer.status, base, quote], [200, ...stored], pair);
    assert.equal(await service.usedUnits(session), used + 1);
  }
});

const invalidSymbols = [
  // Too short or too long, also once white space is trimmed.
  ...["A", "ABCDEFGHIJK", "A".repeat(5000), "", "%20%20", "%20A%20", "%C2%A0%C2%A0"],
  ...["A%20B", "A%C2%A0B", "A%2FB", "A%25B", "AB%00", "A-B", "A_B", "A.B", "AB,CD", "AB;CD", "A+B"],
  ...["*AB", "{base}"],
  // Letters that another case, a normalization or an eye makes Latin ones: ß, ſ, ı, the Kelvin sign,
  // a ligature, full-width and Cyrillic letters, other digits, a combining accent, an emoji.
  ...["S%C3%9F", "SS%C5%BF", "A%C4%B1", "A%E2%84%AA", "%EF%AC%80", "%EF%BC%A1%EF%BC%A2"],
  ...["%D0%90%D0%92", "%EF%BC%90%EF%BC%90", "%D9%A0%D9%A0", "AB%CC%81", "%F0%9F%92%B6A"],
  // White space that trim() leaves, and escapes that are none or no UTF-8.
  ...["%C2%85AB", "%E2%80%8BAB", "%ZZ", "AB%4", "%FF%FE"],
];

test("§4 symbols: any other text is an invalid symbol as base and as quote, uncharged", async () => {
  const used = await service.usedUnits(session);
  for (const symbol of invalidSymbols) {
    for (const pair of [`${symbol}/USD`, `USD/${symbol}`]) {
      const answer = await service.readRate(pair, apiKey);
      assertFailure(answer, 400, "invalid_asset_symbol", "Asset symbol format is invalid.");
    }
  }
  assert.equal(await service.usedUnits(session), used);
});
