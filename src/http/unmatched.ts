import type { FastifyContextConfig, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { Failure } from "../shared/failure.ts";
import type { App } from "./fastify.ts";
import { preflightHeaders } from "./headers.ts";
import { METHODS } from "./node-http.ts";
import { sendFailure } from "./response/error-handler.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a request with another method has to pass on this path before it is rejected. */
    beforeOtherMethod?: (request: FastifyRequest) => Promise<void>;
  }
}

/** Every method that Node's server hands on. CONNECT never comes as a request. */
const allMethods = METHODS.filter((method) => method !== "CONNECT") as HTTPMethods[];

/**
 * Makes every known path answer every other method: 405 with Allow, and 204 to a true preflight,
 * before a credential is asked for or a body read.
 *
 * @returns what registers these answers, to be called when all routes are there.
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
  const failure = new Failure("method_not_allowed", `This path answers ${allowed} only.`);
  return sendFailure(request, reply, failure);
}

/** Lets a page's call come: what is wrong with it, the call itself is told. */
export function answerPreflight(reply: FastifyReply, allowed: string) {
  return reply
    .code(204)
    .headers({ ...preflightHeaders, "access-control-allow-methods": allowed })
    .send();
}

/** Whether a browser asks if a page may call (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}
