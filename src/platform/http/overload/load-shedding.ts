import type { PaceRejection } from "../../async/rejection-pacer.ts";
import { type Failure, serviceOverloaded } from "../../shared/failure.ts";
import type { App } from "../fastify.ts";
import type { SendFailure } from "../response/reply.ts";
import type { AdmitRequest } from "./loop-budget.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's failure under overload. */
    overloadFailure?: Failure;
    /** Whether load shedding exempts the route. */
    isNeverShed?: boolean;
  }
}

/** Rejects requests beyond the event-loop iteration's budget, before anything else reads them. */
export function addLoadShedding(
  app: App,
  deps: {
    readonly admit: AdmitRequest;
    readonly paceRejection: PaceRejection;
    readonly sendFailure: SendFailure;
  },
): void {
  const { admit, paceRejection, sendFailure } = deps;

  app.addHook("onRequest", (request, reply, done) => {
    const { overloadFailure = serviceOverloaded, isNeverShed } = request.routeOptions.config;
    if (admit(request.arrivedMs) || isNeverShed) done();
    else paceRejection(() => sendFailure(request, reply, overloadFailure));
  });
}
