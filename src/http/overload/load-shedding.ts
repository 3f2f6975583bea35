import type { PaceRejection } from "../../async/rejection-pacer.ts";
import { type Failure, serviceOverloaded } from "../../shared/failure.ts";
import type { Exchanges } from "../exchanges.ts";
import type { App } from "../fastify.ts";
import { errorResponse } from "../response/error-handler.ts";
import type { SendResponse } from "../response/reply.ts";
import type { AdmitRequest } from "./loop-budget.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route answers when too much is asked at once; none: it answers all the same. */
    busy?: Failure | "never";
  }
}

/**
 * Requests of one connection that are under way at once, where a client sends on without waiting
 * for answers. Without a limit one such client would take what all connections share: 20,000 reads
 * at once on one had others refused, and so had two such clients with 500 each on a busy machine.
 */
const MAX_PIPELINED_REQUESTS = 200;

/**
 * Refuses what a turn of the event loop has no room for, and what one connection asks for too far
 * ahead, before anything of it is looked at.
 */
export function addLoadShedding(
  app: App,
  uses: {
    readonly takeIn: AdmitRequest;
    readonly refuseLater: PaceRejection;
    readonly write: SendResponse;
    readonly exchanges: Exchanges;
  },
): void {
  const { takeIn, refuseLater, write, exchanges } = uses;

  app.addHook("onRequest", (request, reply, done) => {
    const { busy = serviceOverloaded, challenge = "Session" } = request.routeOptions.config;
    const count = exchanges.countOf(request.raw.socket);
    const refuse = () => {
      const failure = busy === "never" ? serviceOverloaded : busy;
      write(request, reply, errorResponse(failure, request.id, challenge));
    };
    // Soon: unsent answers pile up behind those under way, so that node:http reads no further. But
    // not within its parser, which would take that for an error of the client's.
    if (count > MAX_PIPELINED_REQUESTS) process.nextTick(refuse);
    else if (takeIn(request.arrivedMs) || busy === "never") done();
    else refuseLater(refuse);
  });
}
