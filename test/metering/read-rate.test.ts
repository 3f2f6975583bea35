import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertCommonHeaders,
  assertFailure,
  assertKeyRejected,
  CHALLENGE,
} from "../support/assertions.ts";
import { startSharedService } from "../support/service.ts";

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
service.storeRate("AAA", "BBB", "1.1000", "2026-03-13T15:00:00.123456789Z");
service.storeRate("BBB", "CCC", "2");

test("§2 rates: a response has base, quote, rate, as_of and type, and nothing more", async () => {
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

    const answer = await service.get(`/v1/rates/EXACT${index}/BBB`, { apiKey });

    assert.equal(answer.status, 200);
    assert.ok(answer.text.includes(`"rate":"${rate}"`), answer.text);
  });
}

test("§2 rates: as_of is the time of the observation, not of the request", async () => {
  const before = await service.get("/v1/rates/AAA/BBB", { apiKey });
  service.clock.advanceMs(60_000);

  const answer = await service.get("/v1/rates/AAA/BBB", { apiKey });

  assert.equal(answer.body.as_of, "2026-03-13T15:00:00.123456789Z");
  assert.equal(answer.text, before.text);
});

test("§4 rates: the next read serves a rate that was just stored", async () => {
  service.storeRate("NEW", "BBB", "1.5");
  await service.get("/v1/rates/NEW/BBB", { apiKey });
  service.query("UPDATE rates SET rate = '1.6' WHERE base = 'NEW'");

  const { body } = await service.get("/v1/rates/NEW/BBB", { apiKey });

  assert.equal(body.rate, "1.6");
});

test("§4 rates: an unsupported pair is served as soon as it is stored", async () => {
  assertFailure(await service.get("/v1/rates/LATE/BBB", { apiKey }), 404, "unsupported_pair");
  service.storeRate("LATE", "BBB", "3.5");

  const { body } = await service.get("/v1/rates/LATE/BBB", { apiKey });

  assert.equal(body.rate, "3.5");
});

test("§1 rates: a stored pair is not inverted: the other direction is unsupported", async () => {
  const answer = await service.get("/v1/rates/BBB/AAA", { apiKey });

  const message = "The requested currency pair is not currently supported.";
  assertFailure(answer, 404, "unsupported_pair", message);
});

test("§2 rates: pairs are not crossed: A/B and B/C do not make A/C", async () => {
  const answer = await service.get("/v1/rates/AAA/CCC", { apiKey });

  assertFailure(answer, 404, "unsupported_pair");
});

test("§2 rates: a currency against itself is an unsupported pair", async () => {
  const answer = await service.get("/v1/rates/AAA/AAA", { apiKey });

  assertFailure(answer, 404, "unsupported_pair");
});

test("§4 rates: a parameter of no meaning is ignored", async () => {
  const used = await service.usedUnits(session);

  const answer = await service.get("/v1/rates/AAA/BBB?format=xml&dates=1", { apiKey });

  assert.equal(answer.body.rate, "1.1000");
  assert.equal(await service.usedUnits(session), used + 1);
});

test("§4 rates: HEAD is a read: the headers of GET, no body, one unit", async () => {
  const read = await service.get("/v1/rates/AAA/BBB", { apiKey });
  const used = await service.usedUnits(session);

  const answer = await service.call("HEAD", "/v1/rates/AAA/BBB", { apiKey });

  assert.equal(answer.status, 200);
  assert.equal(answer.text, "");
  assert.equal(answer.headers["content-length"], read.headers["content-length"]);
  assert.equal(answer.headers["content-type"], read.headers["content-type"]);
  assert.equal(answer.headers["ratelimit-policy"], read.headers["ratelimit-policy"]);
  assert.match(answer.headers.ratelimit ?? "", /^"units";r=[0-9]+;t=[0-9]+$/);
  assertCommonHeaders(answer);
  assert.equal(await service.usedUnits(session), used + 1);
});

const headFailures = [
  ["an invalid symbol, uncharged", "/v1/rates/A/BBB", 400, 0],
  ["an unsupported pair, charged", "/v1/rates/CCC/AAA", 404, 1],
] as const;

for (const [what, path, status, units] of headFailures) {
  test(`§4 rates: HEAD returns ${status} without a body for ${what}`, async () => {
    const used = await service.usedUnits(session);

    const answer = await service.call("HEAD", path, { apiKey });

    assert.equal(answer.status, status);
    assert.equal(answer.text, "");
    assertCommonHeaders(answer);
    assert.equal(await service.usedUnits(session), used + units);
  });
}

test("§4 rates: HEAD without a valid key is rejected like GET", async () => {
  const answer = await service.call("HEAD", "/v1/rates/AAA/BBB");

  assert.equal(answer.status, 401);
  assert.equal(answer.text, "");
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
  assert.equal(answer.headers.ratelimit, undefined);
});

test("§9 rates: only paths with /v1 serve rates", async () => {
  const used = await service.usedUnits(session);

  for (const path of ["/rates/AAA/BBB", "/v2/rates/AAA/BBB", "/V1/rates/AAA/BBB"]) {
    assertFailure(await service.get(path, { apiKey }), 404, "not_found");
  }
  assert.equal(await service.usedUnits(session), used);
});

test("§4 rates: only a path with exactly two symbols is the rate path", async () => {
  const used = await service.usedUnits(session);

  for (const path of ["/v1/rates", "/v1/rates/AAA", "/v1/rates/AAA/BBB/", "/v1/rates/A/B/C"]) {
    assertFailure(await service.get(path, { apiKey }), 404, "not_found");
  }
  assert.equal(await service.usedUnits(session), used);
});

test("§2 rates: a new store serves the bundled rates, each in its own direction", async () => {
  const answer = await service.get("/v1/rates/EUR/USD", { apiKey });

  assert.equal(answer.status, 200);
  assert.match(String(answer.body.rate), /^[0-9]+\.[0-9]+$/);
  assert.match(String(answer.body.as_of), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  assertKeyRejected(await service.get("/v1/rates/EUR/USD"));
});
