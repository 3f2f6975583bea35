import assert from "node:assert/strict";
import { test } from "node:test";
import { PATH as MCP, readOf, requestOf } from "../../reads/mcp/messages.ts";
import {
  assertFailure,
  assertKeyRejected,
  assertSessionRejected,
  CHALLENGE,
} from "../../support/assertions.ts";
import type { Answer, Call } from "../../support/client.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

// That no response sets a cookie or repeats a credential: test/support/response-check.ts.

const RATE = "/v1/rates/EUR/USD";
const USAGE = "/v1/account/usage";
const KEYS = "/v1/account/api-keys";

const service = await startSharedService();

const { session, keyId, apiKey } = await service.newCustomer();

const keyCount = () => service.query("SELECT count(*) AS keys FROM api_keys")[0]?.keys;

/** Sends a credential to every door that takes a key. */
const assertNoKey = async (how: Call, query = "") => {
  assertKeyRejected(await service.get(RATE + query, how));
  const { headers, json } = readOf("2025");
  const call = { ...how, json, headers: { ...headers, ...how.headers } };
  assertUnauthorized(await service.post(MCP + query, call));
};

/** A 401 of MCP, which has no quota headers and does not suggest OAuth: clients would try it. */
function assertUnauthorized(answer: Answer): void {
  assertFailure(answer, 401, "unauthorized", "A valid API key is required.");
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
}

const queries = (credential: string, scheme: string) =>
  ["api_key", "apikey", "key", "token", "access_token", "session_token", "session"]
    .map((name) => `${name}=${credential}`)
    .concat(`authorization=${scheme}%20${credential}`, `Authorization=${scheme}+${credential}`);

const otherHeaders = (credential: string, scheme: string): Record<string, string>[] => [
  { cookie: `api_key=${credential}; session=${credential}; session_token=${credential}` },
  { cookie: `Authorization=${scheme} ${credential}` },
  { "x-api-key": credential },
  { "x-authorization": `${scheme} ${credential}` },
  { "proxy-authorization": `${scheme} ${credential}` },
  { "x-session-token": credential },
  { apikey: credential },
  { session: credential },
];

