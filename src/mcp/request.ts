import type { IncomingHttpHeaders } from "node:http";
import type { Failure } from "../shared/failure.ts";

/** What the Model Context Protocol sees of an HTTP request (a POST with a body of JSON). */
export interface McpRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly body: string;
  readonly apiKey: string | undefined;
  readonly requestId: string;
}

export interface McpResponse {
  readonly status: number;
  /** JSON; empty where there is nothing to say, as to a notification. */
  readonly body: string;
}

/**
 * Answers one message, or a batch of them. A failure is of the request as a whole, and told by the
 * status and the envelope; what goes wrong within a message is told inside the answer.
 */
export type HandleMcpRequest = (request: McpRequest) => Promise<McpResponse | Failure>;
