import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssetSymbol } from "../../../../src/rates/served/rules/symbol.ts";
import { sourceNames, sourcesOf } from "../../../../src/rates/sources/fetching/registry.ts";
import { publicationsOf } from "../../../../src/rates/sources/source.ts";
import { TestClock } from "../../../support/service.ts";

const known = sourcesOf(sourceNames.known, {
  clock: new TestClock("2026-03-13T12:00:00Z"),
  version: "test",
});

/** When the figures of a date are published: RFC 3339, "never" or "no calendar". */
function publicationOf(key: string, date: string, base = "EUR"): string {
  const source = known.find((one) => one.key === key);
  assert.ok(source !== undefined);
  const pair = { base: base as AssetSymbol, quote: "USD" as AssetSymbol };
  const timeOf = publicationsOf(source, pair);
  if (timeOf === undefined) return "no calendar";
  const ms = timeOf(date);
  return ms === undefined ? "never" : new Date(ms).toISOString();
}

const dates: readonly (readonly [key: string, date: string, published: string, why: string])[] = [
  ["ecb", "2026-03-13", "2026-03-13T15:05:00.000Z", "a working day in winter"],
  ["ecb", "2026-07-13", "2026-07-13T14:05:00.000Z", "a working day in summer"],
  ["ecb", "2026-03-14", "never", "a Saturday"],
  ["ecb", "2026-04-03", "never", "Good Friday"],
  ["ecb", "2026-12-25", "never", "Christmas"],
  // Published in the evening for the next day.
  ["cbr", "2026-03-14", "2026-03-13T15:00:00.000Z", "a Saturday, published on Friday"],
  ["cbr", "2026-03-15", "never", "a Sunday"],
  ["cbr", "2026-03-16", "never", "a Monday, after a Sunday"],
  ["cbr", "2024-12-29", "2024-12-28T15:00:00.000Z", "after a working Saturday"],
  ["cbr", "2012-03-11", "2012-03-10T14:00:00.000Z", "a Sunday of a year that is not known"],
  ["cbr", "2027-03-14", "2027-03-13T15:00:00.000Z", "a Sunday of a year that is not known yet"],
  ["ecb", "2028-12-25", "2028-12-25T15:05:00.000Z", "Christmas of a year that is not known yet"],
  ["ecb", "2028-12-24", "never", "a Sunday"],
  ["hnb", "2026-03-14", "2026-03-13T15:30:00.000Z", "a Saturday, published on Friday"],
  // Published in the morning for the same day.
  ["nbu", "2026-03-13", "2026-03-13T04:00:00.000Z", "a working day"],
  ["bazg", "2026-07-25", "2026-07-24T22:05:00.000Z", "the first day of validity"],
  ["bazg", "2026-07-26", "never", "a further day of validity"],
  ["ust", "2026-03-31", "no calendar", "a quarter's table"],
  ["hmrc", "2026-08-01", "no calendar", "a month's table"],
  ["kraken", "2026-08-01", "no calendar", "polled"],
];

for (const [key, date, published, why] of dates) {
  test(`the figures of ${key} for ${date}: ${published}: ${why}`, () => {
    assert.equal(publicationOf(key, date), published);
  });
}

test("tables are expected for the dates that their publishers give them", () => {
  for (const [key, ...dates] of [
    ["hmrc-average", "2025-12-31", "2026-03-31"],
    ["unore", "2026-09-01", "2026-10-01"],
  ] as const) {
    const { tableOf } = known.find((one) => one.key === key)?.schedule ?? {};
    let date = Temporal.PlainDate.from(dates[0]);
    const expected: string[] = [];
    for (; Temporal.PlainDate.compare(date, dates[1]) <= 0; date = date.add({ days: 1 })) {
      if (tableOf?.(date.toString()) !== undefined) expected.push(date.toString());
    }
    assert.deepEqual(expected, dates, key);
  }
});

test("a pair that is published weekly has figures of Wednesdays only", () => {
  const daysOf = (base: string) =>
    ["2026-03-09", "2026-03-10", "2026-03-11", "2026-03-12", "2026-03-13"].filter(
      (date) => publicationOf("nbp", date, base) !== "never",
    );
  assert.deepEqual(daysOf("AFN"), ["2026-03-11"]);
  assert.equal(daysOf("EUR").length, 5);
  // Wednesday is Independence Day, Tuesday a working day.
  assert.equal(publicationOf("nbp", "2026-11-11", "AFN"), "never");
  assert.equal(publicationOf("nbp", "2026-11-10", "AFN"), "2026-11-10T11:20:00.000Z");
  // In the daily table until 2022; which one a currency was in before 2016 is not known.
  assert.equal(publicationOf("nbp", "2022-11-10", "RUB"), "2022-11-10T11:20:00.000Z");
  assert.equal(publicationOf("nbp", "2023-11-09", "RUB"), "never");
  assert.equal(publicationOf("nbp", "2015-11-12", "AFN"), "2015-11-12T11:20:00.000Z");
});
