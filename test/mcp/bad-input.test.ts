import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertCommonHeaders, assertFailure } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import {
  assertRpcError,
  callOf,
  ENVELOPE,
  type Era,
  EUR_USD,
  eras,
  headersOf,
  PATH,
  type Posted,
  readOf,
  requestOf,
  rpcOf,
  startWithKey,
  valueIn,
} from "./messages.ts";

const KIB_64 = 64 * 1024;

const { service, apiKey, post, charging } = await startWithKey();
after(() => service[Symbol.asyncDispose]());
const postText = (era: Era, raw: string): Promise<Answer> =>
  service.post(PATH, { apiKey, raw, headers: readOf(era).headers });

const malformed = [
  ["nothing", ""],
  ["white space", " \r\n"],
  ["an object that is not closed", JSON.stringify(readOf("2025").json).slice(0, -1)],
  ["an extra comma", '{"jsonrpc":"2.0","id":1,"method":"tools/list",}'],
  ["two calls in a row", JSON.stringify(readOf("2025").json).repeat(2)],
  ["a form body", "method=tools%2Fcall&name=get_rate"],
] as const;

for (const [what, raw] of malformed) {
  test(`MCP: ${what} is invalid JSON: 400 with -32700, uncharged`, async () => {
    for (const era of eras) {
      const answer = await charging(0, () => postText(era, raw));
      assertRpcError(answer, 400, -32_700, "Parse error: Invalid JSON");
      assert.equal(rpcOf(answer).id, null);
    }
  });
}

const noMessages = [
  ["null", "null"],
  ["a number", "5"],
  ["a text", '"tools/call"'],
  ["an empty object", "{}"],
  ["an object without a method", '{"jsonrpc":"2.0","id":null}'],
  ["JSON-RPC 1.0", '{"jsonrpc":"1.0","id":null,"method":"tools/list"}'],
  ["a list 32,000 deep", "[".repeat(32_000) + "]".repeat(32_000)],
  ["an object 9,000 deep", `${'{"id":'.repeat(9000)}1${"}".repeat(9000)}`],
  ["a batch with an id 10,000 deep", `[{"id":${"[".repeat(10_000) + "]".repeat(10_000)}}]`],
] as const;

for (const [what, raw] of noMessages) {
  test(`MCP: ${what} is JSON, but not a message: 400 with -32600, uncharged`, async () => {
    for (const era of eras) {
      assertRpcError(await charging(0, () => postText(era, raw)), 400, -32_600);
    }
  });
}

test("MCP: a leading byte order mark is ignored, and the call is charged once", async () => {
  for (const era of eras) {
    const raw = `\ufeff${JSON.stringify(readOf(era).json)}`;
    valueIn(rpcOf(await charging(1, () => postText(era, raw))));
  }
});

const many = (count: number) => new Array<number>(count).fill(1);
const manyMembers = (count: number) =>
  Object.fromEntries(many(count).map((one, index) => [`m${index}`, one]));

/** Messages with values of a wrong type in places where the SDK validates each of them. */
function wide(count: number): readonly (readonly [what: string, posted: Posted])[] {
  const client = { name: "test", version: "1" };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client };
  const icons = { ...client, icons: many(count) };
  const experimental = { experimental: manyMembers(count) };
  const modern = ({ headers, json }: Posted, name: string, value: unknown): Posted => {
    const _meta = { ...ENVELOPE, [`io.modelcontextprotocol/${name}`]: value };
    return { headers, json: { ...json, params: { ...(json.params as object), _meta } } };
  };
  return [
    ["initialize with icons", requestOf("2025", "initialize", { ...hello, clientInfo: icons })],
    [
      "initialize with capabilities",
      requestOf("2025", "initialize", { ...hello, capabilities: experimental }),
    ],
    [
      "a call of 2025 with capabilities",
      requestOf("2025", "tools/call", { name: "get_usage", capabilities: experimental }),
    ],
    ["a call of 2026 with icons", modern(readOf("2026"), "clientInfo", icons)],
    [
      "tools/list of 2026 with capabilities",
      modern(requestOf("2026", "tools/list"), "clientCapabilities", experimental),
    ],
  ];
}

for (const [what, posted] of wide(5000)) {
  test(`MCP: ${what} by the thousand gets -32600 in a short response, uncharged`, async () => {
    const answer = await charging(0, () => post(posted));

    assertRpcError(answer, 400, -32_600, /256 JSON values/);
    assert.equal(rpcOf(answer).id, null);
    assert.ok(answer.text.length < 300, `${answer.text.length} bytes`);
    const rejected = await service.post(PATH, { ...posted, apiKey: "x" });
    assert.deepEqual([rejected.status, rejected.body.code], [401, "unauthorized"]);
  });
}

for (const [what, { headers, json }] of wide(200)) {
  test(`MCP: ${what} by the hundred gets a response that is shorter than the request`, async () => {
    const answer = await charging(0, () => post({ headers, json }));

    assert.ok(rpcOf(answer).error !== undefined || what.includes("2025"), answer.text);
    const bytesMax = Math.min(JSON.stringify(json).length, 1024);
    assert.ok(answer.text.length < bytesMax, `${answer.text.length} bytes: ${answer.text}`);
  });
}

test("MCP: the error for an unknown tool cuts its long name", async () => {
  const answer = await post(callOf("2025", "n".repeat(5000)));
  assertRpcError(answer, 200, -32_602, /n{100}.*…$/);
  assert.ok(answer.text.length < 400, answer.text);
});

const wrongTypes = ["text/plain", "application/x-www-form-urlencoded", "application/json-rpc"];

