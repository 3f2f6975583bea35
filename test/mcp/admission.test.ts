import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { isShortCall } from "../../src/mcp/short-call.ts";
import { assertCommonHeaders, assertFailure, CHALLENGE } from "../support/assertions.ts";
import type { Answer, Call } from "../support/client.ts";
import {
  callOf,
  EUR_USD,
  eras,
  headersOf,
  notificationOf,
  PATH,
  type Posted,
  postTo,
  readOf,
  requestOf,
  startWithKey,
} from "./messages.ts";

const { service, session, apiKey } = await startWithKey();
after(() => service[Symbol.asyncDispose]());
const revoked = await service.createKey(session);
await service.revokeKey(session, revoked.id);

const charges = () => [
  service.query("SELECT * FROM period_usage"),
  service.query("SELECT * FROM daily_usage"),
];

const UNKNOWN = "There is nothing at this path.";
const NO_OAUTH = "Kurs has no OAuth. Send the header Authorization: ApiKey svc_live_…";

/** Asserts a 401 that does not suggest OAuth: clients would try it. */
function assertKeyRejected(answer: Answer): void {
  assert.equal(answer.status, 401, answer.text);
  const { request_id, ...envelope } = answer.body;
  const message = "A valid API key is required.";
  assert.deepEqual(envelope, { code: "unauthorized", message });
  assert.equal(request_id, answer.headers["x-request-id"]);
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  assertCommonHeaders(answer);
}

