import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { Failure } from "../../../src/platform/shared/failure.ts";
import type { McpRequest, McpResponse } from "../../../src/reads/mcp/request.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { type Customer, type Situation, situations, waysOf } from "./both-implementations.ts";
import { forSdk } from "./doors.ts";
import { callOf, ENVELOPE, type Era, eras, headersOf, type Posted, readOf } from "./messages.ts";
import { startWithKey } from "./with-key.ts";

// The SDK itself is the reference for direct calls: a response must have the same bytes as that of
// the SDK's server, at the same charge.

/** A request: headers except the credential, and the text of the body, which is JSON. */
interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The outcome of a request. `rejected`: the error code when the whole request was rejected. */
type Outcome = McpResponse | { readonly rejected: string };

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

const REQUEST_ID = "019aa5f5-0000-7000-8000-000000000000";

const database = await createSqliteDatabase();
after(() => database[Symbol.asyncDispose]());
const ways = await waysOf(database.openStore());

async function outcomeOf(pending: Promise<McpResponse>): Promise<Outcome> {
  return pending.catch((error: unknown) => {
    if (error instanceof Failure) return { rejected: error.code };
    throw error;
  });
}

/** Asserts that both implementations treat a request alike. @returns which serves it, and how. */
async function compare({ headers, text }: Post, situation: Situation) {
  const [shortOnes, sdks] = ways.twins[situation];
  const requestOf = ({ apiKey }: Customer): McpRequest => {
    return { headers, body: text, apiKey, requestId: REQUEST_ID };
  };
  const body: unknown = JSON.parse(text);

  const short = ways.short(requestOf(shortOnes), body);
  const answer = await outcomeOf(short ?? ways.sdk(requestOf(shortOnes), body));
  const expected = await outcomeOf(ways.sdk(requestOf(sdks), JSON.parse(text)));

  assert.deepEqual(answer, expected, text);
  const used = await ways.usedUnits(shortOnes);
  assert.equal(used, await ways.usedUnits(sdks), "the implementations charge differently");
  return { way: short === undefined ? "sdk" : "short", answer } as const;
}

const postOf = ({ headers, json }: Posted): Post => ({ headers, text: JSON.stringify(json) });

const changed = ({ headers, json }: Posted, members: object): Post =>
  postOf({ headers, json: { ...json, ...members } });

const withParams = (posted: Posted, members: object): Post =>
  changed(posted, { params: { ...(posted.json.params as object), ...members } });

const withHeaders = ({ headers, json }: Posted, others: Record<string, string>): Post =>
  postOf({ headers: { ...headers, ...others }, json });

const without = ({ headers, json }: Posted, name: string): Post => {
  const kept = Object.entries(headers).filter(([header]) => header !== name);
  return postOf({ headers: Object.fromEntries(kept), json });
};

const convert = (era: Era, amount: unknown) =>
  callOf(era, "convert_currency", { base: "EUR", quote: "USD", amount });

