import type { ObserveResponse } from "../http/access-log.ts";
import type { ObserveToolCall } from "../mcp/call-tool.ts";
import type { ObserveBatch } from "../metering/batch/batcher.ts";

// Who counts is told of what happens by these. Without metrics there is nobody to tell, and the
// ways of requests and batches are as if these did not exist.

export interface Observers {
  readonly observeAnswer: ObserveResponse;
  readonly observeCall: ObserveToolCall;
  readonly observeBatch: ObserveBatch;
}
