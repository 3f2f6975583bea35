import type { FastifyRequest } from "fastify";
import type { DestinationStream, Logger } from "pino";
import { traceIdOf } from "../log/trace-context.ts";
import type { Caller } from "../shared/caller.ts";
import type { Clock } from "../shared/clock.ts";
import type { FailureCode } from "../shared/failure.ts";
import { timestamp } from "../shared/instant.ts";
import { routeOf } from "./route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Arrival of the request's headers on the monotonic clock, in milliseconds. */
    arrivedMs: number;
  }
}

/** The request data in an access-log line. */
export interface LoggedRequest extends ObservedRequest {
  readonly id: string;
  /** The session's account; unset for any other request. */
  readonly accountId?: string | undefined;
  /** The trace that the client's tracer names. */
  readonly traceId: string | undefined;
}

/** Logs a response in one line with its request id, and with its key or its session's account. */
export type LogAccess = (
  request: LoggedRequest,
  status: number,
  code: FailureCode | undefined,
  caller?: Caller,
) => void;

/** Also reports every logged response to the observer, if there is one. */
export function withObserver(
  logAccess: LogAccess,
  observe: ObserveResponse | undefined,
): LogAccess {
  if (observe === undefined) return logAccess;
  return (request, status, code, caller) => {
    logAccess(request, status, code, caller);
    observe(request, status, code);
  };
}

export function loggedRequest(request: FastifyRequest): LoggedRequest {
  const { id, method, arrivedMs } = request;
  const route = routeOf(request).url ?? "(none)";
  const accountId = request.accountId ?? undefined;
  const traceId = traceIdOf(request.headers.traceparent);
  return { id, method, route, arrivedMs, servedBy: "node_http", accountId, traceId };
}

/**
 * Creates the access log. Every metered read logs a line, so this function builds it instead of
 * pino and writes the lines of one batch together. A line has the route's pattern instead of the
 * path: nothing that a client puts into a path or a query, such as a key, reaches the log.
 */
export function createAccessLog(deps: {
  readonly log: Logger;
  readonly logDestination: DestinationStream;
  readonly clock: Clock;
}): LogAccess {
  const { log, logDestination, clock } = deps;
  if (!log.isLevelEnabled("info")) return () => undefined;
  let nowMs = Number.NaN;
  let start = "";
  let lines = "";
  const flush = () => {
    logDestination.write(lines);
    lines = "";
  };

  return ({ id, method, route, arrivedMs, accountId, traceId }, status, _code, caller) => {
    if (nowMs !== clock.nowMs()) {
      nowMs = clock.nowMs();
      start = `{"level":"info","time":"${timestamp(nowMs)}","request_id":"`;
    }
    const trace = traceId === undefined ? "" : `,"trace_id":"${traceId}"`;
    const microseconds = Math.round((performance.now() - arrivedMs) * 1000);
    // Runs after all responses of a batch, and before any code that reads them.
    if (lines === "") process.nextTick(flush);
    lines +=
      `${start}${id}","method":"${method}","route":"${route}",` +
      `"status":${status},"duration_us":${microseconds}${calledBy(caller, accountId)}${trace}}\n`;
  };
}

/** The end of a line; it has no text that is not checked: a prefix has the form of one. */
function calledBy(caller: Caller | undefined, sessionAccountId: string | undefined): string {
  if (caller === undefined) {
    return sessionAccountId === undefined ? "" : `,"account_id":"${sessionAccountId}"`;
  }
  const { keyPrefix, accountId, rejection } = caller;
  const key = `,"key_prefix":"${keyPrefix}"`;
  const account = accountId === undefined ? "" : `,"account_id":"${accountId}"`;
  return rejection === undefined ? key + account : `${key}${account},"rejected":"${rejection}"`;
}

/** The request data that an observer receives. */
export interface ObservedRequest {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Arrival of its headers on the monotonic clock; NaN for bytes that are not a request. */
  readonly arrivedMs: number;
  readonly servedBy: "fast_path" | "node_http";
}

/** Called for each response when it is sent; `code` is the failure's. */
export type ObserveResponse = (
  request: ObservedRequest,
  status: number,
  code: FailureCode | undefined,
) => void;
