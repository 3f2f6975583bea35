import type { Logger } from "pino";
import type { App } from "./app.ts";

/**
 * Logs each answer in one line with its request id. The route's pattern stands for the path: what
 * a client put into a path or a query, a key for instance, reaches no log.
 */
export function logRequests(app: App, log: Logger): void {
  app.addHook("onResponse", (request, reply, done) => {
    log.info({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? "(none)",
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
    });
    done();
  });
}
