import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
service.storeRate("AB", "ABCDEFGHIJ", "1.5");
service.storeRate("00", "0123456789", "2.5");
service.storeRate("SSS", "USD", "3.5");

const validSymbols = [
  ["lower case", "ab", "AB", "ABCDEFGHIJ"],
  ["mixed case", "aB", "AB", "ABCDEFGHIJ"],
  ["spaces around it", "%20%20AB%20", "AB", "ABCDEFGHIJ"],
  ["tabs and line ends around it", "%09AB%0D%0A", "AB", "ABCDEFGHIJ"],
  ["letters that are percent-encoded", "%41%62", "AB", "ABCDEFGHIJ"],
  ["two digits", "00", "00", "0123456789"],
  ["a no-break space before it", "%C2%A0AB", "AB", "ABCDEFGHIJ"],
  ["a byte order mark before it", "%EF%BB%BFAB", "AB", "ABCDEFGHIJ"],
  ["an em space and a line separator around it", "%E2%80%83ab%E2%80%A8", "AB", "ABCDEFGHIJ"],
  ["an ideographic space after it", "AB%E3%80%80", "AB", "ABCDEFGHIJ"],
] as const;

for (const [what, base, stored, quote] of validSymbols) {
  test(`§4 symbols: ${what} is normalized and charged as one read`, async () => {
    const used = await service.usedUnits(session);
    const answer = await service.get(`/v1/rates/${base}/${quote}`, { apiKey });
    assert.deepEqual([answer.status, answer.body.base], [200, stored], answer.text);
    assert.equal(await service.usedUnits(session), used + 1);
  });
}

test("§4 symbols: the quote is normalized like the base, up to ten characters", async () => {
  const answer = await service.get("/v1/rates/AB/%20abcdefghij%09", { apiKey });
  assert.deepEqual([answer.status, answer.body.quote], [200, "ABCDEFGHIJ"]);
});

const invalidSymbols = [
  ["one character", "A"],
  ["eleven characters", "ABCDEFGHIJK"],
  ["5,000 characters", "A".repeat(5000)],
  ["no character", ""],
  ["only white space", "%20%20"],
  ["one character with white space around it", "%20A%20"],
  ["white space inside", "A%20B"],
  ["a percent-encoded slash", "A%2FB"],
  ["a percent sign", "A%25B"],
  ["a zero byte", "AB%00"],
  ["a hyphen", "A-B"],
  ["an underscore", "A_B"],
  ["a full stop", "A.B"],
  ["a comma", "AB,CD"],
  ["a semicolon", "AB;CD"],
  ["a plus", "A+B"],
  ["a star", "*AB"],
  ["a template", "{base}"],
  ["a sharp s, which is not SS", "S%C3%9F"],
  ["a long s, which is not S", "SS%C5%BF"],
  ["a dotless i", "A%C4%B1"],
  ["full-width letters", "%EF%BC%A1%EF%BC%A2"],
  ["full-width digits", "%EF%BC%90%EF%BC%90"],
  ["Arabic digits", "%D9%A0%D9%A0"],
  ["Cyrillic letters that look the same", "%D0%90%D0%92"],
  ["the Kelvin sign", "A%E2%84%AA"],
  ["a ligature, which is not FF", "%EF%AC%80"],
  ["a combining accent", "AB%CC%81"],
  ["an emoji", "%F0%9F%92%B6A"],
  ["a no-break space inside", "A%C2%A0B"],
  ["only no-break spaces", "%C2%A0%C2%A0"],
  ["a next-line character, which trim() leaves", "%C2%85AB"],
  ["a zero-width space, which trim() leaves", "%E2%80%8BAB"],
  ["an escape without hexadecimal digits", "%ZZ"],
  ["an escape that is cut short", "AB%4"],
  ["an escape that is not UTF-8", "%FF%FE"],
] as const;

for (const [what, symbol] of invalidSymbols) {
  test(`§4 symbols: ${what} is an invalid symbol as base and as quote, uncharged`, async () => {
    const used = await service.usedUnits(session);
    for (const pair of [`${symbol}/USD`, `USD/${symbol}`]) {
      const answer = await service.get(`/v1/rates/${pair}`, { apiKey });
      assertFailure(answer, 400, "invalid_asset_symbol", "Asset symbol format is invalid.");
    }
    assert.equal(await service.usedUnits(session), used);
  });
}
