import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import { logFailure } from "../log/log.ts";
import { Failure, type FailureCode, toFailure } from "../shared/failure.ts";
import { failureJson } from "../shared/failure-json.ts";
import type { McpRequest } from "./request.ts";
import type { Arguments, Tool } from "./tools.ts";

/**
 * Calls a tool for a request. A failure has no structured content: clients reject content that
 * violates the output schema.
 *
 * @returns the result, with its members in the SDK's order.
 * @throws {Failure} `unauthorized`, which fails the whole request.
 */
export type CallTool = (
  tool: Tool,
  request: McpRequest,
  args: Arguments,
) => Promise<CallToolResult>;

export function createCallTool(log: Logger, observe?: ObserveToolCall): CallTool {
  return async (tool, { apiKey, requestId }, args) => {
    const outcome = await tool.run(apiKey, args).catch(toFailure);
    if (!(outcome instanceof Failure)) {
      const { value, meta } = outcome;
      observe?.(tool.name, undefined);
      const text = JSON.stringify(value);
      const result = {
        content: [{ type: "text" as const, text }],
        structuredContent: { ...value },
      };
      return meta === undefined ? result : { _meta: { ...meta }, ...result };
    }
    if (outcome.code === "unauthorized") throw outcome;
    observe?.(tool.name, outcome.code);
    logFailure(log, outcome, requestId);
    const text = JSON.stringify(failureJson(outcome, requestId));
    return { content: [{ type: "text", text }], isError: true };
  };
}

/** Called for each MCP tool call; `code` is the failure's. */
export type ObserveToolCall = (tool: string, code: FailureCode | undefined) => void;