/** Calls that direct calls serve: calls of our tools in the form that clients send. */
const shortly = (era: Era): readonly (readonly [what: string, post: Post])[] => [
  ["a rate", postOf(readOf(era))],
  ["a symbol to normalize", postOf(callOf(era, "get_rate", { base: " eur ", quote: "usd" }))],
  ["an invalid symbol", postOf(callOf(era, "get_rate", { base: "E", quote: "USD" }))],
  ["an unsupported pair", postOf(callOf(era, "get_rate", { base: "USD", quote: "EUR" }))],
  ["a missing argument", postOf(callOf(era, "get_rate", { base: "EUR" }))],
  ["an argument of a wrong type", postOf(callOf(era, "get_rate", { base: 1, quote: null }))],
  ["unknown arguments", postOf(callOf(era, "get_usage", { base: "EUR", toString: 1 }))],
  ...["2026-03-14", "2026-03-12", null, "14.03.2026", 5].map((date) => {
    const given = { base: "EUR", quote: "USD", date };
    return [`the date ${date}`, postOf(callOf(era, "get_rate", given))] as const;
  }),
  ["no arguments", withParams(callOf(era, "get_usage"), { arguments: undefined })],
  ["a conversion", postOf(convert(era, "1250.50"))],
  ["an invalid amount", postOf(convert(era, "1e5"))],
  ["a string as id", postOf(readOf(era, "call-1"))],
  ["an empty id", postOf(readOf(era, ""))],
  ["a lone surrogate as id", postOf(readOf(era, "\ud800"))],
  ["a charset", withHeaders(readOf(era), { "content-type": "application/json; charset=utf-8" })],
  ["further params", withParams(readOf(era), { cursor: "x", foo: { bar: [1] } })],
  ...["0", "-7", "1.0", "1e3", "9007199254740991", '"__proto__"', '"\\u2028"'].map(
    (id) => [`the id ${id}`, replaced(era, '"id":1', `"id":${id}`)] as const,
  ),
  ["an unknown symbol of another alphabet", postOf(callOf(era, "get_rate", { base: "\u00df" }))],
  ["an amount of too many digits", postOf(convert(era, "9".repeat(41)))],
  ["arguments twice", replaced(era, '"arguments":', '"arguments":{"base":"E"},"arguments":')],
  ["an argument twice", replaced(era, '"base":', '"base":null,"base":')],
  ...["arguments", "params"].map((where) => {
    const member = '"__proto__":{"base":"XXX","quote":7,"name":"nope"},';
    return [
      `__proto__ in the ${where}`,
      replaced(era, `"${where}":{`, `"${where}":{${member}`),
    ] as const;
  }),
];

/** A read whose text JSON.stringify cannot produce. */
function replaced(era: Era, what: string, by: string): Post {
  const { headers, text } = postOf(readOf(era));
  assert.ok(text.includes(what), what);
  return { headers, text: text.replace(what, by) };
}

/** Other requests, and calls that need the SDK. */
const bySdk = (era: Era): readonly (readonly [what: string, post: Post])[] => [
  ["a call in a batch", { headers: headersOf(era), text: `[${JSON.stringify(readOf(era).json)}]` }],
  ["a call of an unknown tool", postOf(callOf(era, "nope"))],
  ...["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", ""].map(
    (name) => [`a tool named ${JSON.stringify(name)}`, postOf(callOf(era, name))] as const,
  ),
  ["a call with a task", withParams(readOf(era), { task: {} })],
  ["a call with an invalid task", withParams(readOf(era), { task: 5 })],
  ["a call with a request state", withParams(readOf(era), { requestState: 5 })],
  ["a call with input responses", withParams(readOf(era), { inputResponses: {} })],
  ["a call without an id", changed(readOf(era), { id: undefined })],
  ["a call with the id null", changed(readOf(era), { id: null })],
  ["a call with a fractional id", changed(readOf(era), { id: 1.5 })],
  ["a call with an id beyond the safe integers", changed(readOf(era), { id: 2 ** 53 })],
  ["a call with an unknown member", changed(readOf(era), { foo: 1 })],
  ["a call with a result", changed(readOf(era), { result: {} })],
  ["a call of JSON-RPC 1.0", changed(readOf(era), { jsonrpc: "1.0" })],
  ["a call without JSON-RPC's version", changed(readOf(era), { jsonrpc: undefined })],
  ["a call without params", changed(readOf(era), { params: undefined })],
  ...[null, [], "x", 5].flatMap((value) => [
    [`params of ${JSON.stringify(value)}`, changed(readOf(era), { params: value })] as const,
    [
      `arguments of ${JSON.stringify(value)}`,
      withParams(readOf(era), { arguments: value }),
    ] as const,
    [`_meta of ${JSON.stringify(value)}`, withParams(readOf(era), { _meta: value })] as const,
  ]),
  ["a call of a tool named 5", withParams(readOf(era), { name: 5 })],
  ["text instead of JSON", withHeaders(readOf(era), { "content-type": "text/plain" })],
  ["two content types", withHeaders(readOf(era), { "content-type": "application/json, a/b" })],
  ["no content type", without(readOf(era), "content-type")],
  ["an unknown version", withHeaders(readOf(era), { "mcp-protocol-version": "1.0" })],
  ["a version that is not a date", withHeaders(readOf(era), { "mcp-protocol-version": "banana" })],
  ["a future version", withHeaders(readOf(era), { "mcp-protocol-version": "2099-01-01" })],
  ["an empty version", withHeaders(readOf(era), { "mcp-protocol-version": "" })],
  ...["tools/list", "ping", "initialize", "server/discover", "resources/list", "TOOLS/CALL"].map(
    (method) => [`the method ${method}`, changed(readOf(era), { method })] as const,
  ),
  ["JSON that is null", { headers: headersOf(era), text: "null" }],
  ["JSON that is a number", { headers: headersOf(era), text: "5" }],
  ["an empty batch", { headers: headersOf(era), text: "[]" }],
];

