import { randomUUIDv7 } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { fastify } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import { createTrust } from "../client-address.ts";
import type { App } from "../fastify.ts";
import { pathOf } from "../request-target.ts";
import { schemaFailure, setCompilers, withoutCompilers } from "../validation.ts";

/** The maximum length of a body, where a route states no other. */
export const BODY_BYTES_MAX = 16 * 1024;
/** The maximum length of a request line and its headers. */
export const HEADER_BYTES_MAX = 16 * 1024;

/** No path parameter is rejected for its length: the service validates symbols. */
export const routerOptions = { maxParamLength: HEADER_BYTES_MAX };

/** How long a client may take to send a whole request, and its headers. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;

/**
 * A connection without traffic in either direction for this long is closed; if a response is not
 * read, Node checks twice.
 */
const SILENCE_MS = 40_000;

/** The bare server: its limits, its parsers and its treatment of malformed requests. */
export function createServer(trustedProxies: readonly string[]): App {
  const app = fastify({
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Node itself would reject a request without Host, but not with our envelope.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Without it, a client that never reads its responses would keep them in memory forever.
    connectionTimeout: SILENCE_MS,
    bodyLimit: BODY_BYTES_MAX,
    rewriteUrl: pathOf,
    routerOptions,
    trustProxy: trustedProxies.length === 0 ? false : createTrust(trustedProxies),
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    // During shutdown, requests on open connections are still served.
    return503OnClosing: false,
    // client-errors.ts listens instead: it needs the server.
    clientErrorHandler: () => undefined,
    schemaController: withoutCompilers,
    schemaErrorFormatter: (errors) =>
      schemaFailure(errors as unknown as readonly TLocalizedValidationError[]),
  }).withTypeProvider<TypeBoxTypeProvider>();
  setCompilers(app);
  parseJsonOnly(app);
  allowHalfOpen(app);
  return app;
}

/**
 * A client may end its side of the connection after its request, and wait for the response. By
 * default Node's server then drops requests in flight: a charged or stored one would get no
 * response. The property is Node's own, but undocumented.
 */
function allowHalfOpen({ server }: Pick<App, "server">): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** An empty body counts as none: some clients send a Content-Type with every request. */
function parseJsonOnly(app: App): void {
  app.removeContentTypeParser(["text/plain", "application/json"]);
  const parseJson = app.getDefaultJsonParser("error", "error");
  const options = { parseAs: "string" } as const;
  app.addContentTypeParser("application/json", options, (request, body: string, done) =>
    body === "" ? done(null, undefined) : parseJson(request, body, done),
  );
}
