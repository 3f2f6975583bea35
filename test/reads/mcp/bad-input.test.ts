import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { assertRpcError, rpcOf, valueIn } from "./answers.ts";
import { forSdk } from "./doors.ts";
import {
  callOf,
  ENVELOPE,
  type Era,
  EUR_USD,
  eras,
  headersOf,
  initialize,
  PATH,
  type Posted,
  readOf,
  requestOf,
} from "./messages.ts";
import { startSharedWithKey } from "./with-key.ts";

const KIB_64 = 64 * 1024;

const { service, apiKey, post, charging } = await startSharedWithKey();
const postText = (era: Era, raw: string): Promise<Answer> =>
  service.post(PATH, { apiKey, raw, headers: readOf(era).headers });

const withHeaders = ({ headers, json }: Posted, more: Record<string, string>): Posted => ({
  headers: { ...headers, ...more },
  json,
});

/** Bodies that are no message, with the code of their error. */
const noMessages = [
  ["nothing", "", -32_700],
  ["white space", " \r\n", -32_700],
  ["an object that is not closed", JSON.stringify(readOf("2025").json).slice(0, -1), -32_700],
  ["an extra comma", '{"jsonrpc":"2.0","id":1,"method":"tools/list",}', -32_700],
  ["two calls in a row", JSON.stringify(readOf("2025").json).repeat(2), -32_700],
  ["a form body", "method=tools%2Fcall&name=get_rate", -32_700],
  ["null", "null", -32_600],
  ["a number", "5", -32_600],
  ["a text", '"tools/call"', -32_600],
  ["an empty object", "{}", -32_600],
  ["an object without a method", '{"jsonrpc":"2.0","id":null}', -32_600],
  ["JSON-RPC 1.0", '{"jsonrpc":"1.0","id":null,"method":"tools/list"}', -32_600],
  ["a list 32,000 deep", "[".repeat(32_000) + "]".repeat(32_000), -32_600],
  ["an object 9,000 deep", `${'{"id":'.repeat(9000)}1${"}".repeat(9000)}`, -32_600],
  ["a batch with a deep id", `[{"id":${"[".repeat(10_000) + "]".repeat(10_000)}}]`, -32_600],
] as const;

test(`MCP: ${noMessages.length} bodies that are no message are 400, uncharged`, async () => {
  for (const [what, raw, code] of noMessages) {
    const message = code === -32_700 ? "Parse error: Invalid JSON" : /\S/;
    for (const era of eras) {
      const answer = await charging(0, () => postText(era, raw));
      assertRpcError(answer, 400, code, message);
      assert.equal(rpcOf(answer).id, null, what);
    }
  }
});

const many = (count: number) => new Array<number>(count).fill(1);
const manyMembers = (count: number) =>
  Object.fromEntries(many(count).map((one, index) => [`m${index}`, one]));

/** Messages with values of a wrong type in places where the SDK validates each of them. */
function wide(count: number): readonly (readonly [what: string, posted: Posted])[] {
  const hello = initialize.json.params as object;
  const icons = { name: "test", version: "1", icons: many(count) };
  const experimental = { experimental: manyMembers(count) };
  const modern = ({ headers, json }: Posted, name: string, value: unknown): Posted => {
    const _meta = { ...ENVELOPE, [`io.modelcontextprotocol/${name}`]: value };
    return { headers, json: { ...json, params: { ...(json.params as object), _meta } } };
  };
  const list = requestOf("2026", "tools/list");
  const usage = { name: "get_usage", capabilities: experimental };
  return [
    [
      "2025: initialize with icons",
      requestOf("2025", "initialize", { ...hello, clientInfo: icons }),
    ],
    [
      "2025: initialize with capabilities",
      requestOf("2025", "initialize", { ...hello, capabilities: experimental }),
    ],
    ["2025: a call with capabilities", requestOf("2025", "tools/call", usage)],
    ["2026: a call with icons", modern(readOf("2026"), "clientInfo", icons)],
    ["2026: tools/list with capabilities", modern(list, "clientCapabilities", experimental)],
  ];
}

for (const [index, [what, posted]] of wide(5000).entries()) {
  test(`MCP: ${what} by the thousand or hundred gets a short response, uncharged`, async () => {
    const answer = await charging(0, () => post(posted));

    assertRpcError(answer, 400, -32_600, /256 JSON values/);
    assert.equal(rpcOf(answer).id, null);
    assert.ok(answer.text.length < 300, `${answer.text.length} bytes`);
    const rejected = await service.post(PATH, { ...posted, apiKey: "x" });
    assert.deepEqual([rejected.status, rejected.body.code], [401, "unauthorized"]);

    const [, fewer] = wide(200)[index] ?? ["", posted];
    const shorter = await charging(0, () => post(fewer));
    assert.ok(rpcOf(shorter).error !== undefined || what.startsWith("2025"), shorter.text);
    const bytesMax = Math.min(JSON.stringify(fewer.json).length, 1024);
    assert.ok(shorter.text.length < bytesMax, `${shorter.text.length} bytes: ${shorter.text}`);
  });
}

