import type { FastifyRequest } from "fastify";
import type { DestinationStream, Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import type { FailureCode } from "../shared/failure.ts";
import { timestamp } from "../shared/instant.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request's headers had arrived, on the monotonic clock, in milliseconds. */
    arrivedMs: number;
    /** Of the failure that is answered; `null` as long as none is. */
    failureCode: FailureCode | null;
  }
}

/** What a line of the log says of a request. */
export interface LoggedRequest extends ObservedRequest {
  readonly id: string;
}

/** Logs an answer in one line with its request id. */
export type LogAccess = (
  request: LoggedRequest,
  status: number,
  code: FailureCode | undefined,
) => void;

/** Tells an observer of what is logged, too; without one, logging is as it was. */
export function observed(logAnswer: LogAccess, observe: ObserveResponse | undefined): LogAccess {
  if (observe === undefined) return logAnswer;
  return (request, status, code) => {
    logAnswer(request, status, code);
    observe(request, status, code);
  };
}

export function loggedRequest(request: FastifyRequest): LoggedRequest {
  const { id, method, routeOptions, arrivedMs } = request;
  return { id, method, route: routeOptions.url ?? "(none)", arrivedMs };
}

/** The level of a line about an answer, as pino numbers it. */
const INFO = 30;

/**
 * Makes the log of answers. Every metered read writes a line, so it is put together here and not
 * by pino, and the lines of one batch are written together. The route's pattern stands for the
 * path: what a client put into a path or a query, a key for instance, reaches no log.
 */
export function createAccessLog(uses: {
  readonly log: Logger;
  readonly logDestination: DestinationStream;
  readonly clock: Clock;
}): LogAccess {
  const { log, logDestination, clock } = uses;
  if (!log.isLevelEnabled("info")) return () => undefined;
  let nowMs = Number.NaN;
  let start = "";
  let lines = "";
  const flush = () => {
    logDestination.write(lines);
    lines = "";
  };

  return ({ id, method, route, arrivedMs }, status) => {
    if (nowMs !== clock.nowMs()) {
      nowMs = clock.nowMs();
      start = `{"level":${INFO},"time":"${timestamp(nowMs)}","request_id":"`;
    }
    const microseconds = Math.round((performance.now() - arrivedMs) * 1000);
    // After all answers of a batch, and before any of their readers can run.
    if (lines === "") process.nextTick(flush);
    lines +=
      `${start}${id}","method":"${method}","route":"${route}",` +
      `"status":${status},"duration_us":${microseconds}}\n`;
  };
}

/** What is told of a request. */
export interface ObservedRequest {
  readonly method: string;
  /** The pattern of its path. */
  readonly route: string;
  /** When its headers had arrived, on the monotonic clock; NaN for what never became a request. */
  readonly arrivedMs: number;
}

/** Is told of each answer at the moment that it leaves; `code` is that of a failure. */
export type ObserveResponse = (
  request: ObservedRequest,
  status: number,
  code: FailureCode | undefined,
) => void;
