import { type Failure, serviceBusy } from "../../domain/failure.ts";
import type { RefuseLater } from "../refuse-later.ts";
import type { WriteAnswer } from "./answers.ts";
import type { App } from "./app.ts";
import { wholeFailure } from "./failures.ts";
import type { TakeIn } from "./turn.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route answers when too much is asked at once; none: it answers all the same. */
    busy?: Failure | "never";
  }
}

/** Refuses what a turn of the event loop has no room for, before anything of it is looked at. */
export function shedLoad(
  app: App,
  uses: {
    readonly takeIn: TakeIn;
    readonly refuseLater: RefuseLater;
    readonly write: WriteAnswer;
  },
): void {
  const { takeIn, refuseLater, write } = uses;
  app.addHook("onRequest", (request, reply, done) => {
    const { busy = serviceBusy, challenge = "Session" } = request.routeOptions.config;
    if (takeIn(request.arrivedMs) || busy === "never") done();
    else {
      const refusal = wholeFailure(busy, request.id, challenge);
      refuseLater(() => write(request, reply, refusal));
    }
  });
}
