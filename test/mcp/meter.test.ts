import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailure, uuidV7 } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { eventually } from "../support/mails.ts";
import { eras as clientEras, connectMcp, envelopeIn } from "../support/mcp-client.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  BATCH,
  batches,
  type Outcome,
  RATE_PATH,
  read,
  served,
  type Way,
  ways,
} from "./callers.ts";
import * as mcp from "./messages.ts";

/** All protocols, this many times: together they are 8 reads each time. */
const crowdOf = (times: number): readonly Way[] => new Array<typeof ways>(times).fill(ways).flat();

const mcpWays = ways.slice(1);

/** Asserts how many reads were served, and that the others were told that the quota is used up. */
function assertShares(outcomes: readonly Outcome[], good: number, bad: number, limit = 20) {
  const failures = outcomes.flatMap((outcome) => (outcome === "served" ? [] : [outcome]));
  assert.deepEqual([outcomes.length - failures.length, failures.length], [good, bad]);
  for (const { request_id: requestId, ...failure } of failures) {
    assert.match(String(requestId), uuidV7);
    assert.deepEqual(failure, {
      code: "quota_exceeded",
      message: "Request-unit quota exceeded for the current billing period.",
      limit,
      remaining: 0,
      reset_at: "2026-12-01T00:00:00.000Z",
    });
  }
}

/** The day's units by key, oldest key first; asserts that they add up to the period's units. */
function unitsByKey(service: TestService): unknown[] {
  const days = service.query("SELECT units FROM daily_usage ORDER BY api_key_id");
  const [sums] = service.query(`
    SELECT (SELECT sum(units) FROM period_usage) AS by_period,
      (SELECT sum(units) FROM daily_usage) AS by_day`);
  assert.equal(sums?.by_day, sums?.by_period);
  return days.map(({ units }) => units);
}

