import { randomUUIDv7 } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { fastify } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import { createTrust } from "./client-address.ts";
import type { App } from "./fastify.ts";
import { pathOf } from "./request-target.ts";
import { schemaFailure } from "./response/error-handler.ts";
import { setCompilers, withoutCompilers } from "./validation.ts";

const BODY_BYTES_MAX = 16 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;

/** How long a client may take to send a whole request, and its headers. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;

/**
 * A connection on which nothing moves for so long, in either direction, is over; where an answer is
 * not taken, Node looks twice.
 */
const SILENCE_MS = 40_000;

/** The bare server: its limits, its parsers, and what it does with what is no request. */
export function createServer(trustedProxies: readonly string[]): App {
  const app = fastify({
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Node would refuse a request without Host by itself, but not with our envelope.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Without it, who sends requests and never reads an answer keeps both for ever.
    connectionTimeout: SILENCE_MS,
    bodyLimit: BODY_BYTES_MAX,
    // No path parameter is refused for its length: the service judges symbols.
    rewriteUrl: pathOf,
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    trustProxy: trustedProxies.length === 0 ? false : createTrust(trustedProxies),
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    // While it stops, what still comes on an open connection is served.
    return503OnClosing: false,
    // raw-errors.ts listens in its place: it needs the server.
    clientErrorHandler: () => undefined,
    schemaController: withoutCompilers,
    schemaErrorFormatter: (errors) =>
      schemaFailure(errors as unknown as readonly TLocalizedValidationError[]),
  }).withTypeProvider<TypeBoxTypeProvider>();
  setCompilers(app);
  parseJsonOnly(app);
  answerHalfClosed(app);
  return app;
}

/**
 * A client may end its side of the connection once its request is sent, and wait for the answer. By
 * default Node's server cuts off what is under way then: what was charged or stored would have no
 * answer. The property is Node's own, but stands in no documentation.
 */
function answerHalfClosed({ server }: Pick<App, "server">): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** An empty body is none, as of clients that state a type on every request. */
function parseJsonOnly(app: App): void {
  app.removeContentTypeParser(["text/plain", "application/json"]);
  const parseJson = app.getDefaultJsonParser("error", "error");
  const options = { parseAs: "string" } as const;
  app.addContentTypeParser("application/json", options, (request, body: string, done) =>
    body === "" ? done(null, undefined) : parseJson(request, body, done),
  );
}
