import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callOf, PATH } from "../../reads/mcp/messages.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

// The WWW-Authenticate of a 401 says what to send and what came, without a credential's text.

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
const suspended = await service.newCustomer("suspended@example.org");
service.query(
  "UPDATE accounts SET suspended_at = '2026-11-20T00:00:00.000Z' WHERE email = ?",
  suspended.email,
);

const SEND_KEY = 'ApiKey realm="kurs", error_description="Send Authorization: ApiKey svc_live_...';
const SEND_SESSION =
  'Session realm="kurs", error_description="Send Authorization: Session svc_sess_...';

const unknown = "an API key that is unknown or revoked, or whose account is suspended";

const toKeyRoutes: readonly (readonly [authorization: string | undefined, came: string])[] = [
  [undefined, "no Authorization header"],
  [`Bearer ${apiKey}`, "the scheme Bearer"],
  [`basic ${apiKey}`, "the scheme Basic"],
  [`Session ${session}`, "the scheme Session"],
  [`ApiKey ${session}`, "a session token"],
  ["ApiKey", "the scheme ApiKey without a credential"],
  [`ApiKey ${apiKey.slice(0, 40)}`, "an API key of 40 instead of 73 characters"],
  [`apikey ${apiKey}0`, "an API key of 74 instead of 73 characters"],
  [`ApiKey ${apiKey.slice(0, -1)}G`, "an API key with characters other than 0-9 and a-f"],
  [`ApiKey ${apiKey.slice(9)}`, "something that does not begin so"],
  [`ApiKey svc_live_${"0".repeat(64)}`, unknown],
  [`ApiKey ${suspended.apiKey}`, unknown],
  [apiKey, "an API key without a scheme"],
  ["hunter", "another scheme"],
  [`hunter ${apiKey}`, "another scheme"],
];

suite("a 401 of a path that takes an API key", () => {
  for (const [authorization, came] of toKeyRoutes) {
    test(`says that it got ${came}: ${authorization?.slice(0, 12)}`, async () => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const read = await service.get("/v1/rates/EUR/USD", { headers });
      const call = callOf("2025", "get_rate", { base: "EUR", quote: "USD" });
      const mcp = await service.post(PATH, { ...call, headers: { ...call.headers, ...headers } });

      for (const answer of [read, mcp]) {
        assert.equal(answer.status, 401);
        assert.equal(answer.body.message, "A valid API key is required.");
        assert.equal(answer.headers["www-authenticate"], `${SEND_KEY}; got ${came}"`);
      }
    });
  }

  test("says that it got two Authorization headers", async () => {
    const line = `Authorization: ApiKey ${apiKey}\r\n`;
    const request = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n`;
    const [answer] = await sendRaw(service.url, `${request}${line}${line}\r\n`);
    assert.equal(
      answer?.headers["www-authenticate"],
      `${SEND_KEY}; got two Authorization headers"`,
    );
  });
});

suite("a 401 of a path that takes a session", () => {
  const given = [
    [undefined, "no Authorization header"],
    [`ApiKey ${apiKey}`, "the scheme ApiKey"],
    [`Session ${apiKey}`, "an API key"],
    [`Session ${session.slice(0, 50)}`, "a session token of 50 instead of 73 characters"],
    [`Session svc_sess_${"0".repeat(64)}`, "a session token that is unknown or has ended"],
  ] as const;
  for (const [authorization, came] of given) {
    test(`says that it got ${came}`, async () => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const answer = await service.get("/v1/account/usage", { headers });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers["www-authenticate"], `${SEND_SESSION}; got ${came}"`);
    });
  }

  test("about a wrong password says nothing of the header", async () => {
    const wrong = { email: suspended.email, password: "not the password" };
    const logIn = await service.post("/v1/auth/login", { json: wrong });
    const json = { password: "not the password" };
    const deletion = await service.call("DELETE", "/v1/account", { session, json });
    for (const { status, headers } of [logIn, deletion]) {
      assert.deepEqual([status, headers["www-authenticate"]], [401, 'Session realm="kurs"']);
    }
  });
});
