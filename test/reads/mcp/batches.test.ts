import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../support/client.ts";
import { assertRpcError, failureIn, type RpcAnswer, rpcOf, rpcsOf, valueIn } from "./answers.ts";
import {
  callOf,
  EUR_USD,
  headersOf,
  initialize,
  notificationOf,
  PATH,
  readOf,
  requestOf,
} from "./messages.ts";
import { startSharedWithKey, startWithKey } from "./with-key.ts";

const { service, apiKey, charging } = await startSharedWithKey();

/** A batch without a response by then hangs. */
const DEADLINE = { timeout: 120_000 };

const post = (messages: readonly unknown[]): Promise<Answer> =>
  service.post(PATH, { apiKey, headers: headersOf("2025"), json: messages });

const read = (id: unknown) => readOf("2025", id).json;
const call = (id: unknown, name: string, given: Record<string, unknown>) =>
  callOf("2025", name, given, id).json;
const cancellation = (requestId: unknown) =>
  notificationOf("2025", "notifications/cancelled", { requestId, reason: "late" }).json;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

test("MCP batches: 100 mixed messages get their responses in order, each charged by itself", async () => {
  const kinds = [
    (id: number) => read(id),
    (id: number) => call(id, "convert_currency", { ...EUR_USD, amount: "2" }),
    (id: number) => call(id, "get_rate", { base: "E", quote: "USD" }),
    (id: number) => call(id, "get_rate", { base: "USD", quote: "NONE" }),
    (id: number) => read(id),
    (id: number) => call(id, "convert_currency", { ...EUR_USD, amount: "3" }),
    (id: number) => call(id, "get_rate", { base: "EUR" }),
    (id: number) => call(id, "convert_currency", { ...EUR_USD, amount: "1e5" }),
    (id: number) => free[Math.floor(id / 10)]?.(id),
    () => notificationOf("2025", "notifications/initialized").json,
  ] as const;
  const messages = times(100, (index) => kinds[index % 10]?.(index));

  // Four rates and an unsupported pair per ten messages.
  const answer = await charging(50, () => post(messages));

  assert.equal(answer.status, 200);
  const answers = rpcsOf(answer);
  const answered = times(100, (index) => index).filter((index) => index % 10 !== 9);
  assert.deepEqual(
    answers.map(({ id }) => id),
    answered,
  );
  const requestIds = new Set<unknown>();
  for (const rpc of answers) {
    const kind = Number(rpc.id) % 10;
    if (kind === 0 || kind === 4) assert.equal(valueIn(rpc).rate, "1.1476");
    else if (kind === 1) assert.equal(valueIn(rpc).result, "2.2952");
    else if (kind === 5) assert.equal(valueIn(rpc).result, "3.4428");
    else if (kind === 8) assertFreeAnswer(rpc, Math.floor(Number(rpc.id) / 10));
    else {
      const { code, request_id } = failureIn(rpc);
      assert.equal(code, codeOfKind.get(kind));
      requestIds.add(request_id);
    }
  }
  assert.deepEqual([...requestIds], [answer.headers["x-request-id"]]);
});

/** As many uncharged requests as a batch may hold besides charged calls. */
const free: readonly ((id: unknown) => unknown)[] = [
  (id) => requestOf("2025", "tools/list", {}, id).json,
  (id) => requestOf("2025", "ping", {}, id).json,
  (id) => requestOf("2025", "resources/list", {}, id).json,
  (id) => call(id, "nope", EUR_USD),
  (id) => call(id, "nope", EUR_USD),
  ...times(5, () => (id: unknown) => call(id, "get_usage", {})),
];

function assertFreeAnswer(rpc: RpcAnswer, index: number): void {
  if (index === 0) assert.equal((rpc.result?.tools as readonly unknown[] | undefined)?.length, 3);
  else if (index === 1) assert.deepEqual(rpc.result, {});
  else if (index === 2) assert.ok(Array.isArray(rpc.result?.resources));
  else if (index < 5) assert.equal(rpc.error?.code, -32_602);
  else assert.equal(valueIn(rpc).plan, "free");
}

const codeOfKind = new Map([
  [2, "invalid_asset_symbol"],
  [3, "unsupported_pair"],
  [6, "invalid_request"],
  [7, "invalid_request"],
]);

test('MCP batches: one call gets a response without a list, and 1 and "1" are two ids', async () => {
  assert.equal(valueIn(rpcOf(await charging(1, () => post([read(1)])))).rate, "1.1476");
  const answers = rpcsOf(await charging(2, () => post([read(1), read("1")])));
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, "1"],
  );
});

const list = (id: unknown, method = "tools/list") => requestOf("2025", method, {}, id).json;

