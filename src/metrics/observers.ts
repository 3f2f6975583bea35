import type { RateReadOutcome } from "../accounts/store.ts";
import type { FailureCode } from "../shared/failure.ts";

// Who counts is told of what happens by these. Without metrics there is nobody to tell, and the
// ways of requests and batches are as if these did not exist.

/** What is told of a request. */
export interface ObservedRequest {
  readonly method: string;
  /** The pattern of its path. */
  readonly route: string;
  /** When its headers had arrived, on the monotonic clock; NaN for what never became a request. */
  readonly arrivedMs: number;
}

/** Is told of each answer at the moment that it leaves; `code` is that of a failure. */
export type ObserveAnswer = (
  request: ObservedRequest,
  status: number,
  code: FailureCode | undefined,
) => void;

/** Is told of each call of a tool of MCP and, where it failed, of the code. */
export type ObserveCall = (tool: string, code: FailureCode | undefined) => void;

/**
 * Is told of each batch of metered reads.
 *
 * @param outcomes undefined when the store failed.
 * @param seconds until it was on disk, or had failed.
 */
export type ObserveBatch = (
  reads: number,
  outcomes: readonly RateReadOutcome[] | undefined,
  seconds: number,
) => void;

export interface Observers {
  readonly observeAnswer: ObserveAnswer;
  readonly observeCall: ObserveCall;
  readonly observeBatch: ObserveBatch;
}