test("§5 credentials: one in a query string, a cookie or another header is not accepted", async () => {
  for (const query of queries(apiKey, "ApiKey")) await assertNoKey({}, `?${query}`);
  for (const headers of otherHeaders(apiKey, "ApiKey")) await assertNoKey({ headers });
  for (const query of queries(session, "Session")) {
    assertSessionRejected(await service.get(`${USAGE}?${query}`));
  }
  for (const headers of otherHeaders(session, "Session")) {
    assertSessionRejected(await service.get(USAGE, { headers }));
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("§5 credentials: one in a body or in the path is not accepted", async () => {
  const before = keyCount();
  const json = { name: "x", session, session_token: session, api_key: apiKey, key: apiKey };

  assertKeyRejected(await service.get(RATE, { json }));
  assertSessionRejected(await service.get(USAGE, { json }));
  assertSessionRejected(await service.post(KEYS, { json }));
  assertKeyRejected(await service.get(`/v1/rates/${apiKey}/USD`));
  assertKeyRejected(await service.get(`/v1/rates/EUR/${session}`));
  assert.equal(keyCount(), before);
  assert.equal(await service.usedUnits(session), 0);
});

test("§5 credentials: a wrong Authorization is 401 although the right key is elsewhere", async () => {
  const wrong = { authorization: `ApiKey svc_live_${"0".repeat(64)}`, "x-api-key": apiKey };

  await assertNoKey({ headers: wrong }, `?api_key=${apiKey}`);
});

const rejected = async (authorization: string) => {
  const how: Call = { headers: { authorization } };
  await assertNoKey(how);
  assertSessionRejected(await service.get(USAGE, how));
};

test("credentials: the scheme is case-insensitive", async () => {
  for (const scheme of ["ApiKey", "apikey", "APIKEY", "aPIkEY"]) {
    const headers = { authorization: `${scheme} ${apiKey}` };
    assert.equal((await service.get(RATE, { headers })).status, 200, scheme);
    const list = requestOf("2025", "tools/list");
    const call = { ...list, headers: { ...list.headers, ...headers } };
    assert.equal((await service.post(MCP, call)).status, 200, scheme);
  }
  for (const scheme of ["Session", "session", "SESSION", "sESSION"]) {
    const headers = { authorization: `${scheme} ${session}` };
    assert.equal((await service.get(USAGE, { headers })).status, 200, scheme);
  }
});

test("credentials: no other scheme is accepted", async () => {
  const used = await service.usedUnits(session);
  for (const credential of [apiKey, session]) {
    for (const scheme of ["Bearer", "Basic", "Token", "Key", "Api-Key", "ApiKeys", "Sessions"]) {
      await rejected(`${scheme} ${credential}`);
    }
    await rejected(`Basic ${Buffer.from(`${credential}:`).toString("base64")}`);
    await rejected(`Basic ${Buffer.from(`api:${credential}`).toString("base64")}`);
    await rejected(credential);
    await rejected(`ApiKey${credential}`);
    await rejected(`Session${credential}`);
    await rejected(`ApiKey:${credential}`);
    await rejected(`ApiKey=${credential}`);
  }
  for (const empty of ["", " ", "ApiKey", "Session", "ApiKey ", "Session "]) await rejected(empty);
  assert.equal(await service.usedUnits(session), used);
});

const twice = [
  ["the same key twice", [`ApiKey ${apiKey}`, `ApiKey ${apiKey}`]],
  ["a key before a wrong one", [`ApiKey ${apiKey}`, "ApiKey x"]],
  ["a wrong key before a key", ["ApiKey x", `ApiKey ${apiKey}`]],
  ["the same session twice", [`Session ${session}`, `Session ${session}`]],
  ["a session before a wrong one", [`Session ${session}`, "Session x"]],
  ["a key before a session", [`ApiKey ${apiKey}`, `Session ${session}`]],
  ["a session before a key", [`Session ${session}`, `ApiKey ${apiKey}`]],
  ["a key before an empty one", [`ApiKey ${apiKey}`, ""]],
  ["a session before an empty one", [`Session ${session}`, ""]],
] as const;

const read = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage"}}';

/** Every kind of request that a credential authorizes. */
const opened = [
  ["GET", RATE, ""],
  ["HEAD", RATE, ""],
  ["GET", "/v1/rates/EUR/%zz", ""],
  ["GET", USAGE, ""],
  ["GET", KEYS, ""],
  ["POST", KEYS, '{"name":"twice"}'],
  ["DELETE", `${KEYS}/${keyId}`, ""],
  ["POST", "/v1/auth/logout", ""],
  ["POST", "/v1/mcp", read],
] as const;

for (const [what, values] of twice) {
  test(`credentials: two Authorization headers, ${what}, are 401 on every path`, async () => {
    const before = [keyCount(), await service.usedUnits(session)];
    const lines = values.map((value) => `Authorization: ${value}\r\n`);
    // Node rejects a request with more than 1,000 header lines.
    for (const between of ["", "a:\r\n".repeat(900)]) {
      for (const [method, path, body] of opened) {
        const [answer] = await sendRaw(
          service.url,
          `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n" +
            `Content-Length: ${body.length}\r\n${lines.join(between)}\r\n${body}`,
        );
        assert.equal(answer?.status, 401, `${method} ${path}: ${answer?.text}`);
        if (method !== "HEAD") assert.equal(answer?.body.code, "unauthorized");
      }
    }
    assert.deepEqual([keyCount(), await service.usedUnits(session)], before);
  });
}

const mistakes: readonly [string, (credential: string) => string][] = [
  ["in capital letters", (text) => text.toUpperCase()],
  ["with its secret in capital letters", (text) => text.slice(0, 9) + text.slice(9).toUpperCase()],
  ["with its prefix in capital letters", (text) => text.slice(0, 9).toUpperCase() + text.slice(9)],
  ["cut short by one", (text) => text.slice(0, -1)],
  ["with one character more", (text) => `${text}0`],
  ["without its prefix", (text) => text.slice(9)],
  ["with a character before it", (text) => `x${text}`],
  ["in quotation marks", (text) => `"${text}"`],
  ["with a comma after it", (text) => `${text},`],
  ["written twice", (text) => `${text} ${text}`],
  ["with its last digit changed", (text) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")],
  ["that is only its displayed prefix", (text) => text.slice(0, 17)],
  ["with a wildcard", () => "svc_live_%"],
  ["that is very long", (text) => text + "0".repeat(8000)],
];

for (const [what, mistake] of mistakes) {
  test(`credentials: one ${what} is rejected: it must match exactly`, async () => {
    const used = await service.usedUnits(session);

    await assertNoKey({ apiKey: mistake(apiKey) });
    assertSessionRejected(await service.get(USAGE, { session: mistake(session) }));
    assert.equal(await service.usedUnits(session), used);
  });
}

test("credentials: the stored digest is not accepted as a credential", async () => {
  const [key] = service.query("SELECT key_hash FROM api_keys");
  const [token] = service.query("SELECT token_hash FROM sessions");

  for (const digest of [String(key?.key_hash), String(token?.token_hash)]) {
    assertKeyRejected(await service.get(RATE, { apiKey: digest }));
    assertKeyRejected(await service.get(RATE, { apiKey: `svc_live_${digest}` }));
    assertSessionRejected(await service.get(USAGE, { session: `svc_sess_${digest}` }));
  }
});
