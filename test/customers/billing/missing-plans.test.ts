import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { kurs } from "../../support/command-line.ts";
import { scrape } from "../../support/metrics.ts";
import { startSharedService } from "../../support/service.ts";

// An account whose plan is not stored, as after a change by hand. That its reads fail alone is
// tested on the stores: test/contract/suite/meter.ts.

const RATE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";

const service = await startSharedService({ config: { metricsPort: 0 } });
const lost = await service.newCustomer("lost@example.org");
const other = await service.newCustomer("other@example.org");

/** Changes the service's database with foreign keys disabled. */
function change(sql: string): void {
  using database = service.database();
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
}

/** Takes the plan of an account away until disposed of. */
function withoutPlan(): Disposable {
  change("UPDATE accounts SET plan = 'lost' WHERE email = 'lost@example.org'");
  return { [Symbol.dispose]: () => change("UPDATE accounts SET plan = 'free'") };
}

test("§4 rates, usage: its reads and its usage are 503, uncharged, and the log says what to do; others are served", async () => {
  {
    using _ = withoutPlan();
    assertFailure(await lost.read(), 503, "temporarily_unavailable", RATE_MESSAGE);
    assert.ok(service.logLines.some((line) => line.includes("is not stored; run kurs doctor")));
    const usage = await service.get("/v1/account/usage", { session: lost.session });
    assertFailure(usage, 503, "temporarily_unavailable");
    // The symbol is checked before the charge and without a plan.
    assertFailure(await lost.read("E/USD"), 400, "invalid_asset_symbol");
    assert.equal((await other.read()).status, 200);
    assert.equal((await scrape(service)).value("kurs_units_charged_total"), 1);
  }
  assert.deepEqual([await lost.usedUnits(), await other.usedUnits()], [0, 1]);
  assert.equal((await lost.read()).status, 200);
});

test("§4 accounts: while the free plan is not stored, a registration returns 503 and stores nothing", async () => {
  const json = { email: "new@example.org", password: "correct horse battery" };
  change("UPDATE plans SET name = 'away' WHERE name = 'free'");

  const rejected = await service.post("/v1/auth/register", { json });
  change("UPDATE plans SET name = 'free' WHERE name = 'away'");

  assertFailure(rejected, 503, "temporarily_unavailable");
  assert.ok(service.logLines.some((line) => line.includes("kurs plans set free UNITS")));
  // The email is still available.
  assert.equal((await service.post("/v1/auth/register", { json })).status, 201);
});

test("/readyz reports the missing plan with 200, and the doctor says what to do", async () => {
  {
    using _ = withoutPlan();
    const ready = await service.get("/readyz");
    assert.equal(ready.status, 200);
    assert.deepEqual(ready.body, {
      status: "degraded",
      problems: ["Accounts are on a plan that is not stored. Run: kurs doctor"],
    });
    const { dataDirectory } = service;
    const doctor = await kurs(["doctor"], { dataDirectory });
    assert.equal(doctor.exitCode, 1);
    assert.match(
      doctor.stdout,
      /^problem {2}plans +1 account is on the plan "lost", which is not stored: .* kurs plans set lost UNITS/m,
    );
    const list = await kurs(["accounts", "list"], { dataDirectory });
    assert.match(list.stdout, /^lost@example\.org +lost /m);
  }
  assert.equal((await service.get("/readyz")).text, '{"status":"ok"}');
});

test("a query finds the plans in use through an index", () => {
  const sql = "EXPLAIN QUERY PLAN SELECT min(plan) FROM accounts WHERE plan > 'free'";
  assert.match(String(service.query(sql)[0]?.detail), /COVERING INDEX accounts_by_plan/);
});
