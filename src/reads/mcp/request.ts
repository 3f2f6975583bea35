import type { IncomingHttpHeaders } from "node:http";
import type { UnpaidResponse } from "../../platform/http/unpaid-responses.ts";
import type { Caller } from "../../platform/shared/caller.ts";

export const MCP_ROUTE = "/v1/mcp";

/** The parts of an HTTP request that MCP uses (a POST with a JSON body). */
export interface McpRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly body: string;
  readonly apiKey: string | undefined;
  readonly requestId: string;
  /** Called with the request's key once it is checked, for the log line. */
  readonly identify?: (caller: Caller | undefined) => void;
  /**
   * Waits before a response that may cost no unit. Undefined on the fast path, which serves only
   * short calls of tools, and one request of a connection at a time.
   */
  readonly awaitUnpaid?: () => Promise<UnpaidResponse>;
}

export interface McpResponse {
  readonly status: number;
  /** JSON; empty without a message, as for a notification. */
  readonly body: string;
}

/**
 * Handles one message or a batch; the response body reports errors of single messages.
 *
 * @throws {Failure} for the whole request, which gets its status and envelope.
 */
export type HandleMcpRequest = (request: McpRequest) => Promise<McpResponse>;

/** Whether a parsed JSON value is an object, and neither array nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
