import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { Failure } from "../shared/failure.ts";
import type { App } from "./fastify.ts";
import { sendFailure } from "./response/error-handler.ts";
import { answerPreflight, isPreflight } from "./unmatched.ts";

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

/** Rejects a malformed request target or Host, and an unknown path before its body is read. */
export function addNotFoundHandling(app: App): void {
  app.addHook("onRequest", (request, reply, done) => {
    const malformed =
      malformedTarget(request) ?? malformedHost(request.raw) ?? malformedCoding(request);
    if (malformed !== undefined) sendFailure(request, reply, malformed);
    else if (!request.is404) done();
    else if (isPreflight(request)) answerPreflight(reply, "GET, HEAD, POST, DELETE");
    else sendFailure(request, reply, oauthPath.test(request.url) ? noOAuth : unknownPath);
  });
}

/** Clients do not send a URI's fragment (RFC 9110, section 7.1). */
function malformedTarget({ originalUrl }: FastifyRequest): Failure | undefined {
  return originalUrl.includes("#") ? hasFragment : undefined;
}

/** RFC 9112, section 3.2: no Host (in HTTP/1.1), two of them, or an invalid one is 400. */
function malformedHost({ headers, httpVersion, rawHeaders }: IncomingMessage) {
  if (headers.host === undefined) return httpVersion === "1.1" ? hostMissing : undefined;
  if (!host.test(headers.host)) return hostInvalid;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && /^host$/i.test(rawHeaders[index] ?? "")) count += 1;
  }
  return count > 1 ? hostTwice : undefined;
}

/** Node's parser accepts any list of codings that ends with chunked, but decodes only chunked. */
function malformedCoding({ headers }: FastifyRequest): Failure | undefined {
  const { "transfer-encoding": coding = "chunked" } = headers;
  return coding.toLowerCase() === "chunked" ? undefined : unknownCoding;
}
