import type { FastifyContextConfig, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { Failure } from "../shared/failure.ts";
import type { App } from "./fastify.ts";
import { preflightHeaders } from "./headers.ts";
import { METHODS } from "./node-http.ts";
import { sendFailure } from "./response/error-handler.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Checks requests with other methods on this path before they are rejected with 405. */
    beforeOtherMethod?: (request: FastifyRequest) => Promise<void>;
  }
}

/** Every method of Node's request event. CONNECT has an event of its own. */
const allMethods = METHODS.filter((method) => method !== "CONNECT") as HTTPMethods[];

/**
 * Makes every known path respond to every other method: 405 with Allow, or 204 to a true preflight,
 * before a credential is required or a body read.
 *
 * @returns a function that registers these routes; call it after all others are registered.
 */
export function createMethodNotAllowedRoutes(app: App): () => void {
  for (const method of allMethods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  const configOf = new Map<string, FastifyContextConfig>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    configOf.set(url, config);
    const methods = methodsOf.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name as HTTPMethods);
    methodsOf.set(url, methods);
  });

  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allowed = [...methods].sort().join(", ");
      const { challenge, beforeOtherMethod } = configOf.get(url) ?? {};
      app.route({
        url,
        method: allMethods.filter((method) => !methods.has(method)),
        schema: { hide: true },
        config: challenge === undefined ? {} : { challenge },
        onRequest: async (request, reply) => {
          if (!isPreflight(request)) await beforeOtherMethod?.(request);
          return replyMethodNotAllowed(request, reply, allowed);
        },
        handler: () => undefined,
      });
    }
  };
}

function replyMethodNotAllowed(request: FastifyRequest, reply: FastifyReply, allowed: string) {
  if (isPreflight(request)) return answerPreflight(reply, allowed);
  reply.header("allow", allowed);
  const failure = new Failure("method_not_allowed", `This path supports ${allowed} only.`);
  return sendFailure(request, reply, failure);
}

/** Allows the actual request, whose own response reports any failure. */
export function answerPreflight(reply: FastifyReply, allowed: string) {
  return reply
    .code(204)
    .headers({ ...preflightHeaders, "access-control-allow-methods": allowed })
    .send();
}

/** Whether it is a CORS-preflight request (Fetch standard). */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}
