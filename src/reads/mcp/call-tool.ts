import type { Logger } from "pino";
import { UNITS_CHARGED } from "../../platform/http/headers.ts";
import { logFailure } from "../../platform/log/log.ts";
import { Failure, type FailureCode, toFailure } from "../../platform/shared/failure.ts";
import { failureJson } from "../../platform/shared/failure-json.ts";
import type { UnitsCharged } from "../metering/read-rate.ts";
import type { McpRequest } from "./request.ts";
import type { Arguments, Tool } from "./tools.ts";

/** The result of a call, the same for both implementations. */
export interface ToolResult {
  /** JSON: the tool's value, or the failure's envelope. */
  readonly text: string;
  /**
   * A text of its own beside the JSON, whose form is fixed: the way out of a failure, or the date
   * of an earlier figure.
   */
  readonly note?: string | undefined;
  /**
   * Whether the tool failed. Then the result has no structured content: clients reject content that
   * violates the output schema.
   */
  readonly isError: boolean;
  /** The JSON of its `_meta`: what the call cost, and what a read's headers say over REST. */
  readonly meta: string;
}

/**
 * Calls a tool for a request.
 *
 * @throws {Failure} `unauthorized`, which fails the whole request.
 */
export type CallTool = (tool: Tool, request: McpRequest, args: Arguments) => Promise<ToolResult>;

export function createCallTool(log: Logger, observe?: ObserveToolCall): CallTool {
  return (tool, { apiKey, requestId, identify }, args) => {
    const fail = (failure: Failure, meta: string): ToolResult => {
      if (failure.code === "unauthorized") throw failure;
      observe?.(tool.name, failure.code);
      logFailure(log, failure, requestId);
      const text = JSON.stringify(failureJson(failure, requestId));
      const note = failure.help && `${failure.help.text}: ${failure.help.url}`;
      return { text, note, isError: true, meta };
    };
    return tool.run(apiKey, args).then(
      ({ result, note, headers, unitsCharged, caller }) => {
        identify?.(caller);
        const meta = metaJson(unitsCharged, headers);
        if (result instanceof Failure) return fail(result, meta);
        observe?.(tool.name, undefined);
        return { text: result, note, isError: false, meta };
      },
      // Reads return their failures: this one comes from work that is never charged.
      (error: unknown) => fail(toFailure(error), metaJson(0, [])),
    );
  };
}

/** What the headers of a read say, under `kurs/units-charged`, `kurs/rate-source` and so on. */
function metaJson(unitsCharged: UnitsCharged, headers: readonly string[]): string {
  const meta: Record<string, string> = {};
  if (unitsCharged !== undefined) meta[`kurs/${UNITS_CHARGED}`] = String(unitsCharged);
  for (let index = 0; index < headers.length; index += 2) {
    meta[`kurs/${headers[index]}`] = headers[index + 1] ?? "";
  }
  return JSON.stringify(meta);
}

/** Called for each MCP tool call; `code` is the failure's. */
export type ObserveToolCall = (tool: string, code: FailureCode | undefined) => void;
