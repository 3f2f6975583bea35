import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
service.storeRate("AAA", "BBB", "1.1000", "2026-03-13T15:00:00.123456789Z");
service.storeRate("BBB", "CCC", "2");

test("§2 rates: a response has base, quote, rate, as_of of the observation and type, and nothing more", async () => {
  const used = await service.usedUnits(session);

  const answer = await service.get("/v1/rates/AAA/BBB", { apiKey });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    base: "AAA",
    quote: "BBB",
    rate: "1.1000",
    as_of: "2026-03-13T15:00:00.123456789Z",
    type: "direct",
  });
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assertCommonHeaders(answer);
  assert.equal(await service.usedUnits(session), used + 1);
  service.clock.advanceMs(60_000);
  assert.equal((await service.get("/v1/rates/AAA/BBB", { apiKey })).text, answer.text);
});

const exactTexts = [
  ["trailing zeros", "10.50000"],
  ["a whole number", "7"],
  ["more digits than a float holds", "0.12345678901234567890123456789"],
  [
    "a number beyond 2 to the 53rd",
    "90071992547409931234567890.000000000000000000000000000000000001",
  ],
  ["a very small number", "0.00000000000000000000000000000000000000000000000000000000000001"],
] as const;

for (const [index, [what, rate]] of exactTexts.entries()) {
  test(`§2 rates: ${what} is served as a string with every digit`, async () => {
    service.storeRate(`EXACT${index}`, "BBB", rate);
    const answer = await service.readRate(`EXACT${index}/BBB`, apiKey);
    assert.ok(answer.text.includes(`"rate":"${rate}"`), answer.text);
  });
}

const unsupported = [
  ["§1 rates: a stored pair is not inverted", "BBB/AAA"],
  ["§2 rates: pairs are not crossed: A/B and B/C do not make A/C", "AAA/CCC"],
  ["§2 rates: a currency against itself is an unsupported pair", "AAA/AAA"],
] as const;

for (const [title, pair] of unsupported) {
  test(title, async () => {
    assertFailure(await service.readRate(pair, apiKey), 404, "unsupported_pair");
  });
}

test("§4 rates: HEAD is a read: the headers of GET, no body, one unit", async () => {
  const read = await service.get("/v1/rates/AAA/BBB", { apiKey });
  const used = await service.usedUnits(session);

  const answer = await service.call("HEAD", "/v1/rates/AAA/BBB", { apiKey });

  assert.deepEqual([answer.status, answer.text], [200, ""]);
  const headersOf = ({ headers }: typeof read) => {
    const { date: _, "x-request-id": __, ratelimit, ...others } = headers;
    return { ...others, ratelimit: ratelimit?.replace(/r=\d+/, "r=") };
  };
  assert.deepEqual(headersOf(answer), headersOf(read));
  assertCommonHeaders(answer);
  assert.equal(await service.usedUnits(session), used + 1);
});

test("§4, §9 rates: only /v1 and exactly two symbols are the rate path", async () => {
  const used = await service.usedUnits(session);
  const symbols = ["/v1/rates", "/v1/rates/AAA", "/v1/rates/AAA/BBB/", "/v1/rates/A/B/C"];
  for (const path of [...symbols, "/rates/AAA/BBB", "/v2/rates/AAA/BBB", "/V1/rates/AAA/BBB"]) {
    assertFailure(await service.get(path, { apiKey }), 404, "not_found");
  }
  assert.equal(await service.usedUnits(session), used);
});
