import assert from "node:assert/strict";
import { ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { Client } from "pg";
import { pino } from "pino";
import { createSecrets } from "../../../src/platform/shared/secrets.ts";
import { StoreUnavailable, storeOverloaded } from "../../../src/platform/shared/store.ts";
import { createDatabaseHealth } from "../../../src/platform/storage/sqlite/health/database-health.ts";
import { createRespondToRead } from "../../../src/reads/metering/http.ts";
import { createReadRate } from "../../../src/reads/metering/read-rate.ts";
import { assertFailure } from "../../support/assertions.ts";
import { engines, startServiceOn } from "../../support/both-engines.ts";
import { pastRates } from "../../support/rates.ts";
import { openNodeWire } from "../../support/read-both-ways.ts";
import {
  startService,
  startSharedService,
  TestClock,
  type TestService,
} from "../../support/service.ts";
import { holdWriteLock, withoutDays, withoutTable } from "../../support/store-faults.ts";
import { callOf, EUR_USD, eras, PATH } from "../mcp/messages.ts";

const RATE = "/v1/rates/EUR/USD";
const RATE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";

const shared = await startSharedService();

const faults = [
  ["a charge that the store cannot commit", holdWriteLock, 0, "locked"],
  ["a charge that would not be stored completely", withoutDays, 0, "overflow"],
  [
    "a rate that cannot be read",
    (service: TestService) => withoutTable(service, "rates"),
    1,
    "no such table: rates",
  ],
] as const;

for (const [what, fail, units, cause] of faults) {
  test(`§4 rates, §7 store: ${what} is 503 for ${units} units, with its cause in the log alone`, async () => {
    const { session, read, usedUnits } = await shared.newCustomer();
    await read();
    {
      using _fault = fail(shared);
      for (const answer of await Promise.all([read(), read()])) {
        assertFailure(answer, 503, "temporarily_unavailable", RATE_MESSAGE);
        assert.doesNotMatch(answer.text, /lock|busy|sqlite|database|table|charged_units|overflow/i);
        const { "retry-after": retryAfter, "units-charged": charged, ratelimit } = answer.headers;
        assert.deepEqual([retryAfter, charged], ["1", String(units)]);
        if (units === 1) assert.match(ratelimit ?? "", /^"units";r=99[78];/);
        const id = String(answer.body.request_id);
        const logged = shared.logLines.filter((line) => line.includes(id));
        assert.ok(
          logged.some((line) => line.includes(cause)),
          logged.join(""),
        );
      }
      // What only reads is served.
      assert.equal(await usedUnits(), 1 + 2 * units);
      assert.equal((await shared.get("/v1/account/api-keys", { session })).status, 200);
    }
    assert.equal((await read()).status, 200);
    assert.equal(await usedUnits(), 2 + 2 * units);
  });
}

test("§7 store: when an account or a key cannot be stored, its creation is 503 and has no effect", async () => {
  const session = await shared.openSession();
  const json = { email: "new@example.org", password: "correct horse battery" };
  const stored = () =>
    ["accounts", "api_keys"].map((table) => shared.query(`SELECT * FROM ${table}`));
  const before = stored();

  {
    using _lock = holdWriteLock(shared);
    const key = await shared.post("/v1/account/api-keys", { session, json: { name: "x" } });
    const account = await shared.post("/v1/auth/register", { json });
    assertFailure(key, 503, "temporarily_unavailable");
    assertFailure(account, 503, "temporarily_unavailable");
    assert.doesNotMatch(key.text + account.text, /lock|busy|sqlite|database/i);
  }

  assert.deepEqual(stored(), before);
  assert.equal((await shared.post("/v1/auth/register", { json })).status, 201);
});

suite("a read whose store fails", () => {
  const logLines: string[] = [];
  const log = pino({}, { write: (line: string) => void logLines.push(line) });
  const respondTo = (error: Error) => {
    const metering = { read: () => Promise.reject(error) };
    const clock = new TestClock("2026-11-21T12:00:00.000Z");
    const functions = {
      countMissed: () => 0,
      pastRates,
      publicUrl: () => assert.fail("no pair is missing"),
    };
    const parts = { store: { metering }, secrets: createSecrets(), clock, ...functions };
    const respondToRead = createRespondToRead({ readRate: createReadRate(parts), log });
    return respondToRead("1", `svc_live_${"0".repeat(64)}`, "EUR", "USD");
  };
  const priceAfter = async (error: Error) => {
    const { headers } = await respondTo(error);
    const place = headers.indexOf("units-charged");
    return place < 0 ? undefined : headers[place + 1];
  };

  test("because it is at its capacity gets 503 and no log line", async () => {
    const response = await respondTo(storeOverloaded);

    assert.deepEqual([response.status, response.code], [503, "temporarily_unavailable"]);
    assert.equal(JSON.parse(response.body).message, RATE_MESSAGE);
    assert.equal(response.headers[response.headers.indexOf("retry-after") + 1], "1");
    assert.deepEqual(logLines, []);
  });

  test("costs nothing when it was not started, or was undone, and else does not say what it cost", async () => {
    assert.equal(await priceAfter(storeOverloaded), "0");
    assert.equal(await priceAfter(new StoreUnavailable(new Error("locked"))), "0");
    assert.equal(await priceAfter(new StoreUnavailable(new Error("lost"), true)), undefined);
    assert.equal(await priceAfter(new TypeError("a bug")), undefined);
  });
});

test("a failed COMMIT of the embedded database is in doubt, unless it lacked its lock or its space", async () => {
  await using service = await startService();
  const health = createDatabaseHealth(service.database(), () => undefined);
  const isInDoubt = (errcode: number, isCommitting: boolean) => {
    const error = health.recordError(Object.assign(new Error("failed"), { errcode }), isCommitting);
    assert.ok(error instanceof StoreUnavailable);
    return error.isInDoubt;
  };
  const [BUSY, FSYNC_FAILED, FULL] = [5, 10 + 4 * 256, 13];

  assert.equal(isInDoubt(FSYNC_FAILED, true), true);
  assert.equal(isInDoubt(FSYNC_FAILED, false), false);
  assert.equal(isInDoubt(BUSY, true), false);
  assert.equal(isInDoubt(FULL, true), false);
});

/** What may be in the store instead of a list of names and values that a response can send. */
const DAMAGED_HEADERS = [
  "null",
  "5",
  '{"rate-source":"ecb"}',
  '"rate-source"',
  '["rate-source"]',
  '["rate-source",5]',
  '["rate source","ecb"]',
  '["rate-source","ecb\\r\\nx-other: 1"]',
  '["rate-source","ecb;name=\\"Türkiye\\""]',
  '["rate-source","ecb;name=\\"₺\\""]',
] as const;

for (const engine of engines) {
  test(`a rate whose headers cannot be sent is a charged 500 with its cause in the log, on ${engine}`, async () => {
    await using on = await startServiceOn(engine);
    const { service, url } = on;
    const { apiKey, usedUnits } = await service.newCustomer();
    const damage = async (headers: string) => {
      const sql = `UPDATE rates SET headers = '${headers}' WHERE base = 'EUR' AND quote = 'USD'`;
      if (url === undefined) return void service.query(sql);
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    };
    using node = await openNodeWire(service.url);

    for (const headers of DAMAGED_HEADERS) {
      await damage(headers);
      const before = await usedUnits();
      const answers = [
        await service.get(RATE, { apiKey }),
        await service.call("HEAD", RATE, { apiKey }),
        await node.readRate("EUR/USD", apiKey),
      ];
      for (const { status, text, headers: sent, body } of answers) {
        assert.equal(status, 500, headers);
        assert.match(sent.ratelimit ?? "", /^"units";r=/);
        assert.deepEqual([sent["units-charged"], sent["rate-source"]], ["1", undefined]);
        assert.ok(text === "" || body.code === "internal_error", text);
        const causes = service.logLines.filter((line) =>
          line.includes(sent["x-request-id"] ?? "-"),
        );
        assert.ok(
          causes.some((line) => /headers of EUR\/USD/.test(line)),
          causes.join(""),
        );
      }
      for (const era of eras) {
        for (const name of ["get_rate", "convert_currency"]) {
          const call = callOf(era, name, {
            ...EUR_USD,
            ...(name === "get_rate" ? {} : { amount: "1" }),
          });
          const { status, text } = await service.post(PATH, { apiKey, ...call });
          assert.equal(status, 200);
          assert.match(text, /internal_error.*"isError":true/);
        }
      }
      assert.equal((await usedUnits()) - before, 7, headers);
    }
    assert.equal((await service.readRate("EUR/CHF", apiKey)).status, 200);
  });
}

test("an exception while a read is served or sent is a 500 on both ways in, and the server lives", async () => {
  class FailingClock extends TestClock {
    failures = 0;
    override nowMs(): number {
      if (this.failures === 0) return super.nowMs();
      this.failures -= 1;
      throw new Error("the clock stands still");
    }
  }
  const clock = new FailingClock("2026-11-21T12:00:00.000Z");
  await using service = await startService({ clock });
  const { apiKey, usedUnits } = await service.newCustomer();
  using wire = await openNodeWire(service.url);

  for (const read of [
    () => service.readRate("EUR/USD", apiKey),
    () => wire.readRate("EUR/USD", apiKey),
  ]) {
    clock.failures = 1;
    assertFailure(await read(), 500, "internal_error");
    assert.equal((await read()).status, 200);
  }

  assert.equal(await usedUnits(), 2);
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = () => {
    ServerResponse.prototype.writeHead = writeHead;
    throw new Error("the clock stands still");
  };
  assertFailure(await wire.readRate("EUR/USD", apiKey), 500, "internal_error");
  assert.equal((await wire.readRate("EUR/USD", apiKey)).status, 200);
  const causes = service.logLines.filter((line) => line.includes("the clock stands still"));
  assert.equal(causes.length, 3);
});
