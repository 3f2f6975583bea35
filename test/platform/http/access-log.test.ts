import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, eras, PATH, requestOf } from "../../reads/mcp/messages.ts";
import type { Answer } from "../../support/client.ts";
import { startSharedService } from "../../support/service.ts";

// A log line says whose request it was. That no line has a whole credential is checked for every
// server of every test (test/support/log-secrets.ts).

const service = await startSharedService();

const { session, apiKey, keyId } = await service.newCustomer();
const accountIdOf = (id: string) =>
  service.query("SELECT account_id FROM api_keys WHERE id = ?", id)[0]?.account_id;

/** The line of a response. */
function lineOf({ headers }: Answer): string {
  const lines = service.logLines.flatMap((text) => text.trimEnd().split("\n"));
  const [line = "", ...others] = lines.filter((one) =>
    one.includes(String(headers["x-request-id"])),
  );
  assert.deepEqual(others, []);
  return line;
}

/** What the line of a response says of its caller. */
function callerOf(answer: Answer): Readonly<Record<string, unknown>> {
  const { key_prefix, account_id, rejected } = JSON.parse(lineOf(answer));
  return { key_prefix, account_id, rejected };
}

const read = (key: string) => service.get("/v1/rates/EUR/USD", { apiKey: key });

/** The messages over MCP that check their key in different ways. */
const messages = eras.flatMap((era) => [
  callOf(era, "get_rate", { base: "EUR", quote: "USD" }),
  callOf(era, "convert_currency", { base: "EUR", quote: "USD", amount: "x" }),
  callOf(era, "get_usage"),
  requestOf(era, "tools/list"),
]);

const postAll = (key: string) =>
  Promise.all(messages.map((message) => service.post(PATH, { apiKey: key, ...message })));

suite("the log line of a request", () => {
  test("names the key by its prefix, and its account", async () => {
    const expected = {
      key_prefix: apiKey.slice(0, 17),
      account_id: accountIdOf(keyId),
      rejected: undefined,
    };
    const failed = await service.get("/v1/rates/EUR/NONE", { apiKey });
    for (const answer of [await read(apiKey), failed, ...(await postAll(apiKey))]) {
      assert.deepEqual(callerOf(answer), expected);
    }
  });

  test("of a read has nothing else but the time and the route, by the fast path and node:http", async () => {
    for (const query of ["", "?x=1"]) {
      const answer = await service.get(`/v1/rates/EUR/USD${query}`, { apiKey });
      const { duration_us: durationUs, ...line } = JSON.parse(lineOf(answer));
      assert.equal(typeof durationUs, "number");
      assert.deepEqual(line, {
        ...{ level: "info", time: "2026-11-21T12:00:00.000Z" },
        ...{ method: "GET", route: "/v1/rates/:base/:quote", status: 200 },
        request_id: answer.headers["x-request-id"],
        ...{ key_prefix: apiKey.slice(0, 17), account_id: accountIdOf(keyId) },
      });
    }
  });

  test("says why a key of the right form was rejected: unknown, revoked or suspended", async () => {
    const revoked = await service.newCustomer();
    await service.revokeKey(revoked.session, revoked.keyId);
    const suspended = await service.newCustomer();
    const suspendedId = accountIdOf(suspended.keyId);
    const at = "2026-11-20T00:00:00.000Z";
    service.query("UPDATE accounts SET suspended_at = ? WHERE id = ?", at, String(suspendedId));

    const rejections = [
      [`svc_live_${"0".repeat(64)}`, undefined, "unknown"],
      [revoked.apiKey, accountIdOf(revoked.keyId), "revoked"],
      [suspended.apiKey, suspendedId, "suspended"],
    ] as const;
    for (const [key, account_id, rejected] of rejections) {
      for (const answer of [await read(key), await read(key), ...(await postAll(key))]) {
        assert.equal(answer.status, 401);
        assert.equal(answer.body.message, "A valid API key is required.");
        assert.deepEqual(callerOf(answer), { key_prefix: key.slice(0, 17), account_id, rejected });
      }
    }
  });

  test("has nothing of a credential that has not the form of a key", async () => {
    const none = { key_prefix: undefined, account_id: undefined, rejected: undefined };
    for (const key of [apiKey.slice(0, 30), `${apiKey}0`, session, '","x":"y']) {
      for (const answer of [await read(key), ...(await postAll(key))]) {
        assert.equal(answer.status, 401);
        assert.deepEqual(callerOf(answer), none);
      }
    }
  });

  test("names the account of a session", async () => {
    const account_id = accountIdOf(keyId);
    const answers = [
      await service.get("/v1/account/usage", { session }),
      await service.get("/v1/account/api-keys", { session }),
      await service.post("/v1/account/api-keys", { session, json: {} }),
    ];
    for (const answer of answers) {
      assert.deepEqual(callerOf(answer), {
        key_prefix: undefined,
        account_id,
        rejected: undefined,
      });
    }
    assert.equal(callerOf(await service.get("/v1/account/usage")).account_id, undefined);
  });

  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  const PARENT = "00f067aa0ba902b7";

  /** A read and a list through the fast path and node:http, a call over MCP, and two failures. */
  const traced = async (headers: Readonly<Record<string, string>>): Promise<readonly Answer[]> => [
    await service.get("/v1/rates/EUR/USD", { apiKey, headers }),
    await service.get("/v1/rates/EUR/USD?x=1", { apiKey, headers }),
    await service.get("/v1/rates/EUR/NONE", { apiKey, headers }),
    await service.get("/v1/account/usage", { session, headers }),
    await service.get("/v1/nothing", { headers }),
    ...(await Promise.all(
      messages.map((message) =>
        service.post(PATH, { apiKey, ...message, headers: { ...message.headers, ...headers } }),
      ),
    )),
  ];

  test("has the trace that a tracer names, whatever the response", async () => {
    for (const [name, value] of [
      ["traceparent", `00-${TRACE}-${PARENT}-01`],
      ["Traceparent", `00-${TRACE}-${PARENT}-00`],
      ["traceparent", `\t 00-${TRACE}-${PARENT}-01 \t`],
      ["TraceParent", `01-${TRACE}-${PARENT}-01-of-a-later-version`],
    ] as const) {
      for (const answer of await traced({ [name]: value })) {
        assert.equal(JSON.parse(lineOf(answer)).trace_id, TRACE, `${name}: ${value}`);
      }
    }
  });

  test("has nothing of a trace in another form", async () => {
    for (const value of [
      "",
      TRACE,
      `00-${TRACE}-${PARENT}`,
      `00-${TRACE}-${PARENT}-01-more`,
      `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE.slice(1)}"-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01\t","x":"y`,
    ]) {
      for (const answer of await traced({ traceparent: value })) {
        const line = lineOf(answer);
        assert.equal(JSON.parse(line).trace_id, undefined, value);
        assert.ok(!line.includes(TRACE.slice(1)), line);
      }
    }
  });
});
