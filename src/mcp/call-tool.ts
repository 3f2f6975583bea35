import type { Logger } from "pino";
import { logFailure } from "../log/log.ts";
import { Failure, type FailureCode, toFailure } from "../shared/failure.ts";
import { failureJson } from "../shared/failure-json.ts";
import type { McpRequest } from "./request.ts";
import type { Arguments, Tool } from "./tools.ts";

/** The result of a call, the same for both implementations. */
export interface ToolResult {
  /** JSON: the tool's value, or the failure's envelope. */
  readonly text: string;
  /**
   * Whether the tool failed. Then the result has no structured content: clients reject content that
   * violates the output schema.
   */
  readonly isError: boolean;
  /** The JSON of its `_meta`; undefined: none. */
  readonly meta: string | undefined;
}

/**
 * Calls a tool for a request.
 *
 * @throws {Failure} `unauthorized`, which fails the whole request.
 */
export type CallTool = (tool: Tool, request: McpRequest, args: Arguments) => Promise<ToolResult>;

export function createCallTool(log: Logger, observe?: ObserveToolCall): CallTool {
  return (tool, { apiKey, requestId }, args) => {
    const fail = (failure: Failure): ToolResult => {
      if (failure.code === "unauthorized") throw failure;
      observe?.(tool.name, failure.code);
      logFailure(log, failure, requestId);
      const text = JSON.stringify(failureJson(failure, requestId));
      return { text, isError: true, meta: undefined };
    };
    return tool.run(apiKey, args).then(
      (outcome) => {
        if (outcome instanceof Failure) return fail(outcome);
        observe?.(tool.name, undefined);
        return { text: outcome.text, isError: false, meta: outcome.meta };
      },
      (error: unknown) => fail(toFailure(error)),
    );
  };
}

/** Called for each MCP tool call; `code` is the failure's. */
export type ObserveToolCall = (tool: string, code: FailureCode | undefined) => void;