/** Requests that differ in only one of the eras. */
const peculiar: readonly (readonly [what: string, way: "short" | "sdk", post: Post])[] = [
  ["2025: no version", "short", without(readOf("2025"), "mcp-protocol-version")],
  ["2025: an old version", "short", withVersion("2024-10-07")],
  ["2025: the version of 2026 alone", "sdk", withVersion("2026-07-28")],
  ["2025: another method's name", "short", withHeaders(readOf("2025"), { "mcp-method": "x" })],
  ["2025: another tool's name", "short", withHeaders(readOf("2025"), { "mcp-name": "x" })],
  ["2025: only JSON", "short", withHeaders(readOf("2025"), { accept: "application/json" })],
  ["2025: anything accepted", "short", withHeaders(readOf("2025"), { accept: "*/*" })],
  [
    "2025: Accept in capitals",
    "short",
    withHeaders(readOf("2025"), { accept: "APPLICATION/JSON" }),
  ],
  ["2025: JSON rejected", "sdk", withHeaders(readOf("2025"), { accept: "application/json;q=0" })],
  ["2025: a progress token", "short", withMeta({ progressToken: "t" })],
  ["2025: a number as progress token", "short", withMeta({ progressToken: 0 })],
  ["2025: a fraction as progress token", "sdk", withMeta({ progressToken: 1.5 })],
  ["2025: an empty _meta", "short", withMeta({})],
  ["2025: further members of _meta", "short", withMeta({ progressToken: 1, trace: [1] })],
  ["2025: an unfinished envelope", "sdk", withMeta({ [VERSION_KEY]: "2026-07-28" })],
  ["2025: an old envelope", "sdk", withMeta({ ...ENVELOPE, [VERSION_KEY]: "2025-11-25" })],
  ["2025: no Accept", "short", without(readOf("2025"), "accept")],
  ["2025: only a stream", "sdk", withHeaders(readOf("2025"), { accept: "text/event-stream" })],
  ["2026: no Accept", "short", without(readOf("2026"), "accept")],
  ["2026: no version", "sdk", without(readOf("2026"), "mcp-protocol-version")],
  ["2026: no method's name", "sdk", without(readOf("2026"), "mcp-method")],
  ["2026: another method's name", "sdk", withHeaders(readOf("2026"), { "mcp-method": "ping" })],
  ["2026: no tool's name", "sdk", without(readOf("2026"), "mcp-name")],
  ["2026: another tool's name", "sdk", withHeaders(readOf("2026"), { "mcp-name": "get_usage" })],
  ["2026: base64", "sdk", withHeaders(readOf("2026"), { "mcp-name": "=?base64?Z2V0X3JhdGU=?=" })],
  ["2026: a future revision", "sdk", revised("2099-01-01")],
  ["2026: 2025's version as a revision", "sdk", revised("2025-11-25")],
  ["2026: the version of 2025", "sdk", withHeaders(readOf("2026"), headersOf("2025"))],
];

const oddJson = 'null true "" "2026-07-28" -0 -7 1e3 1e400 9007199254740993 [1] {}'.split(" ");
const oddNames = ["id", "method", "params", "result", "error", "__proto__", "constructor", "x"];
const inMeta = [
  ...["progressToken", "clientInfo", "logLevel", "related-task", "clientCapabilities"],
  ...["protocolVersion", "other"],
];
const oddHeaders = [
  ["accept", ["application/*", "text/html", "", ",", "text/event-stream;q=1,application/json"]],
  ["content-type", ["Application/JSON;", "", "*/*"]],
  ["mcp-name", ["=?base64?*?=", "get_rate, get_rate", ""]],
] as const;

