import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { startSharedService } from "../../support/service.ts";
import {
  holdWriteLock,
  withoutDays,
  withoutTable,
  withoutView,
} from "../../support/store-faults.ts";
import { assertToolFailure, failureIn, metaIn, type RpcAnswer, valueIn } from "./answers.ts";
import { openAll } from "./doors.ts";
import { callOf, EUR_USD, eras, type Posted, readOf, requestOf } from "./messages.ts";
import { postTo } from "./with-key.ts";

// What a failed charge or read costs is decided by the meter: test/reads/metering/store-failure.test.ts.

const RATE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";
const STORE_MESSAGE = "The service is temporarily unavailable. Please retry.";

const service = await startSharedService();
const { apiKey, session } = await service.newCustomer();
const post = postTo(service, apiKey);
const doors = await openAll(service, apiKey);
const conversion = { ...EUR_USD, amount: "2.50" };

function assertNothingTold(text: string): void {
  assert.doesNotMatch(text, /lock|busy|sqlite|database|table|_gone|stack|\.ts\b/i);
}

function assertUnavailable(rpc: RpcAnswer, message: string): void {
  const envelope = failureIn(rpc);
  assert.deepEqual([envelope.code, envelope.message], ["temporarily_unavailable", message]);
  assertNothingTold(JSON.stringify(rpc));
}

const faults = [
  ["a charge that is not stored completely", () => withoutDays(service), 0],
  ["a rate that cannot be read", () => withoutTable(service, "rates"), 1],
] as const;

for (const [what, fail, units] of faults) {
  test(`MCP store: ${what} fails reads through every door, for ${units} units`, async () => {
    const used = await service.usedUnits(session);
    {
      using _fault = fail();
      for (const [, { call }] of doors) {
        for (const [tool, given] of [
          ["get_rate", EUR_USD],
          ["convert_currency", conversion],
        ] as const) {
          const rpc = await call(tool, given);
          assertUnavailable(rpc, RATE_MESSAGE);
          assert.equal(metaIn(rpc)["kurs/units-charged"], String(units));
        }
        if (units === 0) assert.equal(valueIn(await call("get_usage")).plan, "free");
      }
    }
    assert.equal(await service.usedUnits(session), used + units * 2 * doors.length);
  });
}

test("MCP store: a usage that cannot be read fails the call through every door", async () => {
  using _gone = withoutView(service, "period_usage");
  for (const [, { call }] of doors) {
    const rpc = await call("get_usage");
    assertUnavailable(rpc, STORE_MESSAGE);
    assert.equal(metaIn(rpc)["kurs/units-charged"], "0");
  }
});

test("MCP store: beside a write lock a read fails uncharged, and what only reads is served", async () => {
  const used = await service.usedUnits(session);
  {
    using _lock = holdWriteLock(service);
    const answer = await post(readOf("2026"));
    assertToolFailure(answer, "temporarily_unavailable", RATE_MESSAGE);
    assertNothingTold(answer.text);
    for (const [, { call }] of doors) {
      assert.equal(valueIn(await call("get_usage")).plan, "free");
      const bad = failureIn(await call("get_rate", { base: "EUR" }));
      assert.deepEqual([bad.code, bad.message], ["invalid_request", "quote is missing."]);
    }
  }
  assert.equal(await service.usedUnits(session), used);
});

test("MCP store: a key that cannot be read is 503 or fails the call, never 401 or 500", async () => {
  using _keys = withoutTable(service, "api_keys");
  using _usable = withoutTable(service, "usable_keys");
  for (const era of eras) {
    for (const posted of [requestOf(era, "tools/list"), requestOf(era, "x"), callOf(era, "x")]) {
      const answer = await post(posted);
      assertFailure(answer, 503, "temporarily_unavailable", STORE_MESSAGE);
      assertNothingTold(answer.text);
    }
    const calls: readonly (readonly [Posted, string])[] = [
      [readOf(era), RATE_MESSAGE],
      [callOf(era, "convert_currency", conversion), RATE_MESSAGE],
      [callOf(era, "get_usage"), STORE_MESSAGE],
      [callOf(era, "get_rate"), STORE_MESSAGE],
      [callOf(era, "convert_currency", { ...EUR_USD, amount: "1e5" }), STORE_MESSAGE],
    ];
    for (const [posted, message] of calls) {
      const answer = await post(posted);
      assertToolFailure(answer, "temporarily_unavailable", message);
      assertNothingTold(answer.text);
    }
  }
});

test("MCP store: the cause is logged once, with the request id of the response", async () => {
  using _gone = withoutTable(service, "rates");
  for (const [name, { call }] of doors) {
    const id = String(failureIn(await call("get_rate", EUR_USD)).request_id);
    const causes = service.logLines.filter(
      (line) => line.includes(id) && line.includes("no such table: rates"),
    );
    assert.equal(causes.length, 1, name);
  }
});