const initialize = requestOf("2025", "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

const textOf = ({ headers, json }: { headers: Posted["headers"]; json: unknown }): Call => ({
  headers,
  raw: JSON.stringify(json),
});

const kinds: readonly (readonly [what: string, call: Call])[] = [
  ["initialize", textOf(initialize)],
  ["ping", textOf(requestOf("2025", "ping"))],
  ["server/discover", textOf(requestOf("2026", "server/discover"))],
  ...eras.flatMap((era) => [
    [`tools/list of ${era}`, textOf(requestOf(era, "tools/list"))] as const,
    [`get_rate of ${era}`, textOf(readOf(era))] as const,
    [`get_usage of ${era}`, textOf(callOf(era, "get_usage"))] as const,
    [`a bad symbol of ${era}`, textOf(callOf(era, "get_rate", { base: "E", quote: "U" }))] as const,
    [`no arguments of ${era}`, textOf(callOf(era, "convert_currency"))] as const,
    [
      `a bad amount of ${era}`,
      textOf(callOf(era, "convert_currency", { ...EUR_USD, amount: "1e5" })),
    ] as const,
    [`an unknown tool of ${era}`, textOf(callOf(era, "nope"))] as const,
    [`an unknown method of ${era}`, textOf(requestOf(era, "nope"))] as const,
    [`a notification of ${era}`, textOf(notificationOf(era, "notifications/initialized"))] as const,
  ]),
  [
    "a batch",
    textOf({ headers: headersOf("2025"), json: [1, 2].map((id) => readOf("2025", id).json) }),
  ],
  ["an empty batch", { headers: headersOf("2025"), raw: "[]" }],
  ["malformed JSON", { headers: headersOf("2025"), raw: "{" }],
  ["an empty body", { headers: headersOf("2025"), raw: "" }],
];

suite("MCP admission: the key", () => {
  for (const [what, call] of kinds) {
    test(`${what} without a valid key is 401, uncharged`, async () => {
      const before = charges();
      const withAuthorization = (authorization: string): Call => ({
        ...call,
        headers: { ...call.headers, authorization },
      });
      const rejected: readonly Call[] = [
        call,
        withAuthorization(`ApiKey svc_live_${"0".repeat(64)}`),
        withAuthorization("ApiKey nonsense"),
        withAuthorization("ApiKey "),
        withAuthorization(`ApiKey ${revoked.apiKey}`),
        withAuthorization(`Session ${session}`),
        withAuthorization(`ApiKey ${session}`),
        withAuthorization(`Session ${apiKey}`),
        withAuthorization(`Bearer ${apiKey}`),
        withAuthorization(apiKey),
        { ...call, headers: { ...call.headers, "x-api-key": apiKey, cookie: `api_key=${apiKey}` } },
      ];
      for (const how of rejected) assertKeyRejected(await service.post(PATH, how));
      assertKeyRejected(await service.post(`${PATH}?api_key=${apiKey}&key=${apiKey}`, call));
      assert.deepEqual(charges(), before);
    });
  }

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
    try {
      for (const raw of texts) {
        for (const key of [`svc_live_${"0".repeat(64)}`, revoked.apiKey, "nonsense"]) {
          assertKeyRejected(
            await service.post(PATH, { apiKey: key, headers: headersOf("2025"), raw }),
          );
        }
      }
      assert.deepEqual(parsed, []);
      for (const raw of texts) {
        await service.post(PATH, { apiKey, headers: headersOf("2025"), raw });
      }
      assert.deepEqual([...new Set(parsed)], texts);
    } finally {
      JSON.parse = parse;
    }
  });

  test("a key in a body is ignored", async () => {
    const before = charges();
    for (const era of eras) {
      const { headers, json } = readOf(era);
      const credentials = { api_key: apiKey, apiKey, authorization: `ApiKey ${apiKey}` };
      const params = json.params as Readonly<Record<string, object>>;
      const bodies = [
        { ...json, params: { ...params, ...credentials } },
        { ...json, params: { ...params, arguments: { ...EUR_USD, ...credentials } } },
        { ...json, params: { ...params, _meta: { ...params._meta, ...credentials } } },
      ];
      for (const body of bodies) {
        assertKeyRejected(await service.post(PATH, { headers, json: body }));
      }
    }
    assert.deepEqual(charges(), before);
  });

  test("without a key the server checks neither the type nor the length of the body", async () => {
    const headers = { ...headersOf("2025"), "content-type": "text/plain" };
    assertKeyRejected(await service.post(PATH, { headers, raw: "x" }));
    const raw = " ".repeat(65_537);
    assertKeyRejected(await service.post(PATH, { headers: headersOf("2025"), raw }));
  });

  test("the scheme is case-insensitive, the key is not", async () => {
    const { headers, json } = requestOf("2025", "tools/list");
    const post = (authorization: string) =>
      service.post(PATH, { headers: { ...headers, authorization }, json });
    for (const scheme of ["apikey", "APIKEY", "ApiKey "]) {
      assert.equal((await post(`${scheme} ${apiKey}`)).status, 200, scheme);
    }
    for (const key of [apiKey.toUpperCase(), `${apiKey}0`, apiKey.slice(0, -1)]) {
      assertKeyRejected(await post(`ApiKey ${key}`));
    }
  });

  test("a key that is revoked while its client is connected is rejected at the next call", async () => {
    const own = await service.createKey(session);
    const post = postTo(service, own.apiKey);
    assert.equal((await post(requestOf("2025", "tools/list"))).status, 200);

    await service.revokeKey(session, own.id);

    for (const era of eras) {
      assertKeyRejected(await post(readOf(era)));
      assertKeyRejected(await post(requestOf(era, "tools/list")));
    }
  });

  test("the log contains no key", () => {
    const told = service.logLines.filter((line) =>
      [apiKey, revoked.apiKey, session].some((secret) => line.includes(secret)),
    );
    assert.deepEqual(told, []);
  });
});

