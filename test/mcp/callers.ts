import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import type { TestService } from "../support/service.ts";
import * as mcp from "./messages.ts";

export const RATE_PATH = "/v1/rates/EUR/USD";

/** The calls of a batch. */
export const BATCH = 5;

type Members = Readonly<Record<string, unknown>>;

/** The outcome of one read: a failure's envelope, or just that it got the rate. */
export type Outcome = "served" | Members;

/** A protocol to read EUR/USD with. */
export interface Way {
  readonly name: string;
  readonly readsPerRequest: number;
  ask(service: TestService, apiKey: string): Promise<Answer>;
  /** The outcome of each read of a request that was not rejected as a whole. */
  outcomesOf(answer: Answer): readonly Outcome[];
}

/** Asserts that a value is the rate. */
export function served(value: unknown): "served" {
  assert.equal((value as Members).rate, "1.1476");
  return "served";
}

const outcomeOf = (rpc: mcp.RpcAnswer): Outcome =>
  rpc.result?.isError === true ? mcp.failureIn(rpc) : served(mcp.valueIn(rpc));

const rest: Way = {
  name: "REST",
  readsPerRequest: 1,
  ask: (service, apiKey) => service.get(RATE_PATH, { apiKey }),
  outcomesOf: ({ status, body }) => [status === 200 ? served(body) : body],
};

const calls: readonly Way[] = mcp.eras.map((era) => ({
  name: `MCP ${mcp.VERSION_OF[era]}`,
  readsPerRequest: 1,
  ask: (service, apiKey) => mcp.postTo(service, apiKey)(mcp.readOf(era)),
  outcomesOf: (answer) => [outcomeOf(mcp.rpcOf(answer))],
}));

/** Several calls in one request, each charged. */
export const batches: Way = {
  name: "MCP in batches",
  readsPerRequest: BATCH,
  ask(service, apiKey) {
    const messages = Array.from({ length: BATCH }, (_, id) => mcp.readOf("2025", id).json);
    const headers = mcp.headersOf("2025");
    return service.post(mcp.PATH, { apiKey, headers, json: messages });
  },
  outcomesOf: (answer) => mcp.rpcsOf(answer).map(outcomeOf),
};

/** REST first, then the MCP ones. */
export const ways: readonly Way[] = [rest, ...calls, batches];

/** Reads over a protocol and asserts that the request as a whole succeeds. */
export async function read(
  way: Way,
  service: TestService,
  apiKey: string,
): Promise<readonly Outcome[]> {
  const answer = await way.ask(service, apiKey);
  const outcomes = way.outcomesOf(answer);
  assert.equal(outcomes.length, way.readsPerRequest, answer.text);
  return outcomes;
}
