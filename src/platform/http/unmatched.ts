import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import findMyWay from "find-my-way";
import { Failure } from "../shared/failure.ts";
import { HOST } from "./fast-path/grammar.ts";
import type { App } from "./fastify.ts";
import { isRepeated, preflightHeaders } from "./headers.ts";
import type { ReplyWriter } from "./response/reply.ts";
import type { HttpResponse } from "./response/response.ts";
import type { Route } from "./route.ts";
import { isWellFramed } from "./server/exchanges.ts";
import { routerOptions } from "./server/server.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Checks requests with other methods on this path before they are rejected with 405. */
    beforeOtherMethod?: (request: FastifyRequest) => Promise<void>;
  }
}

/** A path of the service, with the methods that it supports, for Allow. */
interface KnownPath extends Route {
  readonly allowed: string;
}

/** Finds the known path that a request's target names. */
type FindKnownPath = (target: string) => KnownPath | undefined;

export interface Rejection {
  readonly failure: Failure;
  /** Further headers, alternating names and values. */
  readonly headers?: readonly string[];
}

/** The rejection of a method that no path supports. */
export type RejectUnmatched = (target: string) => Rejection;

/**
 * Collects every path that is registered from now on.
 *
 * Fastify could match a route for each path and unsupported method itself, but its router compiles
 * all paths for each of 34 methods: 50 ms and 8 MiB of a start. This router has one method, which
 * stands for all, and is made when the first request needs it.
 */
function collectKnownPaths(app: App): FindKnownPath {
  const routes = new Map<string, Route & { readonly methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    const methods = routes.get(url)?.methods ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    routes.set(url, { url, config, methods });
  });

  const createRouter = () => {
    const router = findMyWay(routerOptions);
    for (const [url, { config, methods }] of routes) {
      const known: KnownPath = { url, config, allowed: [...methods].sort().join(", ") };
      router.on("GET", url, () => undefined, known);
    }
    return router;
  };
  let router: ReturnType<typeof createRouter> | undefined;
  return (target) => {
    router ??= createRouter();
    return router.find("GET", target)?.store;
  };
}

/** Allows the actual request, whose own response reports any failure. */
function preflightResponse(allowed: string): HttpResponse {
  const headers = [...preflightHeaders, "access-control-allow-methods", allowed];
  return { status: 204, code: undefined, headers, body: "" };
}

/** Whether it is a CORS-preflight request (Fetch standard). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}

const NOTHING = "There is nothing at this path.";
const unknownPath = new Failure("not_found", NOTHING);
const noOAuth = new Failure(
  "not_found",
  "Kurs has no OAuth. Send the header Authorization: ApiKey svc_live_...",
  { oauthError: "invalid_request" },
);
const hostMissing = new Failure("invalid_request", "The Host header is missing.");
const hostTwice = new Failure("invalid_request", "The request has more than one Host header.");
const hostInvalid = new Failure("invalid_request", "The Host header is not a host name and port.");
const badlyFramed = new Failure(
  "invalid_request",
  "The request is not HTTP/1.1 or 1.0, or has a transfer coding other than chunked in HTTP/1.1.",
);
const hasFragment = new Failure(
  "invalid_request",
  "The request target must not have a fragment. Send a # in a path as %23.",
);

/**
 * Where MCP clients look for OAuth after a 401 (RFC 8414, RFC 9728, RFC 7591, OpenID Connect
 * Discovery), and where they go without having found it. Several show the message of the 404 to
 * the user, so it says what to do instead.
 */
const oauthPath = /^\/(?:register|authorize|token)(?:\?|$)|\/\.well-known\/(?:oauth|openid)-/;

/** The paths of the API, and a guess at one. */
const apiPath = /^\/(?:v1|mcp)(?:[/?]|$)/;

const host = new RegExp(`^${HOST}$`);

/**
 * Rejects a malformed request target or Host, an unknown path, and every method that a path does
 * not support, before a credential is required or a body read: 405 with Allow, or 204 to a true
 * preflight. Call it before any route is registered.
 *
 * @param publicPath the path that a proxy puts before all others.
 * @param notFoundPage returns what a browser gets at an unknown path; undefined: the failure.
 * @returns the rejection of requests that the router does not get.
 */
export function addUnmatchedHandling(
  app: App,
  { send, sendFailure, sendPage }: ReplyWriter,
  publicPath: string,
  notFoundPage: (request: FastifyRequest) => string | undefined,
): RejectUnmatched {
  const findKnownPath = collectKnownPaths(app);
  const described = `${publicPath}/docs and ${publicPath}/openapi.json describe the API.`;
  const unknownOfApi = new Failure("not_found", `${NOTHING} ${described}`);
  const unknownAt = (target: string) => (apiPath.test(target) ? unknownOfApi : unknownPath);
  app.decorateRequest("knownPath", null);
  app.addHook("onRequest", (request, reply, done) => {
    const known = request.is404 ? findKnownPath(request.url) : undefined;
    request.knownPath = known ?? null;
    const isFramed = isWellFramed(request.raw);
    const malformed = isFramed
      ? (malformedTarget(request) ?? malformedHost(request.raw))
      : badlyFramed;
    if (malformed !== undefined) return sendFailure(request, reply, malformed);
    if (!request.is404) return done();
    if (isPreflight(request)) {
      return send(request, reply, preflightResponse(known?.allowed ?? "GET, HEAD, POST, DELETE"));
    }
    if (known !== undefined) return rejectMethod(request, reply, known, done);
    rejectPath(request, reply);
  });

  const rejectPath = (request: FastifyRequest, reply: FastifyReply) => {
    const { url } = request;
    const failure = oauthPath.test(url) ? noOAuth : unknownAt(url);
    // MCP clients send their user's browser to /authorize: it shows the message, too.
    const isLogIn = failure === noOAuth && url.startsWith("/authorize");
    const page = isLogIn ? undefined : notFoundPage(request);
    if (page !== undefined) sendPage(request, reply, page);
    else sendFailure(request, reply, failure);
  };
  // Of a route for all paths of a folder, which calls reply.callNotFound.
  app.setNotFoundHandler(rejectPath);
  const rejectMethod = (
    request: FastifyRequest,
    reply: FastifyReply,
    known: KnownPath,
    done: (error: Error) => void,
  ) => {
    const reject = () => {
      const { failure, headers } = methodRejected(known);
      sendFailure(request, reply, failure, headers);
    };
    const { beforeOtherMethod } = known.config;
    if (beforeOtherMethod === undefined) reject();
    else beforeOtherMethod(request).then(reject, done);
  };

  return (target) => {
    const known = findKnownPath(target);
    return known === undefined ? { failure: unknownAt(target) } : methodRejected(known);
  };
}

function methodRejected({ allowed }: KnownPath): Rejection {
  const failure = new Failure("method_not_allowed", `This path supports ${allowed} only.`);
  return { failure, headers: ["allow", allowed] };
}

/** Clients do not send a URI's fragment (RFC 9110, section 7.1). */
function malformedTarget({ originalUrl }: FastifyRequest): Failure | undefined {
  return originalUrl.includes("#") ? hasFragment : undefined;
}

/** RFC 9112, section 3.2: no Host (in HTTP/1.1), two of them, or an invalid one is 400. */
function malformedHost(request: IncomingMessage): Failure | undefined {
  const { headers, httpVersion } = request;
  if (headers.host === undefined) return httpVersion === "1.1" ? hostMissing : undefined;
  if (!host.test(headers.host)) return hostInvalid;
  return isRepeated(request, "host") ? hostTwice : undefined;
}
