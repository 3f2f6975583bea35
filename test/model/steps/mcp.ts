import assert from "node:assert/strict";
import fc from "fast-check";
import * as mcp from "../../mcp/messages.ts";
import { CHALLENGE } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { assertSuccess, keyRequired } from "../expected.ts";
import { rateBody, readInModel } from "../meter.ts";
import type { Model } from "../model.ts";
import { type Person, someKeyNumber, someNode, somePerson } from "../names.ts";
import { millionths } from "../pair-state.ts";
import { step } from "../step.ts";
import type { Stage } from "../story-client.ts";
import { someAsked, written } from "./reads.ts";
import { usageBody } from "./usage.ts";

type Members = Readonly<Record<string, unknown>>;

const someEra = fc.constantFrom(...mcp.eras);

const caller = { person: somePerson, keyNumber: someKeyNumber, node: someNode, era: someEra };

interface Caller {
  readonly person: Person;
  readonly keyNumber: number;
  readonly node: 0 | 1;
  readonly era: mcp.Era;
}

function callTool(
  model: Model,
  stage: Stage,
  { person, keyNumber, node, era }: Caller,
  tool: string,
  given: Members = {},
): Promise<Answer> {
  const apiKey = model.key(person, keyNumber)?.secret ?? "";
  return stage.call(node, "POST", mcp.PATH, { apiKey, ...mcp.callOf(era, tool, given) });
}

/** Asserts the rejection of a whole request: MCP's challenge names a realm (contract, MCP). */
function assertKeyRejected(answer: Answer): string {
  const { request_id, ...envelope } = answer.body;
  const { status, ...failure } = keyRequired;
  assert.deepEqual([answer.status, envelope], [status, failure], answer.text);
  assert.equal(request_id, answer.headers["x-request-id"]);
  assert.match(answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
  return "401 unauthorized";
}

export const someMcpRead = fc
  .record({
    ...caller,
    asked: someAsked,
    amount: fc.constantFrom(undefined, undefined, undefined, "2", "0.5", "0", "1000.001"),
    isLoose: fc.boolean(),
  })
  .map(({ asked, amount, isLoose, ...by }) => {
    const { person, keyNumber } = by;
    const tool = amount === undefined ? "get_rate" : "convert_currency";
    const what = amount === undefined ? asked : `${amount} by ${asked}`;
    return step({
      kind: tool,
      sentence: `${person}'s agent asks ${tool} for ${what} with key ${keyNumber}`,
      can: (model) => model.key(person, keyNumber) !== undefined,
      async run(model, stage) {
        const given = { ...written(stage, asked, isLoose), ...(amount && { amount }) };
        const answer = await callTool(model, stage, by, tool, given);
        const { result, units } = readInModel(model, person, keyNumber, asked);

        if ("status" in result && result.status === 401) return assertKeyRejected(answer);
        assert.equal(mcp.metaIn(mcp.rpcOf(answer))["kurs/units-charged"], String(units));
        if ("status" in result) {
          const { code, message, quota = {} } = result;
          mcp.assertToolFailure(answer, code, message);
          const envelope = mcp.failureIn(mcp.rpcOf(answer));
          const { code: _code, message: _message, request_id: _id, ...others } = envelope;
          assert.deepEqual(others, quota);
          return code;
        }
        assert.ok(asked !== "bad symbols");
        const value = mcp.valueIn(mcp.rpcOf(answer));
        const rate = rateBody(stage.pairOf(asked), result);
        if (amount === undefined) assert.deepEqual(value, rate);
        else {
          const { result: product } = value;
          assert.deepEqual(value, { ...rate, amount, result: product });
          const exact = millionths(amount) * millionths(result.rate);
          assert.equal(millionths(String(product)) * 1_000_000n, exact);
        }
        return "served";
      },
    });
  });

export const someMcpUsage = fc.record(caller).map((by) => {
  const { person, keyNumber } = by;
  return step({
    kind: "get_usage",
    sentence: `${person}'s agent asks get_usage with key ${keyNumber}`,
    can: (model) => model.key(person, keyNumber) !== undefined,
    async run(model, stage) {
      const answer = await callTool(model, stage, by, "get_usage");
      const account = model.account(person);
      if (model.key(person, keyNumber)?.revokedMs !== undefined) {
        return assertKeyRejected(answer);
      }
      assert.deepEqual(mcp.valueIn(mcp.rpcOf(answer)), usageBody(model, stage, account));
      const session = account.sessions.find((other) => model.isValid(other))?.token;
      if (session === undefined) return "served";
      const rest = await stage.call(by.node, "GET", "/v1/account/usage", { session });
      assertSuccess(rest, 200, usageBody(model, stage, account));
      assert.equal(mcp.rpcOf(answer).result?.content?.[0]?.text, rest.text);
      return "served, as by REST";
    },
  });
});
