import assert from "node:assert/strict";
import { test } from "node:test";
import { compareStatement, createTally } from "../../client/src/tally.ts";
import { startSharedService } from "../support/service.ts";
import { countedClient } from "./counted.ts";

const service = await startSharedService();

test("a tally counts what requests cost, and agrees with the statement but for what is in doubt", async () => {
  const { session, apiKey, keyId } = await service.newCustomer();
  const other = await service.createKey(session);
  await service.readRate("EUR/USD", other.apiKey);
  let isBroken = false;
  // Without its Date, which is the machine's: the service has another clock.
  const dateless: typeof fetch = async (...request) => {
    const { status, headers, body } = await fetch(...request);
    if (isBroken) throw new Error("the connection broke");
    const others = [...headers].filter(([name]) => name !== "date");
    return new Response(body, { status, headers: others });
  };
  const tally = createTally([], () => service.clock.nowMs());
  const { kurs } = countedClient({ url: service.url, apiKey, fetch: dateless, tally, share: true });

  for (const quote of ["USD", "NONE", "E"]) await kurs.rates.get("EUR", quote);
  await Promise.all([kurs.rates.get("EUR", "JPY"), kurs.rates.get("EUR", "JPY")]);
  isBroken = true;
  await kurs.rates.get("EUR", "GBP");
  isBroken = false;
  service.clock.set("2026-11-22T11:00:00.000Z");
  await kurs.rates.get("EUR", "SEK");

  const first = { date: "2026-11-21", units: 3, inDoubt: 1 };
  assert.deepEqual(tally.days(), [first, { date: "2026-11-22", units: 1, inDoubt: 0 }]);
  const { data } = await kurs.account(session).statement("2026-11");
  assert.ok(data !== undefined);
  assert.deepEqual(compareStatement(data, keyId, tally.days()), []);
  const missed = { date: "2026-11-22", charged: 1, units: 0, inDoubt: 0 };
  assert.deepEqual(compareStatement(data, keyId, [first]), [missed]);
  for (const units of [3, 5]) {
    const [day] = compareStatement(data, keyId, [{ ...first, units, inDoubt: 0 }]);
    assert.deepEqual(day, { ...first, charged: 4, units, inDoubt: 0 });
  }
  assert.equal(compareStatement(data, keyId, [{ ...first, date: "2026-10-31" }]).length, 2);
});

const NOON = "2026-11-21T12:00:00Z";

for (const [what, date, tookMs, unitsCharged, expected] of [
  ["a charged read", NOON, 50, 1, "21: 1+0"],
  ["a free one", NOON, 50, 0, ""],
  ["one in doubt", NOON, 50, undefined, "21: 0+1"],
  ["a read that ended after midnight", "2026-11-21T00:00:02Z", 1500, 1, "20: 0+1, 21: 0+1"],
  ["a read that ended before", "2026-11-21T23:59:59Z", 50, 1, "21: 0+1, 22: 0+1"],
  ["a read after midnight", "2026-11-21T00:00:02Z", 50, 1, "21: 1+0"],
] as const) {
  test(`${what} of ${date.slice(11, 19)} counts as ${expected || "nothing"}`, () => {
    const tally = createTally();
    const response = new Response("", { headers: { date: new Date(date).toUTCString() } });
    tally.count({ unitsCharged, response }, tookMs);
    const days = createTally(tally.days()).days();
    const told = days.map((day) => `${day.date.slice(8)}: ${day.units}+${day.inDoubt}`);
    assert.equal(told.join(", "), expected);
  });
}

test("a tally keeps the last 400 days", () => {
  const charged = { unitsCharged: 1, response: undefined } as const;
  let nowMs = Date.parse(NOON);
  const tally = createTally([], () => (nowMs += 86_400_000));
  for (let read = 0; read < 402; read += 1) tally.count(charged, 1);
  assert.deepEqual([tally.days().length, tally.days()[0]?.date], [400, "2026-11-24"]);
});
