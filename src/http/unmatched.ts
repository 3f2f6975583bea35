import type { IncomingMessage } from "node:http";
import type { FastifyContextConfig, FastifyRequest, HTTPMethods } from "fastify";
import { Failure } from "../shared/failure.ts";
import type { App } from "./fastify.ts";
import { isRepeated, preflightHeaders } from "./headers.ts";
import { METHODS } from "./node-http.ts";
import type { ReplyWriter } from "./response/reply.ts";
import type { HttpResponse } from "./response/response.ts";

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
export function createMethodNotAllowedRoutes(
  app: App,
  { send, sendFailure }: ReplyWriter,
): () => void {
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
          if (isPreflight(request)) return send(request, reply, preflightResponse(allowed));
          await beforeOtherMethod?.(request);
          const failure = new Failure("method_not_allowed", `This path supports ${allowed} only.`);
          sendFailure(request, reply, failure, ["allow", allowed]);
        },
        handler: () => undefined,
      });
    }
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

const unknownPath = new Failure("not_found", "There is nothing at this path.");
const noOAuth = new Failure(
  "not_found",
  "Kurs has no OAuth. Send the header Authorization: ApiKey svc_live_…",
);
const hostMissing = new Failure("invalid_request", "The Host header is missing.");
const hostTwice = new Failure("invalid_request", "The request has more than one Host header.");
const hostInvalid = new Failure("invalid_request", "The Host header is not a host name and port.");
const unknownCoding = new Failure(
  "invalid_request",
  "The request has a transfer coding other than chunked.",
);
const hasFragment = new Failure(
  "invalid_request",
  "The request target must not have a fragment. Send a # in a path as %23.",
);

/**
 * Where MCP clients look for OAuth after a 401 (RFC 8414, RFC 9728, RFC 7591, OpenID Connect
 * Discovery). Several show the message of the 404 to the user, so it says what to do instead.
 */
const oauthPath = /^\/register(?:\?|$)|\/\.well-known\/(?:oauth|openid)-/;

/** A name or an IPv4 address, or an IP literal in brackets (RFC 3986, section 3.2.2). */
const NAME = "(?:[\\w.~!$&'()*+,;=-]|%[\\da-f]{2})*";
const LITERAL = "\\[[\\da-z:.~!$&'()*+,;=_-]+\\]";

/** A host and an optional port (RFC 9110, section 7.2). */
const host = new RegExp(`^(?:${NAME}|${LITERAL})(?::\\d{0,5})?$`, "i");

/**
 * Rejects a malformed request target or Host, and an unknown path before its body is read.
 *
 * @param notFoundPage returns what a browser gets at an unknown path; undefined: the failure.
 */
export function addNotFoundHandling(
  app: App,
  { send, sendFailure, sendPage }: ReplyWriter,
  notFoundPage: (request: FastifyRequest) => string | undefined,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const malformed =
      malformedTarget(request) ?? malformedHost(request.raw) ?? malformedCoding(request);
    if (malformed !== undefined) sendFailure(request, reply, malformed);
    else if (!request.is404) done();
    else if (isPreflight(request)) {
      send(request, reply, preflightResponse("GET, HEAD, POST, DELETE"));
    } else {
      const page = notFoundPage(request);
      if (page !== undefined) sendPage(request, reply, page);
      else sendFailure(request, reply, oauthPath.test(request.url) ? noOAuth : unknownPath);
    }
  });
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

/** Node's parser accepts any list of codings that ends with chunked, but decodes only chunked. */
function malformedCoding({ headers }: FastifyRequest): Failure | undefined {
  const { "transfer-encoding": coding = "chunked" } = headers;
  return coding.toLowerCase() === "chunked" ? undefined : unknownCoding;
}
