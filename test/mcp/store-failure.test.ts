import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import type { TestService } from "../support/service.ts";
import { holdWriteLock, withoutDays, withoutView } from "../support/store-faults.ts";
import {
  assertToolFailure,
  callOf,
  type Era,
  EUR_USD,
  eras,
  failureIn,
  headersOf,
  PATH,
  type Posted,
  readOf,
  requestOf,
  rpcOf,
  rpcsOf,
  startWithKey,
  valueIn,
} from "./messages.ts";

const RATE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";
const STORE_MESSAGE = "The service is temporarily unavailable. Please retry.";

/** Renames a table, so that every statement on it fails; disposing restores it. */
function withoutTable(service: TestService, table: string): Disposable {
  service.query(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
  return {
    [Symbol.dispose]: () => void service.query(`ALTER TABLE ${table}_gone RENAME TO ${table}`),
  };
}

const convert = (era: Era): Posted =>
  callOf(era, "convert_currency", { ...EUR_USD, amount: "2.50" });

function assertNothingTold(answer: Answer): void {
  assert.doesNotMatch(answer.text, /lock|busy|sqlite|database|table|_gone|stack|\.ts\b/i);
}

test("MCP store: a charge that cannot be committed fails the call, uncharged", async () => {
  await using own = await startWithKey();
  {
    using _lock = holdWriteLock(own.service);
    const answer = await own.post(readOf("2026"));
    assertToolFailure(answer, "temporarily_unavailable", RATE_MESSAGE);
    assertNothingTold(answer);
  }
  assert.equal(await own.usedUnits(), 0);
  valueIn(rpcOf(await own.post(readOf("2026"))));
  assert.equal(await own.usedUnits(), 1);
});

test("MCP store: while another process holds the write lock, calls that only read are served", async () => {
  await using own = await startWithKey();
  using _lock = holdWriteLock(own.service);

  for (const era of eras) {
    assert.equal((await own.post(requestOf(era, "tools/list"))).status, 200);
    assert.equal(valueIn(rpcOf(await own.post(callOf(era, "get_usage")))).plan, "free");
    const bad = await own.post(callOf(era, "get_rate", { base: "EUR" }));
    assertToolFailure(bad, "invalid_request", "quote is missing.");
  }
});

test("MCP store: a rate that cannot be read fails the call, and its unit is not refunded", async () => {
  await using own = await startWithKey();
  using _gone = withoutTable(own.service, "rates");
  for (const era of eras) {
    for (const posted of [readOf(era), convert(era)]) {
      const answer = await own.post(posted);
      assertToolFailure(answer, "temporarily_unavailable", RATE_MESSAGE);
      assertNothingTold(answer);
    }
  }
  assert.equal(await own.usedUnits(), 4);
});

test("MCP store: a charge is stored completely or not at all", async () => {
  await using own = await startWithKey();
  {
    using _gone = withoutDays(own.service);
    for (const era of eras) {
      const answer = await own.post(readOf(era));
      assertToolFailure(answer, "temporarily_unavailable", RATE_MESSAGE);
      assertNothingTold(answer);
    }
  }
  assert.equal(await own.usedUnits(), 0);
});

test("MCP store: a usage that cannot be read fails the call", async () => {
  await using own = await startWithKey();
  using _gone = withoutView(own.service, "period_usage");
  for (const era of eras) {
    const answer = await own.post(callOf(era, "get_usage"));
    assertToolFailure(answer, "temporarily_unavailable", STORE_MESSAGE);
    assertNothingTold(answer);
  }
});

test("MCP store: a key that cannot be read is 503 or fails the call, never 401 or 500", async () => {
  await using own = await startWithKey();
  {
    using _keys = withoutTable(own.service, "api_keys");
    using _usable = withoutTable(own.service, "usable_keys");
    for (const era of eras) {
      const whole = [requestOf(era, "tools/list"), requestOf(era, "nope"), callOf(era, "nope")];
      for (const posted of whole) {
        const answer = await own.post(posted);
        assertFailure(answer, 503, "temporarily_unavailable", STORE_MESSAGE);
        assertNothingTold(answer);
      }
      const calls = [
        [readOf(era), RATE_MESSAGE],
        [convert(era), RATE_MESSAGE],
        [callOf(era, "get_usage"), STORE_MESSAGE],
        [callOf(era, "get_rate"), STORE_MESSAGE],
        [callOf(era, "convert_currency", { ...EUR_USD, amount: "1e5" }), STORE_MESSAGE],
      ] as const;
      for (const [posted, message] of calls) {
        const answer = await own.post(posted);
        assertToolFailure(answer, "temporarily_unavailable", message);
        assertNothingTold(answer);
      }
    }
  }
  assert.equal(await own.usedUnits(), 0);
  valueIn(rpcOf(await own.post(readOf("2025"))));
});

test("MCP store: each call of a batch fails by itself, uncharged", async () => {
  await using own = await startWithKey();
  {
    using _gone = withoutDays(own.service);
    const json = [
      readOf("2025", 1).json,
      callOf("2025", "get_usage", {}, 2).json,
      convert("2025").json,
    ];
    const ids = json.map((message, index) => ({ ...message, id: index }));
    const how = { apiKey: own.apiKey, headers: headersOf("2025"), json: ids };
    const [rate, usage, conversion] = rpcsOf(await own.service.post(PATH, how));
    for (const rpc of [rate, conversion]) {
      assert.equal(failureIn(rpc ?? { id: 0 }).code, "temporarily_unavailable");
    }
    assert.equal(valueIn(usage ?? { id: 0 }).plan, "free");
  }
  assert.equal(await own.usedUnits(), 0);
});

test("MCP store: the cause is logged once, with the request id of the response", async () => {
  await using own = await startWithKey();
  using _gone = withoutTable(own.service, "rates");
  for (const posted of [readOf("2025"), readOf("2026")]) {
    const answer = await own.post(posted);

    const id = String(failureIn(rpcOf(answer)).request_id);
    const causes = own.service.logLines.filter(
      (line) => line.includes(id) && line.includes("no such table: rates"),
    );
    assert.equal(causes.length, 1);
  }
});
