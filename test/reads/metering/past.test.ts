import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { openWire, plainRead } from "../../support/raw-connection.ts";
import { startService, startSharedService, type TestService } from "../../support/service.ts";
import { isGenuine, newSigningKey, publicKeysOf } from "../../support/signatures.ts";
import { metaIn } from "../mcp/answers.ts";
import { openAll } from "../mcp/doors.ts";

// Which figure a past time has is decided by the store (test/contract). This is what it looks like.

/** Adds figures of the owner of EUR/USD. */
function addFigures(service: TestService) {
  // There is none of Monday, the 9th.
  service.storePast("2026-03-05", "1.1605");
  service.storePast("2026-03-06", "1.16060");
  service.storePast("2026-03-10", "1.1610");
  service.storePast("2026-03-10", "1.1611", 2);
  return service;
}

const service = addFigures(await startSharedService());
const { session, apiKey } = await service.newCustomer();
const doors = await openAll(service, apiKey);
const PATH = "/v1/rates/EUR/USD";
const readAt = (time: string, path = PATH, key: string | undefined = apiKey) =>
  service.get(path, { ...(key && { apiKey: key }), headers: { "accept-datetime": time } });

const times = [
  ["Thu, 05 Mar 2026 15:00:00 GMT", "1.1605", "2026-03-05"],
  ["Sat, 07 Mar 2026 23:59:59 GMT", "1.16060", "2026-03-06"],
  ["Mon, 09 Mar 2026 14:00:00 GMT", "1.16060", "2026-03-06"],
  ["Mon, 09 Mar 2026 15:04:59 GMT", "1.16060", "2026-03-06"],
  ["Mon, 09 Mar 2026 15:05:00 GMT", "1.16060", "2026-03-06", "1"],
  ["Tue, 10 Mar 2026 14:59:59 GMT", "1.16060", "2026-03-06", "1"],
  ["Tue, 10 Mar 2026 15:00:00 GMT", "1.1611", "2026-03-10"],
  ["Fri, 13 Mar 2026 15:00:00 GMT", "1.1476", "2026-03-13"],
  ["Tue, 17 Mar 2026 12:00:00 GMT", "1.1476", "2026-03-13", "1"],
  ["Fri, 31 Dec 9999 23:59:59 GMT", "1.1476", "2026-03-13", "99"],
] as const;

for (const [time, rate, date, missed] of times) {
  test(`Accept-Datetime: ${time} gets the figure of ${date}, in the shape of a rate, for one unit`, async () => {
    const used = await service.usedUnits(session);

    const answer = await readAt(time);

    const asOf = `${date}T15:00:00.000000000Z`;
    const body = { base: "EUR", quote: "USD", rate, as_of: asOf, type: "direct" };
    assert.equal(answer.text, JSON.stringify(body));
    assertCommonHeaders(answer);
    const { headers } = answer;
    const at = [headers["memento-datetime"], headers.vary, headers["rate-missed"]];
    assert.deepEqual(at, [new Date(asOf).toUTCString(), "Accept-Datetime", missed]);
    const others = ["rate-source", "rate-document", "link", "units-charged", "ratelimit-policy"];
    const newest = (await service.get(PATH, { apiKey })).headers;
    for (const name of others) assert.equal(headers[name], newest[name], name);
    assert.equal(headers["rate-next"], undefined);
    assert.equal(await service.usedUnits(session), used + 2);
  });
}

test("without Accept-Datetime nothing tells of the past", async () => {
  const { headers } = await service.get(PATH, { apiKey });

  for (const name of ["vary", "memento-datetime"]) assert.equal(headers[name], undefined, name);
});

test("before the first figure a read of the past is 404, charged, with the way out", async () => {
  // A year has four digits, also one below 100: RFC 9110, section 5.6.7.
  for (const time of ["Thu, 05 Mar 2026 14:59:59 GMT", "Thu, 10 Mar 0050 00:00:00 GMT"]) {
    const used = await service.usedUnits(session);

    const answer = await readAt(time);

    assertFailure(answer, 404, "unsupported_pair");
    assert.match(
      String(answer.headers.link),
      /rel="help"; title="EUR\/USD has no figure of that time/,
    );
    assert.equal(await service.usedUnits(session), used + 1);
  }
});

