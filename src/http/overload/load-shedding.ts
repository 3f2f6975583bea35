import type { PaceRejection } from "../../async/rejection-pacer.ts";
import { type Failure, serviceOverloaded } from "../../shared/failure.ts";
import type { App } from "../fastify.ts";
import type { SendFailure } from "../response/reply.ts";
import type { Exchanges } from "../server/exchanges.ts";
import type { AdmitRequest } from "./loop-budget.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's failure under overload. */
    overloadFailure?: Failure;
    /** Whether load shedding exempts the route. */
    isNeverShed?: boolean;
  }
}

/**
 * Requests in flight on one connection, when a client pipelines them. Without a limit one such
 * client would use up the capacity of all connections: 20,000 reads at once on one caused others to
 * be rejected, and so did two such clients with 500 each on a busy machine.
 */
const MAX_PIPELINED_REQUESTS = 200;

/**
 * Rejects requests beyond the event-loop iteration's budget, and requests pipelined too far ahead,
 * before anything else reads them.
 */
export function addLoadShedding(
  app: App,
  deps: {
    readonly admit: AdmitRequest;
    readonly paceRejection: PaceRejection;
    readonly sendFailure: SendFailure;
    readonly exchanges: Exchanges;
  },
): void {
  const { admit, paceRejection, sendFailure, exchanges } = deps;

  app.addHook("onRequest", (request, reply, done) => {
    const { overloadFailure = serviceOverloaded, isNeverShed } = request.routeOptions.config;
    const count = exchanges.countOf(request.raw.socket);
    const reject = () => sendFailure(request, reply, overloadFailure);
    // Soon: unsent responses queue behind those in flight, so that node:http stops reading. But not
    // within its parser, which would treat that as a client error.
    if (count > MAX_PIPELINED_REQUESTS) process.nextTick(reject);
    else if (admit(request.arrivedMs) || isNeverShed) done();
    else paceRejection(reject);
  });
}
