import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createReadRate } from "../../src/metering/read-rate.ts";
import { StoreUnavailable, storeOverloaded } from "../../src/shared/store.ts";
import { createDatabaseHealth } from "../../src/storage/sqlite/health/database-health.ts";
import { startSharedService, TestClock } from "../support/service.ts";
import { holdWriteLock, withoutTable } from "../support/store-faults.ts";

// A client must be able to tell a read that it paid for from one that cost nothing.

const service = await startSharedService({ config: { freePlanUnits: 6 } });
service.storeRate("HALTED", "USD", "1.5");
service.query("UPDATE rates SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE base = 'HALTED'");

const reads = [
  ["a rate", "EUR/USD", 200, "1"],
  ["an invalid symbol", "E/USD", 400, "0"],
  ["a malformed escape", "%zz/USD", 400, "0"],
  ["an unsupported pair", "USD/NONE", 404, "1"],
  ["a suspended pair", "HALTED/USD", 503, "1"],
] as const;

for (const method of ["GET", "HEAD"] as const) {
  test(`${method}: Units-Charged is what the account's usage grows by, whatever the status`, async () => {
    const { session, apiKey } = await service.newCustomer();
    let used = 0;
    const read = async (pair: string, status: number, units: string) => {
      const answer = await service.call(method, `/v1/rates/${pair}`, { apiKey });
      assert.deepEqual([answer.status, answer.headers["units-charged"]], [status, units]);
      used += Number(units);
      assert.equal(await service.usedUnits(session), used);
    };

    for (const [, pair, status, units] of reads) await read(pair, status, units);
    while (used < 6) await read("EUR/USD", 200, "1");
    await read("EUR/USD", 429, "0");
    await read("HALTED/USD", 429, "0");
  });
}

test("a read without a valid key, and one that its form rejects, say that they cost nothing", async () => {
  const { session, apiKey } = await service.newCustomer();
  const path = "/v1/rates/EUR/USD";
  const rejected = [
    await service.get(path),
    await service.get(path, { session }),
    await service.get(path, { apiKey: `${apiKey}0` }),
    await service.get(path, { apiKey, headers: { host: "a b" } }),
    await service.get(path, { apiKey, headers: { "content-length": "20000" } }),
  ];

  assert.deepEqual(
    rejected.map(({ status, headers }) => [status, headers["units-charged"]]),
    [401, 401, 401, 400, 413].map((status) => [status, "0"]),
  );
  assert.equal(await service.usedUnits(session), 0);
});

test("what is no read says nothing about units", async () => {
  const { session, apiKey } = await service.newCustomer();
  const others = [
    await service.post("/v1/rates/EUR/USD", { apiKey }),
    await service.get("/v1/account/usage", { session }),
    await service.get("/v1/rates/EUR", { apiKey }),
    await service.get("/v1/account/usage"),
  ];

  for (const { headers } of others) assert.equal(headers["units-charged"], undefined);
});

test("a suspended pair says to come back in an hour, a locked store in a second", async () => {
  const { apiKey } = await service.newCustomer();
  const suspended = await service.get("/v1/rates/HALTED/USD", { apiKey });
  assert.equal(suspended.headers["retry-after"], "3600");

  using _lock = holdWriteLock(service);
  const locked = await service.get("/v1/rates/EUR/USD", { apiKey });
  assert.deepEqual(
    [locked.status, locked.headers["retry-after"], locked.headers["units-charged"]],
    [503, "1", "0"],
  );
});

test("a rate that the store cannot read says that it was charged", async () => {
  const { session, apiKey } = await service.newCustomer();
  {
    using _gone = withoutTable(service, "rates");
    const { status, headers } = await service.get("/v1/rates/EUR/USD", { apiKey });
    assert.deepEqual([status, headers["units-charged"]], [503, "1"]);
  }
  assert.equal(await service.usedUnits(session), 1);
});

suite("a read whose store fails", () => {
  const unitsAfter = async (error: Error) => {
    const readRate = createReadRate({
      store: { metering: { read: () => Promise.reject(error) } },
      secrets: { hash: (text) => text },
      clock: new TestClock("2026-11-21T12:00:00.000Z"),
      countMissed: () => 0,
    });
    return (await readRate(`svc_live_${"0".repeat(64)}`, "EUR", "USD")).unitsCharged;
  };

  test("costs nothing when it was not started, or was undone", async () => {
    assert.equal(await unitsAfter(storeOverloaded), 0);
    assert.equal(await unitsAfter(new StoreUnavailable(new Error("locked"))), 0);
  });

  test("does not say what it cost when its commit is in doubt, or after an unexpected error", async () => {
    assert.equal(await unitsAfter(new StoreUnavailable(new Error("lost"), true)), undefined);
    assert.equal(await unitsAfter(new TypeError("a bug")), undefined);
  });
});

test("a failed COMMIT of the embedded database is in doubt, unless it lacked its lock or its space", async () => {
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