/** Calls with something unusual in one place: no matter which implementation serves them. */
const eitherWay = (era: Era): readonly Post[] => [
  ...oddJson.map((json) => replaced(era, '"id":1', `"id":${json}`)),
  ...oddJson.flatMap((json) => inMeta.map((name) => metaPost(era, name, json))),
  metaPost(era, "clientInfo", '{"name":"a","version":"1"}'),
  metaPost(era, "clientCapabilities", '{"roots":{},"sampling":{}}'),
  ...oddNames.flatMap((name) =>
    ["{", '"params":{', '"arguments":{'].flatMap((start) =>
      ["null", '{"q":1}'].map((json) => replaced(era, start, `${start}"${name}":${json},`)),
    ),
  ),
  { headers: headersOf(era), text: JSON.stringify([1, 2].map((id) => readOf(era, id).json)) },
  ...oddHeaders.flatMap(([name, values]) =>
    values.map((value) => withHeaders(readOf(era), { [name]: value })),
  ),
];

/** A call with a member of `_meta`, besides what is usual in its era. */
function metaPost(era: Era, name: string, json: string): Post {
  const member = name === "progressToken" ? name : `io.modelcontextprotocol/${name}`;
  const usual = era === "2025" ? { progressToken: 1 } : ENVELOPE;
  const { headers, text } = withParams(readOf(era), { _meta: { ...usual, [member]: "ODD" } });
  return { headers, text: text.replace('"ODD"', json) };
}

/** A call of 2025 with a `_meta`. */
function withMeta(meta: object): Post {
  return withParams(readOf("2025"), { _meta: meta });
}

/** A call whose header and body name the same revision. */
function revised(version: string): Post {
  const { headers, text } = postOf(readOf("2026"));
  return {
    headers: { ...headers, "mcp-protocol-version": version },
    text: text.replace("2026-07-28", version),
  };
}

function withVersion(version: string): Post {
  return withHeaders(readOf("2025"), { "mcp-protocol-version": version });
}

suite("direct calls and the SDK give the same bytes at the same charge", () => {
  const picked = [
    ...eras.flatMap((era) => [
      ...shortly(era).map(([what, post]) => [`${era}: ${what}`, "short", post] as const),
      ...bySdk(era).map(([what, post]) => [`${era}: ${what}`, "sdk", post] as const),
    ]),
    ...peculiar,
  ];

  for (const era of eras) {
    test(`when something in a call of ${era} is unusual`, async () => {
      for (const post of eitherWay(era)) {
        for (const situation of situations) await compare(post, situation);
      }
    });
  }

  for (const served of ["short", "sdk"] as const) {
    test(`whether it is handled by ${served === "short" ? "a direct call" : "the SDK"}`, async () => {
      for (const [what, way, post] of picked.filter((each) => each[1] === served)) {
        for (const situation of situations) {
          assert.equal((await compare(post, situation)).way, way, `${what}, ${situation}`);
        }
      }
    });
  }

  test("a rejected key is not a tool result: the request as a whole is rejected", async () => {
    for (const era of eras) {
      for (const name of ["get_rate", "convert_currency", "get_usage"]) {
        const posts = [postOf(callOf(era, name)), withParams(callOf(era, name), { task: {} })];
        for (const post of posts) {
          assert.deepEqual((await compare(post, "revoked")).answer, { rejected: "unauthorized" });
        }
      }
    }
  });
});

test("direct calls and the SDK over HTTP also give the same headers", async () => {
  await using own = await startWithKey();
  for (const era of eras) {
    const failing = callOf(era, "get_rate", { base: "USD", quote: "NONE" });
    for (const posted of [readOf(era), failing, convert(era, "2.50")]) {
      const short = await own.charging(1, () => own.post(posted));
      const bySdkToo = await own.charging(1, () => own.post(forSdk(posted)));

      const [one, other] = [short, bySdkToo].map(({ status, headers, text }) => {
        const { date, "x-request-id": id = "", ...rest } = headers;
        assert.ok(date !== undefined && id !== "");
        return { status, headers: rest, text: text.replaceAll(id, "(id)") };
      });
      assert.deepEqual(one, other);
      assert.equal(one?.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(one?.headers["cache-control"], "no-store");
      assert.equal(one?.headers["content-length"], String(Buffer.byteLength(short.text)));
      assert.notEqual(short.headers["x-request-id"], bySdkToo.headers["x-request-id"]);
    }
  }
});