test("MCP: a message of 256 JSON values is served, and one of 257 is rejected, uncharged", async () => {
  const { json } = requestOf("2025", "ping");
  const { length: own } = Object.values({ ...json, extra: [] });
  const ofValues = (count: number) => {
    // With spaces, since a text below 512 characters is not counted.
    const params = { ...(json.params as object), extra: many(count - own) };
    return JSON.stringify({ ...json, params }).padEnd(600);
  };

  const most = await charging(0, () => postText("2025", ofValues(256)));
  const tooMany = await charging(0, () => postText("2025", ofValues(257)));

  assert.deepEqual([most.status, rpcOf(most).result], [200, {}]);
  assertRpcError(tooMany, 400, -32_600, /256 JSON values/);
});

test("MCP: the error for an unknown tool has the call's id, and cuts its long name", async () => {
  for (const era of eras) {
    const answer = await charging(0, () => post(callOf(era, "nope", EUR_USD, "call-7")));
    assertRpcError(answer, 200, -32_602, /nope/);
    assert.equal(rpcOf(answer).id, "call-7");
  }
  const answer = await post(callOf("2025", "n".repeat(5000)));
  assertRpcError(answer, 200, -32_602, /n{100}.*…$/);
  assert.ok(answer.text.length < 400, answer.text);
});

test("MCP: a call with another Content-Type is 415 in the envelope, uncharged", async () => {
  const types = ["text/plain", "application/x-www-form-urlencoded", "application/json-rpc"];
  for (const era of eras) {
    for (const type of types) {
      const typed = withHeaders(readOf(era), { "content-type": type });
      assertFailure(await charging(0, () => post(typed)), 415, "unsupported_media_type");
    }
  }
});

test("MCP: 64 KiB are accepted, also behind a byte order mark; one byte more is 413", async () => {
  for (const era of eras) {
    const raw = JSON.stringify(readOf(era).json);
    valueIn(rpcOf(await charging(1, () => postText(era, `\ufeff${raw}`))));
    valueIn(rpcOf(await charging(1, () => postText(era, raw.padEnd(KIB_64)))));
    for (const large of [
      raw.padEnd(KIB_64 + 1),
      raw.replace('"EUR"', `"${"ä".repeat(KIB_64 / 2)}"`),
    ]) {
      const answer = await charging(0, () => postText(era, large));
      assertFailure(answer, 413, "payload_too_large", "The request body is larger than 64 KiB.");
    }
  }
});

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

test("MCP: a header and body with different revisions are rejected, uncharged", async () => {
  const { headers, json } = readOf("2026");
  const params = { name: "get_rate", arguments: EUR_USD };
  const mismatches = [
    [{ headers: headersOf("2025"), json }, -32_020],
    [withHeaders(readOf("2026"), { "mcp-name": "get_usage" }), -32_020],
    [{ headers, json: { ...json, params } }, -32_602],
    [withHeaders(readOf("2025"), { "mcp-protocol-version": "1.0" }), -32_000],
  ] as const;
  for (const [posted, code] of mismatches) {
    assertRpcError(await charging(0, () => post(posted)), 400, code);
  }
  const _meta = { ...ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const later = { headers, json: { ...json, params: { ...(json.params as object), _meta } } };
  const answer = await charging(0, () =>
    post(withHeaders(later, { "mcp-protocol-version": "2099-01-01" })),
  );
  assertRpcError(answer, 400, -32_022, /2099-01-01/);
  const data = { supported: ["2026-07-28"], requested: "2099-01-01" };
  assert.deepEqual(rpcOf(answer).error?.data, data);
});

/** @param accept `undefined` sends no Accept header. */
function accepting({ headers, json }: Posted, accept: string | undefined): Posted {
  const { accept: _usual, ...others } = headers;
  return { headers: accept === undefined ? others : { ...others, accept }, json };
}

const accepted = [
  ...["*/*", "application/json", "application/*", "Application/JSON; charset=utf-8"],
  ...["text/html, */*;q=0.1", "text/event-stream, application/json;q=0.5", undefined],
];

for (const accept of accepted) {
  test(`MCP: Accept: ${accept ?? "(none)"} gets JSON, in both eras`, async () => {
    const agreed = await post(accepting(initialize, accept));
    assert.equal(rpcOf(agreed).result?.protocolVersion, "2025-11-25", agreed.text);

    for (const era of eras) {
      const list = await post(accepting(requestOf(era, "tools/list"), accept));
      assert.match(list.text, /"name":"get_rate"/);
      const read = await charging(1, () => post(accepting(readOf(era), accept)));
      assert.equal(valueIn(rpcOf(read)).rate, "1.1476");
      const bySdk = await post(accepting(forSdk(callOf(era, "get_usage")), accept));
      assert.equal(valueIn(rpcOf(bySdk)).plan, "free");
      for (const { status, headers: sent } of [agreed, list, read, bySdk]) {
        assert.equal(status, 200);
        assert.equal(sent["content-type"], "application/json; charset=utf-8");
      }
    }
  });
}

test("MCP: an Accept without JSON is 406 in the 2025 era, uncharged", async () => {
  const types = ["text/event-stream", "text/html", "application/json;q=0", "application/xml"];
  for (const accept of types) {
    const answer = await charging(0, () => post(accepting(readOf("2025"), accept)));
    assertRpcError(answer, 406, -32_000, /Not Acceptable/);
  }
});

test("MCP: the invalid messages caused no internal error", () => {
  const mistakes = service.logLines.filter((line) => line.includes('"err"'));
  assert.deepEqual(mistakes, []);
});
