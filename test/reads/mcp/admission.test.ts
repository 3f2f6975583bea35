import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { auth } from "@modelcontextprotocol/client";
import { isShortCall } from "../../../src/reads/mcp/short-call.ts";
import { assertCommonHeaders, assertFailure, CHALLENGE } from "../../support/assertions.ts";
import type { Answer, Call } from "../../support/client.ts";
import { startSharedService } from "../../support/service.ts";
import {
  callOf,
  EUR_USD,
  eras,
  headersOf,
  initialize,
  notificationOf,
  PATH,
  readOf,
  requestOf,
} from "./messages.ts";

const service = await startSharedService();
const { session, apiKey } = await service.newCustomer();
const revoked = await service.createKey(session);
await service.revokeKey(session, revoked.id);
const UNKNOWN_KEY = `svc_live_${"0".repeat(64)}`;

const charges = () => [
  service.query("SELECT * FROM period_usage"),
  service.query("SELECT * FROM daily_usage"),
];

const UNKNOWN = "There is nothing at this path.";
const UNKNOWN_OF_API = `${UNKNOWN} /docs and /openapi.json describe the API.`;
const unknownAt = (path: string) => (/^\/(?:v1|mcp)/.test(path) ? UNKNOWN_OF_API : UNKNOWN);
const NO_OAUTH = "Kurs has no OAuth. Send the header Authorization: ApiKey svc_live_...";

/** Asserts a 401 that does not suggest OAuth: clients would try it. */
function assertKeyRejected(answer: Answer): void {
  assertFailure(answer, 401, "unauthorized", "A valid API key is required.");
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
}

const kinds: readonly (readonly [what: string, call: Call])[] = [
  ["initialize", initialize],
  ["ping", requestOf("2025", "ping")],
  ["server/discover", requestOf("2026", "server/discover")],
  ...eras.flatMap((era): [string, Call][] => [
    [`tools/list of ${era}`, requestOf(era, "tools/list")],
    [`get_rate of ${era}`, readOf(era)],
    [`get_usage of ${era}`, callOf(era, "get_usage")],
    [`a bad symbol of ${era}`, callOf(era, "get_rate", { base: "E", quote: "U" })],
    [`no arguments of ${era}`, callOf(era, "convert_currency")],
    [`a bad amount of ${era}`, callOf(era, "convert_currency", { ...EUR_USD, amount: "1e5" })],
    [`an unknown argument of ${era}`, callOf(era, "get_rate", { ...EUR_USD, date: "" })],
    [`an unknown tool of ${era}`, callOf(era, "nope")],
    [`an unknown method of ${era}`, requestOf(era, "nope")],
    [`a notification of ${era}`, notificationOf(era, "notifications/initialized")],
  ]),
  ["a batch", { headers: headersOf("2025"), json: [1, 2].map((id) => readOf("2025", id).json) }],
  ["an empty batch", { headers: headersOf("2025"), raw: "[]" }],
  ["malformed JSON", { headers: headersOf("2025"), raw: "{" }],
  ["an empty body", { headers: headersOf("2025"), raw: "" }],
  ["another type", { headers: { ...headersOf("2025"), "content-type": "text/plain" }, raw: "x" }],
  ["a body that is too long", { headers: headersOf("2025"), raw: " ".repeat(65_537) }],
];

