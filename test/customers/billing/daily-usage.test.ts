import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../../support/assertions.ts";
import { connectMcp } from "../../support/mcp-client.ts";
import {
  startService,
  startSharedService,
  TestClock,
  type TestService,
} from "../../support/service.ts";

const DAILY = "/v1/account/usage/daily";
const RATE = "/v1/rates/EUR/USD";
const EMAIL = "ada@example.org";

const service = await startSharedService();
const { session, keyId: id, read } = await service.newCustomer();
await read();

/** @returns a new session: those of an earlier day have expired. */
async function logIn(own: TestService): Promise<string> {
  const json = { email: EMAIL, password: "correct horse battery" };
  return String((await own.post("/v1/auth/login", { json })).body.session_token);
}

/** Starts a service at the given time, with an account that has one key. */
async function startAt(time: string) {
  const own = await startService({ clock: new TestClock(time) });
  const key = await own.createKey(await own.openSession(EMAIL));
  return {
    own,
    key,
    async readAt(moment: string) {
      own.clock.set(moment);
      assert.equal((await own.get(RATE, key)).status, 200);
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

interface DayOfKey {
  readonly date: string;
  readonly api_key_id: string;
  readonly units: number;
}

async function daysIn(own: TestService, session: string, query = ""): Promise<DayOfKey[]> {
  const answer = await own.get(DAILY + query, { session });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.days as DayOfKey[];
}

const datesIn = async (own: TestService, session: string, query = "") =>
  (await daysIn(own, session, query)).map(({ date }) => date);

suite("daily usage: the response", () => {
  test("the response lists units by day and key across a month's end, for reads over HTTP and MCP", async () => {
    await using started = await startAt("2026-11-29T12:00:00.000Z");
    const { own, key: first, readAt } = started;
    const second = await own.createKey(await logIn(own));
    await readAt("2026-11-29T12:00:00.000Z");
    own.clock.set("2026-11-30T23:59:59.999Z");
    await own.get(RATE, second);
    await own.get("/v1/rates/USD/NONE", second);
    await own.call("HEAD", RATE, first);
    own.clock.set("2026-12-01T00:00:00.000Z");
    await own.get("/v1/rates/E/USD", first);
    {
      const authorization = `ApiKey ${second.apiKey}`;
      await using agent = await connectMcp(own.url, { mode: "auto", authorization });
      await agent.call("get_rate", { base: "EUR", quote: "USD" });
      await agent.call("convert_currency", { base: "EUR", quote: "USD", amount: "2" });
      await agent.call("get_usage");
    }
    await own.get(RATE, first);
    const session = await logIn(own);

    const answer = await own.get(DAILY, { session });

    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      days: [
        { date: "2026-11-29", api_key_id: first.id, units: 1 },
        { date: "2026-11-30", api_key_id: first.id, units: 1 },
        { date: "2026-11-30", api_key_id: second.id, units: 2 },
        { date: "2026-12-01", api_key_id: first.id, units: 1 },
        { date: "2026-12-01", api_key_id: second.id, units: 2 },
      ],
    });
    assertCommonHeaders(answer);
    assert.equal(await own.usedUnits(session), 3);
  });
});

suite("daily usage: the range of days", () => {
  const reads = [
    "2025-11-20T23:59:59.999Z",
    "2025-11-21T00:00:00.000Z",
    "2026-10-22T23:59:59.999Z",
    "2026-10-23T00:00:00.000Z",
    "2026-11-20T23:59:59.999Z",
    "2026-11-21T00:00:00.000Z",
  ];
  const dates = reads.map((moment) => moment.slice(0, 10));

  test("the response covers the requested number of UTC days, 30 by default, ending today", async () => {
    await using started = await startAt("2025-11-20T12:00:00.000Z");
    const { own, readAt } = started;
    for (const moment of reads) await readAt(moment);
    const session = await logIn(own);

    const queries = [
      ["?days=1", 1],
      ["?days=2", 2],
      ["?days=29", 2],
      ["?days=30", 3],
      ["", 3],
      ["?days=31", 4],
      ["?days=365", 4],
      ["?days=366", 5],
    ] as const;
    for (const [query, count] of queries) {
      assert.deepEqual(await datesIn(own, session, query), dates.slice(-count), query);
    }
  });

  test("the range ends today, even when another node's clock was ahead", async () => {
    await using started = await startAt("2026-11-21T23:59:59.000Z");
    const { own, readAt } = started;
    await readAt("2026-11-21T23:59:59.000Z");
    await readAt("2026-11-22T00:00:00.500Z");
    own.clock.set("2026-11-21T23:59:59.500Z");

    assert.deepEqual(await datesIn(own, await logIn(own)), ["2026-11-21"]);
  });
});

suite("daily usage: rejections", () => {
  const RULE = "days must be a whole number from 1 to 366.";
  const badValues = [
    ...["", "0", "367", "999", "1000", "1.5", "1.0", "abc", "-1", "%2B5", "%205", "05", "1e2"],
    ...["0x10", "true", "%D9%A3", "5%0A", "3&days=4", "3&days=3", "%zz"],
  ];

  test("a request with another value of days is 400 with the rule", async () => {
    for (const query of ["days", ...badValues.map((value) => `days=${value}`)]) {
      const answer = await service.get(`${DAILY}?${query}`, { session });
      assertFailure(answer, 400, "invalid_request", RULE);
    }
  });

  test("the server ignores unknown query parameters", async () => {
    const expected = [{ date: "2026-11-21", api_key_id: id, units: 1 }];

    const others = ["?", "?x=1", "?day=0", "?DAYS=0", "?days%5B%5D=0", "?__proto__=0&days=3"];
    for (const query of others) {
      assert.deepEqual(await daysIn(service, session, query), expected, query);
    }
  });

  test("units above the safe integer range return 500 rather than an inexact number", async () => {
    await using own = await startService();
    const session = await own.openSession();
    await own.get(RATE, await own.createKey(session));
    own.query("UPDATE charged_units SET units = 9007199254740993 WHERE day > 0");

    const answer = await own.get(DAILY, { session });

    assertFailure(answer, 500, "internal_error");
    assert.doesNotMatch(answer.text, /9007199254740|range|integer/i);
    const logged = own.logLines.find((line) => line.includes("internal_error"));
    assert.match(logged ?? "", new RegExp(String(answer.body.request_id)));
  });
});