for (const contentType of wrongTypes) {
  test(`MCP: a call with the Content-Type ${contentType} is 415 in the envelope, uncharged`, async () => {
    for (const era of eras) {
      const { headers, json } = readOf(era);
      const typed = { headers: { ...headers, "content-type": contentType }, json };
      assertFailure(await charging(0, () => post(typed)), 415, "unsupported_media_type");
    }
  });
}

test("MCP: 64 KiB are accepted; one byte more is 413 in the envelope, uncharged", async () => {
  for (const era of eras) {
    const raw = JSON.stringify(readOf(era).json);
    valueIn(rpcOf(await charging(1, () => postText(era, raw.padEnd(KIB_64)))));
    const answer = await charging(0, () => postText(era, raw.padEnd(KIB_64 + 1)));
    assertFailure(answer, 413, "payload_too_large", "The request body is larger than 64 KiB.");
    const wide = raw.replace('"EUR"', `"${"ä".repeat(KIB_64 / 2)}"`);
    assertFailure(await charging(0, () => postText(era, wide)), 413, "payload_too_large");
  }
});

const unknownTools = ["nope", "GET_RATE", "get_rate_", "", "get-rate"];
const prototypeNames = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

for (const name of [...unknownTools, ...prototypeNames]) {
  test(`MCP: ${JSON.stringify(name)} is an unknown tool: -32602 with its name, uncharged`, async () => {
    for (const era of eras) {
      const posted = callOf(era, name, EUR_USD, "call-7");
      const answer = await charging(0, () => post(posted));
      assertRpcError(answer, 200, -32_602);
      const { id, error } = rpcOf(answer);
      assert.equal(id, "call-7");
      assert.ok(error?.message.includes(name), answer.text);
    }
  });
}

test("MCP: a tool name that is missing or not a string is -32602, uncharged", async () => {
  for (const era of eras) {
    for (const name of [undefined, null, 5, ["get_rate"], {}]) {
      const posted: Posted = requestOf(era, "tools/call", { name, arguments: EUR_USD });
      assertRpcError(await charging(0, () => post(posted)), 200, -32_602, /name/);
    }
  }
});

test("MCP: an unknown method is -32601: 200 in 2025, 404 in 2026", async () => {
  for (const method of ["nope", "prompts/get", "prompts/list", "constructor", "tools/Call"]) {
    const old = await charging(0, () => post(requestOf("2025", method)));
    assertRpcError(old, 200, -32_601, "Method not found");
    const modern = await charging(0, () => post(requestOf("2026", method)));
    assertRpcError(modern, 404, -32_601, "Method not found");
  }
});

test("MCP: a subscription is 404 in JSON at once, never a stream", async () => {
  for (const listChanged of [true, false]) {
    const params = { notifications: { tools: { listChanged } } };
    const answer = await post(requestOf("2026", "subscriptions/listen", params, "sub-1"));
    assertRpcError(answer, 404, -32_601, "Method not found");
    assert.equal(rpcOf(answer).id, "sub-1");
    assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  }
});

test("MCP: a call without an id does not run: 202 without a body, uncharged", async () => {
  for (const era of eras) {
    const { headers, json } = readOf(era);
    const { id: _id, ...notification } = json;
    const answer = await charging(0, () => post({ headers, json: notification }));
    assert.deepEqual([answer.status, answer.text], [202, ""]);
    assertCommonHeaders(answer);
  }
});

test("MCP: a header and body with different revisions are rejected, uncharged", async () => {
  const { headers, json } = readOf("2026");
  const others = { ...headers, "mcp-name": "get_usage" };
  const mismatches = [
    [{ headers: headersOf("2025"), json }, -32_020],
    [{ headers: others, json }, -32_020],
    [{ headers, json: { ...json, params: { name: "get_rate", arguments: EUR_USD } } }, -32_602],
    [
      {
        headers: { ...headersOf("2025"), "mcp-protocol-version": "1.0" },
        json: readOf("2025").json,
      },
      -32_000,
    ],
  ] as const;
  for (const [posted, code] of mismatches) {
    assertRpcError(await charging(0, () => post(posted)), 400, code);
  }
  const later = "io.modelcontextprotocol/protocolVersion";
  const _meta = { ...ENVELOPE, [later]: "2099-01-01" };
  const unknown = {
    headers: { ...headers, "mcp-protocol-version": "2099-01-01" },
    json: { ...json, params: { ...(json.params as object), _meta } },
  };
  const answer = await charging(0, () => post(unknown));
  assertRpcError(answer, 400, -32_022, /2099-01-01/);
  assert.deepEqual(rpcOf(answer).error?.data, {
    supported: ["2026-07-28"],
    requested: "2099-01-01",
  });
});

test("MCP: the invalid messages caused no internal error", () => {
  const mistakes = service.logLines.filter((line) => line.includes('"err"'));
  assert.deepEqual(mistakes, []);
});

test("MCP: a message of 256 JSON values is served, and one of 257 is rejected, uncharged", async () => {
  const { json } = requestOf("2025", "ping");
  const { length: own } = Object.values({ ...json, extra: [] });
  const ofValues = (count: number) => {
    // With spaces, since a text below 512 characters is not counted.
    const extra = Array.from({ length: count - own }, () => 1);
    const params = json.params as object;
    return JSON.stringify({ ...json, params: { ...params, extra } }).padEnd(600);
  };

  const most = await charging(0, () => postText("2025", ofValues(256)));
  const tooMany = await charging(0, () => postText("2025", ofValues(257)));

  assert.deepEqual([most.status, rpcOf(most).result], [200, {}]);
  assertRpcError(tooMany, 400, -32_600, /256 JSON values/);
});