const malformed = (
  "2026-03-06T15:00:00Z|1772809200|now||Fri, 06 Mar 2026 15:00:00 UTC|Sat, 06 Mar 2026 15:00:00 GMT|" +
  "Fri, 6 Mar 2026 15:00:00 GMT|Friday, 06-Mar-26 15:00:00 GMT|Fri Mar  6 15:00:00 2026|" +
  "Mon, 30 Feb 2026 15:00:00 GMT|Fri, 06 Mar 2026 24:00:00 GMT|fri, 06 mar 2026 15:00:00 gmt|" +
  "Fri, 06 Mar 2026 15:00:00 GMT, Fri, 06 Mar 2026 15:00:00 GMT|Sat, 01 Jan 10000 00:00:00 GMT"
).split("|");

test("a malformed Accept-Datetime is 400 with the form, uncharged, after the key and the symbols", async () => {
  const used = await service.usedUnits(session);
  for (const time of malformed) {
    const answer = await readAt(time);
    assertFailure(answer, 400, "invalid_request", /Tue, 14 Oct 2025 16:00:00 GMT/);
    assert.equal(answer.headers["units-charged"], "0");
  }
  assertFailure(await readAt("now", PATH, ""), 401, "unauthorized");
  assertFailure(await readAt("now", "/v1/rates/E/USD"), 400, "invalid_asset_symbol");
  assertFailure(
    await readAt(times[0][0], `${PATH}?date=1`),
    400,
    "invalid_request",
    /parameter date/,
  );
  assert.equal(await service.usedUnits(session), used);
});

test("bytes in the form of a plain read, but for Accept-Datetime, get the past, as a HEAD does", async () => {
  using wire = await openWire(service.url);
  const [time, rate] = times[0];
  const request = plainRead(apiKey).replace("Host:", `aCCept-dateTime:${time}\r\nHost:`);

  wire.send(request);
  const answer = await wire.answer();
  wire.send(request.replace("GET", "HEAD"));
  const head = await wire.answer(true);

  assert.equal(answer.body.rate, rate);
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal(head.headers["memento-datetime"], answer.headers["memento-datetime"]);
});

test("a signature of the past covers the time that was asked for", async () => {
  await using signing = addFigures(await startService({ config: { signingKey: newSigningKey() } }));
  const customer = await signing.newCustomer();
  const keys = await publicKeysOf(signing);
  const [time] = times[1];
  const ask = { apiKey: customer.apiKey, headers: { "accept-datetime": time } };

  const answer = await signing.get(PATH, ask);

  assert.ok(await isGenuine(answer, keys, { "accept-datetime": time }));
  assert.equal(await isGenuine(answer, keys, { "accept-datetime": times[2][0] }), false);
  const newest = await signing.get(PATH, { apiKey: customer.apiKey });
  assert.ok(await isGenuine(newest, keys));
});

const dates = [
  ["2026-03-06", "1.16060", "EUR/USD: the figure of 2026-03-06."],
  [
    "2026-03-08",
    "1.16060",
    "EUR/USD: the figure of 2026-03-06: the last one stored on or before 2026-03-08.",
  ],
  [
    "2026-03-09",
    "1.16060",
    "EUR/USD: the figure of 2026-03-06: the last one stored on or before 2026-03-09.",
    "1",
  ],
  ["2026-03-10", "1.1611", "EUR/USD: the figure of 2026-03-10."],
  [
    "9999-12-31",
    "1.1476",
    "EUR/USD: the figure of 2026-03-13: the last one stored on or before 9999-12-31.",
    "99",
  ],
] as const;

for (const [date, rate, note, missed] of dates) {
  test(`a tool's date ${date} gets ${rate} through every door, and a text that says its date`, async () => {
    const used = await service.usedUnits(session);
    for (const [name, { call }] of doors) {
      const given = { base: "EUR", quote: "USD", date };
      const read = await call("get_rate", given);
      const converted = await call("convert_currency", { ...given, amount: "2" });
      for (const { result } of [read, converted]) {
        assert.equal(result?.structuredContent?.rate, rate, name);
        assert.equal(result?.content?.[1]?.text, note, name);
        assert.equal(metaIn({ id: 1, result })["kurs/rate-missed"], missed, name);
      }
    }
    assert.equal(await service.usedUnits(session), used + 2 * doors.length);
  });
}
