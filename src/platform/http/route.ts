import type { FastifyContextConfig, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The path that a request with an unsupported method names; null for every other request. */
    knownPath: Route | null;
  }
}

/** How the requests of a path are treated. */
export interface Route {
  /** The path's pattern, such as `/v1/rates/:base/:quote`; undefined for an unknown path. */
  readonly url?: string | undefined;
  readonly config: FastifyContextConfig;
}

/** @returns the route of a request, also if its path does not support its method. */
export function routeOf({ knownPath, routeOptions }: FastifyRequest): Route {
  return knownPath ?? routeOptions;
}

/** The methods that routes may have, and OPTIONS, which every path has for preflights. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Whether routes may have a method; a client may send any other, too. */
export function isKnownMethod(method: string): boolean {
  return methods.has(method);
}
