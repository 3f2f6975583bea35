import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Answer } from "../support/client.ts";
import {
  assertRpcError,
  callOf,
  EUR_USD,
  failureIn,
  headersOf,
  notificationOf,
  PATH,
  type RpcAnswer,
  readOf,
  requestOf,
  rpcOf,
  rpcsOf,
  startWithKey,
  valueIn,
} from "./messages.ts";

const { service, apiKey, charging } = await startWithKey();
after(() => service[Symbol.asyncDispose]());

/** A batch without a response by then hangs. */
const DEADLINE = { timeout: 120_000 };

const post = (messages: readonly unknown[], key = apiKey): Promise<Answer> =>
  service.post(PATH, { apiKey: key, headers: headersOf("2025"), json: messages });

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

test("MCP batches: a single call in a batch gets the same response as without a batch", async () => {
  assert.equal(valueIn(rpcOf(await charging(1, () => post([read(1)])))).rate, "1.1476");
});

test(`MCP batches: the number 1 and the string "1" are different ids`, async () => {
  const answers = rpcsOf(await charging(2, () => post([read(1), read("1")])));
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, "1"],
  );
});

const initialize = requestOf("2025", "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
}).json;

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
  ["initialize in it", [initialize, read(2)], /initialization/],
  ["a call of 2026 in it", [read(1), readOf("2026", 2).json], /2026-07-28/],
  [
    "tools/list 100 times",
    times(100, (id) => requestOf("2025", "tools/list", {}, id).json),
    /once/,
  ],
  [
    "a method twice besides a read",
    [read(1), ...times(2, (id) => requestOf("2025", "ping", {}, `p${id}`).json)],
    /ping.*once/,
  ],
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
  [
    "11 unknown methods",
    times(11, (id) => requestOf("2025", `nope/${id}`, {}, id).json),
    /at most 10/,
  ],
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
  for (const messages of [
    [readOf("2026").json],
    [readOf("2026", 1).json, readOf("2026", 2).json],
  ]) {
    const { headers } = readOf("2026");
    const how = { apiKey, headers, json: messages };
    assertRpcError(await charging(0, () => service.post(PATH, how)), 400, -32_600, /2026-07-28/);
  }
  const how = { apiKey, headers: headersOf("2026"), json: [read(1), read(2)] };
  assertRpcError(await charging(0, () => service.post(PATH, how)), 400, -32_000, /2026-07-28/);
});

const cancelled = [
  ["after it", [read(1), cancellation(1)]],
  ["before it", [cancellation(1), read(1)]],
  ["twice", [cancellation(1), read(1), cancellation(1)]],
  ["without a reason", [read(1), { jsonrpc: "2.0", method: "notifications/cancelled" }]],
] as const;

for (const [when, messages] of cancelled) {
  test(
    `MCP batches: a call that is cancelled ${when} still gets its response`,
    DEADLINE,
    async () => {
      const answer = await charging(1, () => post(messages));
      assert.equal(answer.status, 200);
      const { id, ...rpc } = rpcOf(answer);
      assert.equal(id, 1);
      assert.equal(valueIn({ id, ...rpc }).rate, "1.1476");
    },
  );
}

test("MCP batches: of three calls, one cancelled, all get responses", DEADLINE, async () => {
  const answer = await charging(3, () => post([read(1), read(2), cancellation(2), read(3)]));
  assert.deepEqual(
    rpcsOf(answer).map((rpc) => [rpc.id, valueIn(rpc).rate]),
    [
      [1, "1.1476"],
      [2, "1.1476"],
      [3, "1.1476"],
    ],
  );
});

test(
  "MCP batches: only notifications, also cancellations, are 202 without a body",
  DEADLINE,
  async () => {
    const initialized = notificationOf("2025", "notifications/initialized").json;
    for (const messages of [
      [initialized],
      [initialized, cancellation(1)],
      [cancellation(1)],
      [cancellation(1), cancellation("a")],
    ]) {
      const answer = await charging(0, () => post(messages));
      assert.deepEqual([answer.status, answer.text], [202, ""]);
    }
  },
);

test("MCP batches: a request named like a cancellation gets a response", DEADLINE, async () => {
  const misnamed = requestOf("2025", "notifications/cancelled", { requestId: 1 }, 2).json;

  const answers = rpcsOf(await charging(1, () => post([read(1), misnamed])));

  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.equal(answers[1]?.error?.code, -32_601);
});

test("MCP batches: a batch larger than the remaining quota gets exactly the remaining units", async () => {
  await using own = await startWithKey({ freePlanUnits: 10 });
  const send = (messages: readonly unknown[]) =>
    own.service.post(PATH, { apiKey: own.apiKey, headers: headersOf("2025"), json: messages });
  assert.equal((await send([read(1), read(2), read(3)])).status, 200);

  const answers = rpcsOf(await send([...times(20, read), call("usage", "get_usage", {})]));

  const calls = answers.slice(0, 20);
  const served = calls.filter(({ result }) => result?.isError === undefined);
  assert.equal(served.length, 7);
  for (const rpc of served) assert.equal(valueIn(rpc).rate, "1.1476");
  for (const rpc of calls.filter(({ result }) => result?.isError === true)) {
    const { request_id: _id, message: _message, ...envelope } = failureIn(rpc);
    const reset_at = "2026-12-01T00:00:00.000Z";
    assert.deepEqual(envelope, { code: "quota_exceeded", limit: 10, remaining: 0, reset_at });
  }
  assert.equal(valueIn(answers[20] ?? { id: 0 }).plan, "free");
  assert.equal(await own.usedUnits(), 10);
  const days = own.service.query("SELECT sum(units) AS units FROM daily_usage");
  assert.equal(days[0]?.units, 10);
});

test("MCP batches: ten concurrent batches on a small quota get exactly the quota in total", async () => {
  await using own = await startWithKey({ freePlanUnits: 100 });
  const how = { apiKey: own.apiKey, headers: headersOf("2025"), json: times(30, read) };

  const answers = await Promise.all(times(10, () => own.service.post(PATH, how)));

  const calls = answers.flatMap(rpcsOf);
  assert.equal(calls.length, 300);
  assert.equal(calls.filter(({ result }) => result?.isError === undefined).length, 100);
  assert.equal(await own.usedUnits(), 100);
});