suite("MCP meter: the quota", () => {
  for (const way of mcpWays) {
    test(`that is used up over ${way.name} is used up over REST`, async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: BATCH });
      for (let used = 0; used < BATCH; used += way.readsPerRequest) {
        const outcomes = await read(way, own.service, own.apiKey);
        assertShares(outcomes, way.readsPerRequest, 0);
      }

      const answer = await own.service.get(RATE_PATH, { apiKey: own.apiKey });

      assertFailure(answer, 429, "quota_exceeded");
      assertShares([answer.body], 0, 1, BATCH);
      assert.equal(await own.usedUnits(), BATCH);
    });

    test(`that is used up over REST is used up over ${way.name}`, async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: 2 });
      for (let used = 0; used < 2; used += 1) {
        await own.service.get(RATE_PATH, { apiKey: own.apiKey });
      }

      const outcomes = await read(way, own.service, own.apiKey);

      assertShares(outcomes, 0, way.readsPerRequest, 2);
      assert.equal(await own.usedUnits(), 2);
    });
  }

  test("that ends within a batch serves the first calls of the batch and no others", async () => {
    await using own = await mcp.startWithKey({ freePlanUnits: BATCH - 2 });

    const outcomes = await read(batches, own.service, own.apiKey);

    assertShares(outcomes.slice(0, BATCH - 2), BATCH - 2, 0);
    assertShares(outcomes.slice(BATCH - 2), 0, 2, BATCH - 2);
    assert.equal(await own.usedUnits(), BATCH - 2);
  });

  for (const { name, mode } of clientEras) {
    test(`of 20 units serves 20 of 50 concurrent calls of a client ${name}`, async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: 20 });
      const authorization = `ApiKey ${own.apiKey}`;
      await using client = await connectMcp(own.service.url, { mode, authorization });

      const results = await Promise.all(
        Array.from({ length: 50 }, () => client.call("get_rate", mcp.EUR_USD)),
      );

      const outcomes = results.map((result) =>
        result.isError === true ? envelopeIn(result) : served(result.structuredContent),
      );
      assertShares(outcomes, 20, 30);
      assert.equal(await own.usedUnits(), 20);
      assert.deepEqual(unitsByKey(own.service), [20]);
    });
  }

  test("of 20 units serves 20 of 56 concurrent reads over REST, MCP and batches", async () => {
    await using own = await mcp.startWithKey({ freePlanUnits: 20 });

    const reads = crowdOf(7).map((way) => read(way, own.service, own.apiKey));

    assertShares((await Promise.all(reads)).flat(), 20, 36);
    assert.equal(await own.usedUnits(), 20);
    assert.deepEqual(unitsByKey(own.service), [20]);
  });

  test("of 20 units is shared by two nodes on one store", async () => {
    await using own = await mcp.startWithKey({ freePlanUnits: 20 });
    const { dataDirectory } = own.service;
    await using second = await startService({ dataDirectory, config: { freePlanUnits: 20 } });

    const reads = [own.service, second].flatMap((node) =>
      crowdOf(4).map((way) => read(way, node, own.apiKey)),
    );

    assertShares((await Promise.all(reads)).flat(), 20, 44);
    assert.equal(await own.usedUnits(), 20);
    assert.deepEqual(unitsByKey(own.service), [20]);
  });

  test("is separate for each account when both read concurrently", async () => {
    await using own = await mcp.startWithKey({ freePlanUnits: 8 });
    const otherSession = await own.service.openSession();
    const other = await own.service.createKey(otherSession);

    const [ownOutcomes, otherOutcomes] = await Promise.all(
      [crowdOf(2).map((way) => read(way, own.service, own.apiKey))]
        .concat([crowdOf(1).map((way) => read(way, own.service, other.apiKey))])
        .map((reads) => Promise.all(reads)),
    );

    assertShares(ownOutcomes?.flat() ?? [], 8, 8, 8);
    assertShares(otherOutcomes?.flat() ?? [], 8, 0, 8);
    assert.equal(await own.usedUnits(), 8);
    assert.equal(await own.service.usedUnits(otherSession), 8);
    assert.deepEqual(unitsByKey(own.service), [8, 8]);
  });

  test("is shared by an account's keys, and each key's day counts its own reads", async () => {
    await using own = await mcp.startWithKey({ freePlanUnits: 20 });
    const other = await own.service.createKey(own.session);

    const reads = crowdOf(3).flatMap((way) =>
      [own, other].map(({ apiKey }) => read(way, own.service, apiKey)),
    );
    const outcomes = await Promise.all(reads);

    assertShares(outcomes.flat(), 20, 28);
    const servedOf = (half: number) =>
      outcomes
        .filter((_, index) => index % 2 === half)
        .flat()
        .filter((each) => each === "served");
    assert.deepEqual(unitsByKey(own.service), [servedOf(0).length, servedOf(1).length]);
  });
});

const calls = [
  ["get_rate", mcp.EUR_USD, undefined, 1],
  ["get_rate", { base: " eur ", quote: "usd" }, undefined, 1],
  ["get_rate", { base: "\u00a0eur\ufeff", quote: "\u2003usd" }, undefined, 1],
  ["convert_currency", { ...mcp.EUR_USD, amount: "2.50" }, undefined, 1],
  ["get_usage", {}, undefined, 0],
  ["get_rate", { base: "EUR", quote: "NONE" }, "unsupported_pair", 1],
  ["convert_currency", { base: "EUR", quote: "NONE", amount: "1" }, "unsupported_pair", 1],
  ["get_rate", { base: "GBP", quote: "USD" }, "temporarily_unavailable", 1],
  ["convert_currency", { base: "GBP", quote: "USD", amount: "1" }, "temporarily_unavailable", 1],
  ["get_rate", { base: "E", quote: "USD" }, "invalid_asset_symbol", 0],
  ["convert_currency", { base: "EUR", quote: "U-S", amount: "1" }, "invalid_asset_symbol", 0],
  ["convert_currency", { ...mcp.EUR_USD, amount: "1e3" }, "invalid_request", 0],
  ["get_rate", { base: "EUR" }, "invalid_request", 0],
] as const;

const methods = {
  "2025": ["initialize", "ping", "tools/list", "resources/list", "resources/templates/list"],
  "2026": ["server/discover", "tools/list", "resources/list", "resources/templates/list"],
} as const;

