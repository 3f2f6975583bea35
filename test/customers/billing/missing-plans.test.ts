import assert from "node:assert/strict";
import { test } from "node:test";
import { callOf, EUR_USD, PATH } from "../../reads/mcp/messages.ts";
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

test("§4 rates: its reads return 503 and charge nothing; concurrent reads of other accounts succeed", async () => {
  {
    using _ = withoutPlan();
    const readers = Array.from({ length: 24 }, (_, nth) => (nth % 2 === 0 ? lost : other));
    const responses = await Promise.all(readers.map(({ read }) => read()));

    for (const [index, response] of responses.entries()) {
      if (readers[index] === other) assert.equal(response.status, 200, response.text);
      else assertFailure(response, 503, "temporarily_unavailable", RATE_MESSAGE);
    }
    assert.ok(service.logLines.some((line) => line.includes("is not stored; run kurs doctor")));
    // The symbol is checked before the charge and without a plan.
    assertFailure(await lost.read("E/USD"), 400, "invalid_asset_symbol");
    assert.equal((await scrape(service)).value("kurs_units_charged_total"), 12);
  }
  assert.deepEqual([await lost.usedUnits(), await other.usedUnits()], [0, 12]);
  assert.equal((await lost.read()).status, 200);
});

test("§4 usage and MCP: its usage requests and tool calls fail with temporarily_unavailable, uncharged", async () => {
  const used = await lost.usedUnits();
  {
    using _ = withoutPlan();
    const usage = await service.get("/v1/account/usage", { session: lost.session });
    assertFailure(usage, 503, "temporarily_unavailable");
    for (const [name, args] of [
      ["get_rate", EUR_USD],
      ["convert_currency", { ...EUR_USD, amount: "2" }],
      ["get_usage", {}],
    ] as const) {
      const call = { apiKey: lost.apiKey, ...callOf("2025", name, args) };
      const { status, text } = await service.post(PATH, call);
      assert.equal(status, 200);
      assert.match(text, /temporarily_unavailable.*"isError":true/, name);
    }
  }
  assert.equal(await lost.usedUnits(), used);
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