suite("MCP admission: the path", () => {
  test("/mcp is an unknown path, with any method and any credential", async () => {
    const before = charges();
    for (const [, call] of kinds) {
      assertFailure(await service.post("/mcp", { ...call, apiKey }), 404, "not_found", UNKNOWN);
    }
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      for (const how of [{}, { apiKey }]) {
        assertFailure(await service.call(method, "/mcp", how), 404, "not_found", UNKNOWN);
      }
    }
    assert.deepEqual(charges(), before);
  });

  test("GET, HEAD and DELETE without a valid key are 401, and with one 405", async () => {
    const before = charges();
    const invalid: readonly Call[] = [
      {},
      { headers: { accept: "text/event-stream" } },
      { apiKey: `svc_live_${"0".repeat(64)}` },
      { apiKey: revoked.apiKey },
      { apiKey: session },
      { session },
      { headers: { authorization: `Bearer ${apiKey}` } },
    ];
    for (const how of invalid) {
      for (const method of ["GET", "DELETE"]) {
        assertKeyRejected(await service.call(method, PATH, how));
      }
      const { status, text, headers } = await service.call("HEAD", PATH, how);
      assert.deepEqual([status, text], [401, ""]);
      assert.match(headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
    }
    for (const headers of [{}, { accept: "text/event-stream", "mcp-session-id": "1" }]) {
      for (const method of ["GET", "HEAD", "DELETE"]) {
        const answer = await service.call(method, PATH, { apiKey, headers });
        assert.equal(answer.headers.allow, "POST", method);
        if (method === "HEAD") assert.deepEqual([answer.status, answer.text], [405, ""]);
        else assertFailure(answer, 405, "method_not_allowed", "This path supports POST only.");
      }
    }
    assert.deepEqual(charges(), before);
  });

  test("GET and DELETE from a forbidden origin are 403, before the key is checked", async () => {
    const headers = { origin: "https://evil.example" };
    for (const method of ["GET", "DELETE"]) {
      for (const how of [{ headers }, { headers, apiKey }]) {
        assertFailure(await service.call(method, PATH, how), 403, "forbidden");
      }
    }
  });

  test("any other method than POST is 405 with Allow: POST, with and without a key", async () => {
    const before = charges();
    for (const method of ["PUT", "PATCH", "OPTIONS", "QUERY"]) {
      for (const how of [{}, { apiKey }]) {
        const answer = await service.call(method, PATH, how);
        assert.equal(answer.headers.allow, "POST", method);
        assertFailure(answer, 405, "method_not_allowed", "This path supports POST only.");
      }
    }
    assert.deepEqual(charges(), before);
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

  for (const path of [...discoveries, "/v1/mcp/.well-known/openid-configuration", "/register"]) {
    test(`${path} is a 404 whose message explains how to send the key`, async () => {
      const json = { client_name: "test", redirect_uris: ["http://localhost/callback"] };
      for (const how of [{}, { apiKey }, { headers: { "mcp-protocol-version": "2025-11-25" } }]) {
        assertFailure(await service.get(path, how), 404, "not_found", NO_OAUTH);
        assertFailure(await service.post(path, { ...how, json }), 404, "not_found", NO_OAUTH);
      }
      const { status, text } = await service.call("HEAD", path);
      assert.deepEqual([status, text], [404, ""]);
    });
  }

  test("other paths of OAuth and of .well-known are unknown paths", async () => {
    const paths = [
      "/authorize",
      "/token",
      "/.well-known/security.txt",
      "/registered",
      "/v1/register",
    ];
    for (const path of paths) {
      assertFailure(await service.post(path, { apiKey, json: {} }), 404, "not_found", UNKNOWN);
      assertFailure(await service.get(path), 404, "not_found", UNKNOWN);
    }
  });

  test("paths similar to /v1/mcp are unknown paths", async () => {
    for (const path of ["/v1/mcp/", "/mcp/", "/v1/MCP", "/v1/mcp/x", "/sse", "/v1/mcp/messages"]) {
      assertFailure(await service.post(path, { apiKey, ...readOf("2025") }), 404, "not_found");
    }
  });
});

test("a call whose method may be overridden by an escaped name is not a short call", () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
  const escaped = call.replace("}", String.raw`,"\u006dethod":"tools/list"}`);
  assert.equal(JSON.parse(escaped).method, "tools/list");

  assert.deepEqual([call, escaped].map(isShortCall), [true, false]);
});