const rejected = [
  ["101 calls", times(101, read), /100/],
  ["no messages", [], /empty/],
  ["a batch in it", [read(1), [read(2)]], /invalid message/],
  ["only a batch in it", [[read(1), read(2)]], /invalid message/],
  ["a number in it", [read(1), 5], /invalid message/],
  ["null in it", [read(1), null], /invalid message/],
  ["a call with the id null in it", [read(1), read(null)], /invalid message/],
  ["a repeated id", [read(1), read(1)], /same id/],
  ["a repeated id, far apart", [read("a"), ...times(50, read), read("a")], /same id/],
  ["a repeated id of different calls", [read(0), call(0, "get_usage", {})], /same id/],
  ["initialize in it", [initialize.json, read(2)], /initialization/],
  ["a call of 2026 in it", [read(1), readOf("2026", 2).json], /2026-07-28/],
  ["tools/list 100 times", times(100, list), /once/],
  ["a method twice besides a read", [read(1), list("a", "ping"), list("b", "ping")], /ping.*once/],
  [
    "a malformed initialize twice",
    times(2, (id) => ({ jsonrpc: "2.0", id, method: "initialize" })),
    /initialize.*once/,
  ],
  [
    "11 uncharged requests besides reads",
    [...times(20, read), ...[...free, free[9]].map((make, index) => make?.(`free ${index}`))],
    /at most 10/,
  ],
  ["11 unknown methods", times(11, (id) => list(id, `nope/${id}`)), /at most 10/],
  [
    "more than 2,048 values",
    times(100, (id) => call(id, "get_rate", { ...EUR_USD, more: times(12, () => 1) })),
    /2048 JSON values/,
  ],
] as const;

for (const [what, messages, message] of rejected) {
  test(`MCP batches: one with ${what} is rejected as a whole, uncharged`, DEADLINE, async () => {
    const answer = await charging(0, () => post(messages));
    assertRpcError(answer, 400, -32_600, message);
    assert.equal(rpcOf(answer).id, null);
    assert.ok(answer.text.length < 300, answer.text);
  });
}

test("MCP batches: revision 2026-07-28 has none: rejected, uncharged", DEADLINE, async () => {
  const batches = [
    [readOf("2026").headers, [readOf("2026").json], -32_600],
    [readOf("2026").headers, [readOf("2026", 1).json, readOf("2026", 2).json], -32_600],
    [headersOf("2026"), [read(1), read(2)], -32_000],
  ] as const;
  for (const [headers, json, code] of batches) {
    const answer = await charging(0, () => service.post(PATH, { apiKey, headers, json }));
    assertRpcError(answer, 400, code, /2026-07-28/);
  }
});

const initialized = notificationOf("2025", "notifications/initialized").json;

/** Batches with cancellations and notifications, and the ids of the calls in them. */
const unanswered: readonly (readonly [
  what: string,
  messages: readonly unknown[],
  ids: number[],
])[] = [
  ["a cancellation after the call", [read(1), cancellation(1)], [1]],
  ["a cancellation before the call", [cancellation(1), read(1)], [1]],
  ["two cancellations", [cancellation(1), read(1), cancellation(1)], [1]],
  [
    "a cancellation without a reason",
    [read(1), { jsonrpc: "2.0", method: "notifications/cancelled" }],
    [1],
  ],
  ["one of three calls cancelled", [read(1), read(2), cancellation(2), read(3)], [1, 2, 3]],
  ["a notification", [initialized], []],
  ["a notification and a cancellation", [initialized, cancellation(1)], []],
  ["a cancellation", [cancellation(1)], []],
  ["two cancellations and no call", [cancellation(1), cancellation("a")], []],
];

for (const [what, messages, ids] of unanswered) {
  test(`MCP batches: with ${what}, each call gets its response`, DEADLINE, async () => {
    const answer = await charging(ids.length, () => post(messages));

    if (ids.length === 0) return assert.deepEqual([answer.status, answer.text], [202, ""]);
    assert.equal(answer.status, 200);
    const answers = ids.length === 1 ? [rpcOf(answer)] : rpcsOf(answer);
    assert.deepEqual(
      answers.map((rpc) => [rpc.id, valueIn(rpc).rate]),
      ids.map((id) => [id, "1.1476"]),
    );
  });
}

test("MCP batches: a request named like a cancellation gets a response", DEADLINE, async () => {
  const misnamed = requestOf("2025", "notifications/cancelled", { requestId: 1 }, 2).json;

  const answers = rpcsOf(await charging(1, () => post([read(1), misnamed])));

  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.equal(answers[1]?.error?.code, -32_601);
});

test("MCP batches: of more calls than units, the first ones are served, and get_usage", async () => {
  await using own = await startWithKey({ freePlanUnits: 7 });
  const json = [...times(20, read), call("usage", "get_usage", {})];

  const answer = await own.service.post(PATH, {
    apiKey: own.apiKey,
    headers: headersOf("2025"),
    json,
  });

  const answers = rpcsOf(answer);
  for (const rpc of answers.slice(0, 7)) assert.equal(valueIn(rpc).rate, "1.1476");
  for (const rpc of answers.slice(7, 20)) {
    const { request_id: _id, message: _message, ...envelope } = failureIn(rpc);
    const reset_at = "2026-12-01T00:00:00.000Z";
    assert.deepEqual(envelope, { code: "quota_exceeded", limit: 7, remaining: 0, reset_at });
  }
  assert.equal(valueIn(answers[20] ?? { id: 0 }).plan, "free");
  assert.equal(await own.usedUnits(), 7);
});