suite("MCP admission: the key", () => {
  for (const [what, call] of kinds) {
    test(`${what} without a valid key is 401, uncharged`, async () => {
      const before = charges();
      const isRead = !/another type|too long/.test(what);
      // A body is read only behind something that may be a key.
      for (const key of isRead ? [undefined, UNKNOWN_KEY, revoked.apiKey] : [undefined]) {
        const how = key === undefined ? call : { ...call, apiKey: key };
        assertKeyRejected(await service.post(PATH, how));
      }
      assert.deepEqual(charges(), before);
    });
  }

  test("a key in a message is none: it belongs into the Authorization header", async () => {
    const before = charges();
    const credentials = { api_key: apiKey, apiKey, authorization: `ApiKey ${apiKey}` };
    for (const era of eras) {
      const read = readOf(era);
      const params = read.json.params as Readonly<Record<string, object>>;
      for (const changed of [
        { ...params, ...credentials },
        { ...params, arguments: { ...EUR_USD, ...credentials } },
        { ...params, _meta: { ...params._meta, ...credentials } },
      ]) {
        const call = { headers: read.headers, json: { ...read.json, params: changed } };
        assertKeyRejected(await service.post(PATH, call));
      }
    }
    assert.deepEqual(charges(), before);
  });

  test("a long message is parsed only with a valid key", async () => {
    const marker = "never-parsed";
    const long = { ...readOf("2025").json, extra: marker.repeat(300) };
    const texts = [
      long,
      [long],
      { ...requestOf("2025", "tools/list").json, extra: marker.repeat(5000) },
      { ...requestOf("2025", "ping").json, extra: marker },
      [{ ...readOf("2025").json, extra: marker }, requestOf("2025", "ping").json],
    ].map((json) => JSON.stringify(json));
    const { parse } = JSON;
    const parsed: string[] = [];
    JSON.parse = (text, reviver) => {
      if (String(text).includes(marker)) parsed.push(text);
      return parse(text, reviver) as unknown;
    };
    const headers = headersOf("2025");
    try {
      for (const raw of texts) {
        for (const key of [UNKNOWN_KEY, revoked.apiKey, "nonsense"]) {
          assertKeyRejected(await service.post(PATH, { apiKey: key, headers, raw }));
        }
      }
      assert.deepEqual(parsed, []);
      for (const raw of texts) await service.post(PATH, { apiKey, headers, raw });
      assert.deepEqual([...new Set(parsed)], texts);
    } finally {
      JSON.parse = parse;
    }
  });
});

