import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, eras, PATH, requestOf } from "../mcp/messages.ts";
import type { Answer } from "../support/client.ts";
import { startSharedService } from "../support/service.ts";

// A log line says whose request it was. That no line has a whole credential is checked for every
// server of every test (test/support/log-secrets.ts).

const service = await startSharedService();

const { session, apiKey, keyId } = await service.newCustomer();
const accountIdOf = (id: string) =>
  service.query("SELECT account_id FROM api_keys WHERE id = ?", id)[0]?.account_id;

/** What the line of a response says of its caller. */
function callerOf({ headers }: Answer): Readonly<Record<string, unknown>> {
  const lines = service.logLines.flatMap((text) => text.trimEnd().split("\n"));
  const found = lines.filter((line) => line.includes(String(headers["x-request-id"])));
  assert.equal(found.length, 1, found.join("\n"));
  const { key_prefix, account_id, rejected } = JSON.parse(found[0] ?? "");
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
});
