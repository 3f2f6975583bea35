import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { administer } from "../../harness/postgres.ts";
import { assertFailure } from "../support/assertions.ts";
import { engines, type ServiceOnEngine, startServiceOn } from "../support/both-engines.ts";
import type { Call } from "../support/client.ts";
import { scrape } from "../support/metrics.ts";
import { kurs } from "../support/process.ts";
import type { TestService } from "../support/service.ts";

const RATE = "/v1/rates/EUR/USD";
const RATE_MESSAGE = "The service is temporarily unable to serve this rate. Please retry.";
const SYMBOL_MESSAGE = "Asset symbol format is invalid.";

const LOST = "lost@example.org";

/** Changes the service's database with foreign keys disabled. */
async function change({ service, url }: ServiceOnEngine, sql: string): Promise<void> {
  if (url !== undefined) {
    await administer(url, "SET session_replication_role = replica", sql);
    return;
  }
  using database = service.database();
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
}

const losePlan = (on: ServiceOnEngine) =>
  change(on, `UPDATE accounts SET plan = 'lost' WHERE email = '${LOST}'`);

const backOnPlan = (on: ServiceOnEngine) => change(on, "UPDATE accounts SET plan = 'free'");

async function openAccount(service: TestService, email: string) {
  const session = await service.openSession(email);
  return { session, ...(await service.createKey(session)) };
}

function toolCall(apiKey: string, name: string, args: object): Call {
  const params = { name, arguments: args };
  return {
    apiKey,
    headers: { accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}

for (const engine of engines) {
  suite(`an account whose plan is not stored, on ${engine}`, () => {
    const resources = new AsyncDisposableStack();
    let on: ServiceOnEngine;
    let lost: Awaited<ReturnType<typeof openAccount>>;
    let other: typeof lost;
    before(async () => {
      on = resources.use(await startServiceOn(engine, { config: { metricsPort: 0 } }));
      lost = await openAccount(on.service, LOST);
      other = await openAccount(on.service, "other@example.org");
    });
    after(() => resources.disposeAsync());

    test("§4 rates: its reads return 503 and charge nothing; concurrent reads of other accounts succeed", async () => {
      const { service } = on;
      const { apiKey } = lost;
      await losePlan(on);

      const keys = Array.from({ length: 24 }, (_, nth) => [apiKey, other.apiKey][nth % 2] ?? "");
      const responses = await Promise.all(keys.map((key) => service.get(RATE, { apiKey: key })));

      for (const [index, response] of responses.entries()) {
        if (keys[index] === other.apiKey) assert.equal(response.status, 200, response.text);
        else assertFailure(response, 503, "temporarily_unavailable", RATE_MESSAGE);
      }
      assert.ok(service.logLines.some((line) => line.includes("is not stored; run kurs doctor")));
      // The symbol is checked before the charge and without a plan.
      const symbol = await service.get("/v1/rates/E/USD", { apiKey });
      assertFailure(symbol, 400, "invalid_asset_symbol", SYMBOL_MESSAGE);
      assert.equal((await scrape(service)).value("kurs_units_charged_total"), 12);
      await backOnPlan(on);
      assert.equal(await service.usedUnits(lost.session), 0);
      assert.equal(await service.usedUnits(other.session), 12);
      assert.equal((await service.get(RATE, { apiKey })).status, 200);
    });

    test("§4 usage and MCP: its usage requests and tool calls fail with temporarily_unavailable, uncharged", async () => {
      const { service } = on;
      const used = await service.usedUnits(lost.session);
      await losePlan(on);

      const usage = await service.get("/v1/account/usage", { session: lost.session });
      assertFailure(usage, 503, "temporarily_unavailable");
      const calls = [
        ["get_rate", { base: "EUR", quote: "USD" }],
        ["convert_currency", { base: "EUR", quote: "USD", amount: "2" }],
        ["get_usage", {}],
      ] as const;
      for (const [name, args] of calls) {
        const call = toolCall(lost.apiKey, name, args);
        const { status, body } = await service.post("/v1/mcp", call);
        const { result } = body as { result: { isError: boolean; content: { text: string }[] } };
        assert.deepEqual([status, result.isError], [200, true], name);
        const failure = JSON.parse(result.content[0]?.text ?? "");
        assert.equal(failure.code, "temporarily_unavailable", name);
      }
      await backOnPlan(on);
      assert.equal(await service.usedUnits(lost.session), used);
    });

    test("§4 accounts: while the free plan is not stored, a registration returns 503 and stores nothing", async () => {
      const { service } = on;
      const json = { email: "new@example.org", password: "correct horse battery" };
      await change(on, "UPDATE plans SET name = 'away' WHERE name = 'free'");

      const rejected = await service.post("/v1/auth/register", { json });
      await change(on, "UPDATE plans SET name = 'free' WHERE name = 'away'");

      assertFailure(rejected, 503, "temporarily_unavailable");
      assert.ok(service.logLines.some((line) => line.includes("kurs plans set free UNITS")));
      // The email is still available.
      assert.equal((await service.post("/v1/auth/register", { json })).status, 201);
    });

    test("/readyz reports the missing plan with 200, and the doctor says what to do", async () => {
      const { service, url } = on;
      const env: Record<string, string> = url === undefined ? {} : { DATABASE_URL: url };
      await losePlan(on);

      const ready = await service.get("/readyz");
      assert.equal(ready.status, 200);
      assert.deepEqual(ready.body, {
        status: "degraded",
        problems: ["Accounts are on a plan that is not stored. Run: kurs doctor"],
      });
      const { dataDirectory } = service;
      const [doctor, list] = await Promise.all([
        kurs(["doctor"], { dataDirectory, env }),
        kurs(["accounts", "list"], { dataDirectory, env }),
      ]);
      assert.equal(doctor.exitCode, 1);
      assert.match(
        doctor.stdout,
        /^problem {2}plans +1 account is on the plan "lost", which is not stored: .* kurs plans set lost UNITS/m,
      );
      assert.match(list.stdout, /^lost@example\.org +lost /m);
      await backOnPlan(on);
      assert.equal((await service.get("/readyz")).text, '{"status":"ok"}');
    });
  });
}

suite("the plans in use", () => {
  test("a query finds the plans in use through an index", async () => {
    await using on = await startServiceOn("sqlite");
    const sql = "EXPLAIN QUERY PLAN SELECT min(plan) FROM accounts WHERE plan > 'free'";
    assert.match(String(on.service.query(sql)[0]?.detail), /COVERING INDEX accounts_by_plan/);
  });
});