suite("MCP admission: the path", () => {
  test("/mcp and paths like /v1/mcp are unknown, with any method and any credential", async () => {
    const before = charges();
    const paths = ["/mcp", "/mcp/", "/v1/mcp/", "/v1/MCP", "/v1/mcp/x", "/sse", "/v1/mcp/messages"];
    for (const path of paths) {
      const answer = await service.post(path, { apiKey, ...readOf("2025") });
      assertFailure(answer, 404, "not_found", unknownAt(path));
    }
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      for (const how of [{}, { apiKey }]) {
        assertFailure(await service.call(method, "/mcp", how), 404, "not_found", UNKNOWN_OF_API);
      }
    }
    assert.deepEqual(charges(), before);
  });

  const HEAD_TEXTS: Readonly<Record<string, string>> = { HEAD: "" };

  test("GET, HEAD and DELETE without a valid key are 401, and with one 405", async () => {
    const invalid: readonly Call[] = [
      {},
      { headers: { accept: "text/event-stream" } },
      { apiKey: UNKNOWN_KEY },
      { apiKey: revoked.apiKey },
      { apiKey: session },
      { session },
      { headers: { authorization: `Bearer ${apiKey}` } },
    ];
    for (const method of ["GET", "HEAD", "DELETE"]) {
      for (const how of invalid) {
        const answer = await service.call(method, PATH, how);
        assert.equal(answer.status, 401);
        assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
        assert.equal(answer.text, HEAD_TEXTS[method] ?? answer.text);
        if (method !== "HEAD") assertKeyRejected(answer);
      }
      for (const headers of [{}, { accept: "text/event-stream", "mcp-session-id": "1" }]) {
        assertNotAllowed(method, await service.call(method, PATH, { apiKey, headers }));
      }
    }
  });

  test("any other method than POST is 405 with Allow: POST, with and without a key", async () => {
    for (const method of ["PUT", "PATCH", "OPTIONS", "QUERY"]) {
      for (const how of [{}, { apiKey }]) {
        assertNotAllowed(method, await service.call(method, PATH, how));
      }
    }
  });

  function assertNotAllowed(method: string, answer: Answer): void {
    assert.deepEqual([answer.status, answer.headers.allow], [405, "POST"], method);
    if (method === "HEAD") assert.equal(answer.text, "");
    else assertFailure(answer, 405, "method_not_allowed", "This path supports POST only.");
  }

  test("GET and DELETE from a forbidden origin are 403, before the key is checked", async () => {
    const headers = { origin: "https://evil.example" };
    for (const method of ["GET", "DELETE"]) {
      for (const how of [{ headers }, { headers, apiKey }]) {
        assertFailure(await service.call(method, PATH, how), 403, "forbidden");
      }
    }
  });

  test("a preflight is 204 and allows the headers that MCP clients send", async () => {
    const requested =
      "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name";
    const answer = await service.call("OPTIONS", PATH, {
      headers: {
        origin: "https://app.example.org",
        "access-control-request-method": "POST",
        "access-control-request-headers": requested,
      },
    });
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers["access-control-allow-methods"], "POST");
    const allowed = (answer.headers["access-control-allow-headers"] ?? "").toLowerCase();
    for (const name of requested.split(", ")) assert.ok(allowed.split(", ").includes(name), name);
    assertCommonHeaders(answer);
  });

  const discoveries = [
    "oauth-authorization-server",
    "oauth-protected-resource",
    "openid-configuration",
  ].flatMap((name) =>
    ["", "/", "/v1/mcp", "/v1/mcp?a=b", "/mcp"].map((suffix) => `/.well-known/${name}${suffix}`),
  );

  /** Asserts a 404 that clients of OAuth understand, too (RFC 6749, section 5.2). */
  function assertNoOAuth(answer: Answer): void {
    const { error, error_description: description, ...envelope } = answer.body;
    assertFailure({ ...answer, body: envelope }, 404, "not_found", NO_OAUTH);
    assert.deepEqual([error, description], ["invalid_request", NO_OAUTH]);
  }

  test("paths of OAuth get a 404 whose message explains how to send the key", async () => {
    const json = { client_name: "test", redirect_uris: ["http://localhost/callback"] };
    const flow = ["/register", "/authorize", "/token", "/authorize?client_id=x", "/token?x"];
    for (const path of [...discoveries, "/v1/mcp/.well-known/openid-configuration", ...flow]) {
      for (const how of [{}, { apiKey }, { headers: { "mcp-protocol-version": "2025-11-25" } }]) {
        assertNoOAuth(await service.get(path, how));
        assertNoOAuth(await service.post(path, { ...how, json }));
      }
      const { status, text } = await service.call("HEAD", path);
      assert.deepEqual([status, text], [404, ""]);
    }
    // Clients send their user's browser there.
    assertNoOAuth(
      await service.get("/authorize?client_id=x", { headers: { accept: "text/html" } }),
    );
  });

  test("the official client shows that message where it looks for a log-in, and no stack", async () => {
    const clientMetadata = { client_name: "test", redirect_uris: ["http://localhost/callback"] };
    const providerOf = (clientId?: string) => ({
      redirectUrl: "http://localhost/callback",
      clientMetadata,
      clientInformation: () => (clientId === undefined ? undefined : { client_id: clientId }),
      saveClientInformation: () => undefined,
      tokens: () => undefined,
      saveTokens: () => assert.fail("it got tokens"),
      redirectToAuthorization: () => assert.fail("it opened a browser"),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => "verifier",
    });
    const serverUrl = service.url + PATH;
    const code = { serverUrl, authorizationCode: "code" };

    const message = /^Dynamic Client Registration rejected \(HTTP 404\).*"error_description":"Kurs/;
    await assert.rejects(auth(providerOf(), { serverUrl }), { message });
    await assert.rejects(auth(providerOf("x"), code), { message: NO_OAUTH });
  });

  test("other paths like those of OAuth and of .well-known are unknown paths", async () => {
    const others = ["/authorized", "/tokens", "/.well-known/security.txt", "/registered"];
    for (const path of [...others, "/v1/register", "/v1/token", "/v1/mcp/authorize"]) {
      const message = unknownAt(path);
      assertFailure(await service.post(path, { apiKey, json: {} }), 404, "not_found", message);
      assertFailure(await service.get(path), 404, "not_found", message);
    }
  });
});

test("a call whose method may be overridden by an escaped name is not a short call", () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
  const escaped = call.replace("}", String.raw`,"\u006dethod":"tools/list"}`);
  assert.equal(JSON.parse(escaped).method, "tools/list");

  assert.deepEqual([call, escaped].map(isShortCall), [true, false]);
});
