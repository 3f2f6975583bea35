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

test("§2 rates: a rate is served as a string with every digit, zeros at its end and beyond a float's", async () => {
  const small = `0.${"0".repeat(61)}1`;
  const large = `90071992547409931234567890.${"0".repeat(35)}1`;
  for (const rate of ["10.50000", "7", "0.12345678901234567890123456789", large, small]) {
    service.storeRate(`EXACT${rate.length}`, "BBB", rate);
    const answer = await service.readRate(`EXACT${rate.length}/BBB`, apiKey);
    assert.ok(answer.text.includes(`"rate":"${rate}"`), answer.text);
  }
});

test("§1, §2 rates: pairs are neither inverted nor crossed, and none has a currency twice", async () => {
  for (const pair of ["BBB/AAA", "AAA/CCC", "AAA/AAA"]) {
    assertFailure(await service.readRate(pair, apiKey), 404, "unsupported_pair");
  }
});

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
