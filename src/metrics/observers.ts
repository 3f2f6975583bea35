import type { ObserveResponse } from "../http/access-log.ts";
import type { ObserveToolCall } from "../mcp/call-tool.ts";
import type { ObserveBatch } from "../metering/batch/batcher.ts";

// Metrics subscribe through these callbacks. Without metrics they are undefined, and requests and
// batches run no extra code.

export interface Observers {
  readonly observeAnswer: ObserveResponse;
  readonly observeCall: ObserveToolCall;
  readonly observeBatch: ObserveBatch;
}
