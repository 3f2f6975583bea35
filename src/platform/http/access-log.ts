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
  /** Whether the connection closed before the response was written whole. */
  readonly isCutOff?: boolean;
}

/** Logs a response in one line with its request id, and with its key or its session's account. */
export type LogAccess = (
  request: LoggedRequest,
  status: number,
  code: FailureCode | undefined,
  caller?: Caller,
) => void;

export function loggedRequest(
  request: FastifyRequest,
  isCutOff = request.raw.socket.destroyed,
): LoggedRequest {
  const { id, method, arrivedMs } = request;
  const route = routeOf(request).url ?? "(none)";
  const accountId = request.accountId ?? undefined;
  const traceId = traceIdOf(request.headers.traceparent);
  return { id, method, route, arrivedMs, servedBy: "node_http", accountId, traceId, isCutOff };
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
  /** Gets every response, also those below the log's level. */
  readonly observe?: ObserveResponse | undefined;
}): LogAccess {
  const { log, logDestination, clock, observe = () => undefined } = deps;
  if (!log.isLevelEnabled("info")) return observe;
  let nowMs = Number.NaN;
  let start = "";
  let lines = "";
  const flush = () => {
    logDestination.write(lines);
    lines = "";
  };

  return (request, status, code, caller) => {
    const { id, method, route, arrivedMs, accountId, traceId, isCutOff } = request;
    if (nowMs !== clock.nowMs()) {
      nowMs = clock.nowMs();
      start = `{"level":"info","time":"${timestamp(nowMs)}","request_id":"`;
    }
    const trace = traceId === undefined ? "" : `,"trace_id":"${traceId}"`;
    const end = isCutOff === true ? `${trace},"cut_off":true}\n` : `${trace}}\n`;
    const microseconds = Math.round((performance.now() - arrivedMs) * 1000);
    // Runs after all responses of a batch, and before any code that reads them.
    if (lines === "") process.nextTick(flush);
    lines +=
      `${start}${id}","method":"${method}","route":"${route}",` +
      `"status":${status},"duration_us":${microseconds}${calledBy(caller, accountId)}${end}`;
    observe(request, status, code);
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
