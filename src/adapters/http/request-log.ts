import type { FastifyRequest } from "fastify";
import type { DestinationStream, Logger } from "pino";
import type { Clock } from "../../application/ports.ts";
import { timestamp } from "../../domain/instant.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request's headers had arrived, on the monotonic clock, in milliseconds. */
    arrivedMs: number;
  }
}

/** Logs an answer in one line with its request id. */
export type LogAnswer = (request: FastifyRequest, status: number) => void;

/** The level of a line about an answer, as pino numbers it. */
const INFO = 30;

/**
 * Makes the log of answers. Every metered read writes a line, so it is put together here and not
 * by pino, and the lines of one batch are written together. The route's pattern stands for the
 * path: what a client put into a path or a query, a key for instance, reaches no log.
 */
export function createAnswerLog(uses: {
  readonly log: Logger;
  readonly logDestination: DestinationStream;
  readonly clock: Clock;
}): LogAnswer {
  const { log, logDestination, clock } = uses;
  if (!log.isLevelEnabled("info")) return () => undefined;
  let nowMs = Number.NaN;
  let start = "";
  let lines = "";
  const flush = () => {
    logDestination.write(lines);
    lines = "";
  };

  return (request, status) => {
    if (nowMs !== clock.nowMs()) {
      nowMs = clock.nowMs();
      start = `{"level":${INFO},"time":"${timestamp(nowMs)}","request_id":"`;
    }
    const route = request.routeOptions.url ?? "(none)";
    const microseconds = Math.round((performance.now() - request.arrivedMs) * 1000);
    // After all answers of a batch, and before any of their readers can run.
    if (lines === "") process.nextTick(flush);
    lines +=
      `${start}${request.id}","method":"${request.method}","route":"${route}",` +
      `"status":${status},"duration_us":${microseconds}}\n`;
  };
}
