import assert from "node:assert/strict";
import { test } from "node:test";
import { requestsOf } from "../../../src/sources/publishers/publisher.ts";
import { figuresOf, momentsOf, parse, parseWith, publisherOf, rejectionsOf } from "./recorded.ts";

test("the MNB's forints are those of the last day, with a point that is moved by the unit", () => {
  const lines = parse("mnb");
  assert.deepEqual(figuresOf(lines), [
    "EUR/HUF 402.61",
    "IDR/HUF 0.0226",
    "JPY/HUF 2.4817",
    "USD/HUF 373.72",
  ]);
  assert.deepEqual(rejectionsOf(lines), []);
});

test("the MNB's rates are dated 11:00 in Budapest, in winter and summer time", () => {
  assert.deepEqual(momentsOf(parse("mnb")), ["2025-03-28T10:00:00.000000000Z"]);
  const summer = parseWith("mnb", "2025-03-28", "2025-04-01");
  assert.deepEqual(momentsOf(summer), ["2025-04-01T09:00:00.000000000Z"]);
});

test("the MNB is asked by SOAP for a week of days until today, by its own calendar", () => {
  const at = (time: string) => requestsOf(publisherOf("mnb"), Date.parse(time), "");
  const [request] = at("2026-03-31T22:30:00Z");
  assert.equal(request?.address, "https://www.mnb.hu/arfolyamok.asmx");
  assert.equal(request.headers?.["content-type"], "text/xml; charset=utf-8");
  assert.match(request.headers.soapaction ?? "", /GetExchangeRates$/);
  assert.match(request.body ?? "", /<startDate>2026-03-25<.+\n<endDate>2026-04-01</);
});

const oddRows = [
  ["&gt;2,26&lt;", "&gt;2.26&lt;", '"IDR/HUF" has no rate'],
  ['unit="100" curr="IDR"', 'unit="50" curr="IDR"', '"IDR/HUF" is not for a power of ten'],
] as const;

for (const [from, to, reason] of oddRows) {
  test(`a row of the MNB with ${to} is rejected, and the others are kept`, () => {
    const lines = parseWith("mnb", from, to);
    assert.ok(figuresOf(lines).includes("EUR/HUF 402.61"));
    assert.ok(rejectionsOf(lines)[0]?.startsWith(reason), rejectionsOf(lines).join());
  });
}

test("an envelope with a fault, or with a result that is no document, is not the MNB's", () => {
  const [fault, inner] = ["<s:Body><s:Fault/></s:Body>", "no rates"];
  assert.throws(() => parse("mnb", [`<s:Envelope xmlns:s="s">${fault}</s:Envelope>`]), {
    reason: "the layout has changed: no GetExchangeRatesResult",
  });
  const result = `<GetExchangeRatesResult>${inner}</GetExchangeRatesResult>`;
  const body = `<s:Body><GetExchangeRatesResponse>${result}</GetExchangeRatesResponse></s:Body>`;
  assert.throws(
    () => parse("mnb", [`<s:Envelope xmlns:s="s">${body}</s:Envelope>`]),
    /the document cannot be read/,
  );
});
