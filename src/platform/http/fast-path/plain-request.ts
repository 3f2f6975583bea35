import type { Failure } from "../../shared/failure.ts";
import type { HttpResponse } from "../response/response.ts";
import type { ResponseForm } from "../response/serialize.ts";

/** A request that the fast path understands completely. */
export interface PlainRequest extends ResponseForm {
  /** Whether the client wants the connection closed after the response. */
  readonly isLast: boolean;
  /** The route's pattern, as logged. */
  readonly route: string;
  /** The trace that the client's tracer names. */
  readonly traceId: string | undefined;
  readonly respond: (requestId: string) => Promise<HttpResponse>;
  /** Its failure under overload. */
  readonly overloadFailure: Failure;
  /** The headers of that failure: alternating names and values. */
  readonly failureHeaders: readonly string[];
}

/** @returns `undefined` for bytes that are not exactly one plain request. */
export type ParsePlainRequest = (bytes: Buffer) => PlainRequest | undefined;
