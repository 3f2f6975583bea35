import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { fc } from "../../support/properties.ts";
import { openWire, plainRead, type Wire } from "../../support/raw-connection.ts";
import { openNodeWire, type RequestOf, readWaysOf } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";
import { withoutTable } from "../../support/store-faults.ts";
import { anyUsage } from "./odd-reads.ts";

// A plain request for the usage bypasses node:http, as a read does. node:http itself is the
// reference, and its route looks up the session and the usage with statements of its own.

const REQUESTS = 1000;
const SEQUENCES = 200;
const DAY_MS = 86_400_000;

const service = await startService({
  config: { metricsPort: 0, authCallsPerWindow: 1_000_000 },
});
const ways = await readWaysOf(service);
after(async () => {
  ways[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
const [customer] = ways.twins.ample;

const usageOf =
  (...headers: readonly string[]): RequestOf =>
  (_apiKey, session) =>
    ["GET /v1/account/usage HTTP/1.1", "Host: kurs", `Authorization: Session ${session}`]
      .concat(headers, "", "")
      .join("\r\n");
const plainUsage = (session: string) => usageOf()("", session);

async function usedUnits(wire: Wire, session: string): Promise<unknown> {
  wire.send(plainUsage(session));
  const { status, text } = await wire.answer();
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { usage: { used_units: unknown } }).usage.used_units;
}

async function assertRejected(wire: Wire, session: string): Promise<void> {
  wire.send(plainUsage(session));
  const { status, text, lines } = await wire.answer();
  assert.equal(status, 401, text);
  assert.ok(lines.includes("www-authenticate: Session"), lines.join("\n"));
}

suite("the fast path sends node:http's response to a request for the usage", () => {
  const zeros = "0".repeat(64);
  const requests: readonly (readonly [what: string, status: number, requestOf: RequestOf])[] = [
    ["a session", 200, usageOf()],
    ["a page's origin", 200, usageOf("Origin: https://page.example")],
    ["Connection: close", 200, usageOf("Connection: close")],
    ["HEAD", 200, (...given) => usageOf()(...given).replace("GET", "HEAD")],
    ["HTTP/1.0", 200, (...given) => usageOf()(...given).replace("HTTP/1.1", "HTTP/1.0")],
    ["an unknown session", 401, () => plainUsage(`svc_sess_${zeros}`)],
    ["a text that is no session", 401, () => plainUsage("x")],
    ["an API key as the session", 401, (apiKey) => plainUsage(apiKey)],
    ["an unknown session with HEAD", 401, () => plainUsage("x").replace("GET", "HEAD")],
  ];
  for (const [what, status, requestOf] of requests) {
    test(`${what}: ${status}, uncharged`, async () => {
      const outcome = await ways.trace(requestOf, "ample");
      assert.equal(outcome.isPlain, true);
      assert.equal(outcome.units, 0);
      assert.match(outcome.text, new RegExp(`HTTP/1\\.1 ${status} `));
    });
  }

  test("503 when the store fails, and when the account's plan is not stored", async () => {
    await using broken = await startService({ config: { metricsPort: 0 } });
    using brokenWays = await readWaysOf(broken);
    {
      using _gone = withoutTable(broken, "plans");
      const outcome = await brokenWays.trace(usageOf(), "ample");
      assert.equal(outcome.isPlain, true);
      assert.match(outcome.text, /HTTP\/1\.1 503 .*retry-after: 1\r\n/s);
    }
    using database = broken.database();
    database.exec("PRAGMA foreign_keys = OFF; DELETE FROM plans WHERE name = 'ample'");
    const outcome = await brokenWays.trace(usageOf(), "ample");
    assert.equal(outcome.isPlain, true);
    assert.match(outcome.text, /HTTP\/1\.1 503 /);
  });

  test("each request logs one line with the route, without the token", async () => {
    using wire = await openWire(service.url);
    const from = service.logLines.length;
    await usedUnits(wire, customer.session);
    await assertRejected(wire, `svc_sess_${zeros}`);
    await service.get("/healthz");
    const lines = service.logLines.slice(from).join("");
    const logged = lines.match(/"method":"GET","route":"\/v1\/account\/usage","status":\d+/g);
    const start = '"method":"GET","route":"/v1/account/usage","status":';
    assert.deepEqual(logged, [`${start}200`, `${start}401`]);
    assert.ok(!lines.includes(customer.session.slice(17)));
  });

  test(`${REQUESTS} random requests get the same responses on both paths`, async () => {
    const servedBefore = await ways.servedFast();
    await fc.assert(
      fc.asyncProperty(
        anyUsage,
        async (requestOf) => void (await ways.compare(requestOf, "ample")),
      ),
      { numRuns: REQUESTS },
    );
    const served = (await ways.servedFast()) - servedBefore;
    assert.ok(served > 0.1 * REQUESTS && served < 0.9 * REQUESTS, String(served));
  });
});

/** Ends a session in one way, or makes it valid again. */
const changes: Readonly<Record<string, (accountId: string, session: string) => Promise<void>>> = {
  "a log-out": async (_accountId, session) =>
    void (await service.post("/v1/auth/logout", { session })),
  "a suspension": async (accountId) => {
    const sql = "UPDATE accounts SET suspended_at = '2026-11-21T12:00:00.000Z' WHERE id = ?";
    service.query(sql, accountId);
  },
  "a resumption": async (accountId) => {
    service.query("UPDATE accounts SET suspended_at = NULL WHERE id = ?", accountId);
  },
  "the end of all sessions": async (accountId) => {
    service.query("DELETE FROM sessions WHERE account_id = ?", accountId);
  },
  "another plan": async (accountId) => {
    service.query("UPDATE accounts SET plan = 'none' WHERE id = ?", accountId);
  },
  "units that another process charges": async (accountId) => {
    const sql =
      "UPDATE charged_units SET units = units + 7 WHERE day = 0 AND account = " +
      "(SELECT number FROM accounts WHERE id = ?)";
    service.query(sql, accountId);
  },
};

/** An account with a session of its own. */
async function newAccount() {
  const { session, apiKey, keyId } = await service.newCustomer();
  const [row] = service.query("SELECT account_id FROM api_keys WHERE id = ?", keyId);
  return { session, apiKey, accountId: String(row?.account_id) };
}

suite("a change takes effect at the next request on an open connection", () => {
  for (const what of ["a log-out", "a suspension", "the end of all sessions"]) {
    test(what, async () => {
      const { session, accountId } = await newAccount();
      using wire = await openWire(service.url);
      assert.equal(await usedUnits(wire, session), 0);
      await changes[what]?.(accountId, session);
      await assertRejected(wire, session);
      await changes["a resumption"]?.(accountId, session);
      if (what === "a suspension") assert.equal(await usedUnits(wire, session), 0);
      else await assertRejected(wire, session);
    });
  }

  test("a session's end after 24 hours, to the millisecond", async () => {
    await using own = await startService();
    const session = await own.openSession();
    using wire = await openWire(own.url);
    assert.equal(await usedUnits(wire, session), 0);
    own.clock.advanceMs(DAY_MS - 1);
    assert.equal(await usedUnits(wire, session), 0);
    own.clock.advanceMs(1);
    await assertRejected(wire, session);
  });

  test("a clock that was set back by more than five minutes", async () => {
    await using own = await startService();
    const session = await own.openSession();
    using wire = await openWire(own.url);
    own.clock.advanceMs(-5 * 60_000);
    assert.equal(await usedUnits(wire, session), 0);
    own.clock.advanceMs(-1);
    await assertRejected(wire, session);
  });

  test("units of this node's reads and of another process", async () => {
    const { session, apiKey, accountId } = await newAccount();
    using wire = await openWire(service.url);
    for (let units = 1; units <= 5; units += 1) {
      wire.send(plainRead(apiKey));
      assert.equal((await wire.answer()).status, 200);
      assert.equal(await usedUnits(wire, session), units);
    }
    await changes["units that another process charges"]?.(accountId, session);
    assert.equal(await usedUnits(wire, session), 12);
  });
});

test(`${SEQUENCES} random sequences of requests and changes get node:http's responses`, async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant("the usage") },
    { weight: 3, arbitrary: fc.constant("a read") },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(changes)) },
  );
  const servedBefore = await ways.servedFast();
  let usages = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const { session, apiKey, accountId } = await newAccount();
      using wire = await openWire(service.url);
      using nodeWire = await openNodeWire(service.url);
      for (const name of steps) {
        if (name === "a read") {
          wire.send(plainRead(apiKey));
          await wire.answer();
        } else if (name === "the usage") {
          usages += 1;
          wire.send(plainUsage(session));
          const answer = await wire.answer();
          nodeWire.send(plainUsage(session));
          assert.deepEqual(shapeOf(answer), shapeOf(await nodeWire.answer()), steps.join(", "));
        } else await changes[name]?.(accountId, session);
      }
    }),
    { numRuns: SEQUENCES },
  );
  assert.ok((await ways.servedFast()) - servedBefore >= usages);
});

/** What the responses of both paths share: all but ids and dates. */
function shapeOf({ status, text, lines }: Awaited<ReturnType<Wire["answer"]>>) {
  const named = lines.map((line) => line.replace(/^(x-request-id|Date): .*/, "$1"));
  return { status, lines: named, text: text.replace(/"request_id":"[^"]*"/, "") };
}