for (const era of mcp.eras) {
  suite(`MCP meter ${mcp.VERSION_OF[era]}`, () => {
    test("a call costs one unit if it reached the rate, and otherwise nothing", async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: 1000 });
      own.service.storeRate("GBP", "USD", "1.33");
      own.service.query("UPDATE rates SET suspended_at = as_of WHERE base = 'GBP'");
      const post = mcp.postTo(own.service, own.apiKey);
      let used = 0;

      for (const [tool, given, code, units] of calls) {
        const rpc = mcp.rpcOf(await post(mcp.callOf(era, tool, given)));

        if (code === undefined) mcp.valueIn(rpc);
        else assert.equal(mcp.failureIn(rpc).code, code);
        assert.equal(mcp.metaIn(rpc)["kurs/units-charged"], String(units));
        used += units;
        assert.equal(await own.usedUnits(), used, `${tool} ${JSON.stringify(given)}`);
      }
      assert.deepEqual(unitsByKey(own.service), [used]);
    });

    test("only tool calls are charged", async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: 1000 });
      const post = mcp.postTo(own.service, own.apiKey);

      for (const method of methods[era]) await post(mcp.requestOf(era, method));
      await post(mcp.callOf(era, "set_rate", mcp.EUR_USD));
      const named = era === "2025" ? {} : { "mcp-name": "get_rate" };
      const params = { name: "get_rate", arguments: mcp.EUR_USD };
      const { headers, json } = mcp.notificationOf(era, "tools/call", params);
      const unasked = await post({ headers: { ...headers, ...named }, json });

      assert.deepEqual([unasked.status, unasked.text], [202, ""]);
      assert.equal(await own.usedUnits(), 0);
      assert.deepEqual(unitsByKey(own.service), []);
    });

    test("uncharged requests are served when no units remain", async () => {
      await using own = await mcp.startWithKey({ freePlanUnits: 0 });
      const post = mcp.postTo(own.service, own.apiKey);

      const usage = mcp.valueIn(mcp.rpcOf(await post(mcp.callOf(era, "get_usage"))));
      const bad = await post(mcp.callOf(era, "get_rate", { base: "E", quote: "USD" }));
      const list = await post(mcp.requestOf(era, "tools/list"));
      const rate = await post(mcp.readOf(era));

      assert.equal((usage.usage as { remaining_units: number }).remaining_units, 0);
      mcp.assertToolFailure(bad, "invalid_asset_symbol");
      assert.match(list.text, /"name":"get_rate"/);
      assertShares([mcp.failureIn(mcp.rpcOf(rate))], 0, 1, 0);
      assert.equal(mcp.metaIn(mcp.rpcOf(rate))["kurs/units-charged"], "0");
      assert.equal(await own.usedUnits(), 0);
    });
  });
}

test("MCP meter: a request that begins after its key was revoked is rejected", async () => {
  await using own = await mcp.startWithKey({ freePlanUnits: 100_000 });
  const { service, apiKey } = own;
  const free = mcp.eras.flatMap((era) =>
    [mcp.callOf(era, "get_usage"), mcp.requestOf(era, "tools/list")].map((message) => ({
      readsPerRequest: 0,
      ask: () => mcp.postTo(service, apiKey)(message),
      outcomesOf: () => [],
    })),
  );
  let isRevoked = false;
  let servedReads = 0;
  const late: Answer[] = [];
  /** Sends requests until one that began after the revocation has its response. */
  const keepAsking = async ({ ask, outcomesOf }: Pick<Way, "ask" | "outcomesOf">) => {
    for (let isLate = false; !isLate; ) {
      isLate = isRevoked;
      const answer = await ask(service, apiKey);
      if (isLate) late.push(answer);
      if (answer.status === 200)
        servedReads += outcomesOf(answer).filter((each) => each === "served").length;
      else assert.deepEqual([answer.status, answer.body.code], [401, "unauthorized"]);
    }
  };

  const askers = [...crowdOf(2), ...free];
  const burst = Promise.all(askers.map(keepAsking));
  await Promise.race([burst, eventually("burst", () => (servedReads >= 40 ? true : undefined))]);
  const path = `/v1/account/api-keys/${own.id}`;
  assert.equal((await service.call("DELETE", path, { session: own.session })).status, 204);
  isRevoked = true;
  await burst;

  assert.deepEqual(
    late.map(({ status, body }) => [status, body.message]),
    askers.map(() => [401, "A valid API key is required."]),
  );
  assert.equal(await own.usedUnits(), servedReads);
  assert.deepEqual(unitsByKey(service), [servedReads]);
});
