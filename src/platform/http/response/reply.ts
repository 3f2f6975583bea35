import type { FastifyReply, FastifyRequest } from "fastify";
import { type Failure, sessionRequired } from "../../shared/failure.ts";
import { type LogAccess, loggedRequest } from "../access-log.ts";
import { challenge, describeHeader, type Scheme } from "../challenge.ts";
import type { App } from "../fastify.ts";
import { corsHeaders, pageHeaders } from "../headers.ts";
import { awaitsBody, endAfterBody, mayBeTooLong } from "../ignored-bodies.ts";
import { routeOf } from "../route.ts";
import type { Exchanges } from "../server/exchanges.ts";
import { errorResponse, type HttpResponse } from "./response.ts";
import { ownHeaders } from "./serialize.ts";

/**
 * Sends a complete response at once: a read's, an MCP message's, every failure's.
 * It bypasses the framework's reply, which sets headers one by one and runs hooks one after the
 * other: measured at 64 connections, 15 µs instead of 21 for the same response
 * (docs/decisions/0002-own-headers-and-responses.md).
 */
export type SendResponse = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: HttpResponse,
) => void;

/** @param headers further headers, alternating names and values. */
export type SendFailure = (
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  headers?: readonly string[],
) => void;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Headers of the route's successes, which override the common ones; for pages. */
    headers?: Readonly<Record<string, string>>;
    /** The scheme of the credential that the route takes; unset: `Session`. */
    scheme?: Scheme;
    /** Headers of the failures that the route's own handler does not send. */
    failureHeaders?: readonly string[];
  }
}

export interface ReplyWriter {
  /** Adds the common headers and an access-log line to every success of later routes. */
  addCommonHeaders(app: App): void;
  readonly send: SendResponse;
  readonly sendFailure: SendFailure;
  /** Sends the page for an unknown path, a failure like the others. */
  sendPage(request: FastifyRequest, reply: FastifyReply, html: string): void;
}

export function createReplyWriter(
  common: Readonly<Record<string, string>>,
  logAccess: LogAccess,
  exchanges: Pick<Exchanges, "endsWith">,
): ReplyWriter {
  const commonPairs = Object.entries(common).flat();
  const pagePairs = Object.entries({ ...common, ...pageHeaders }).flat();

  const isLast = ({ raw }: FastifyRequest, reply: FastifyReply) =>
    exchanges.endsWith(reply.raw, mayBeTooLong(raw));

  const sendAs = (
    type: string | undefined,
    pairs: readonly string[],
    ...[request, reply, response]: Parameters<SendResponse>
  ) => {
    const { status, code, body, caller } = response;
    const bytes = Buffer.byteLength(body);
    const own = ownHeaders(response, bytes, request.headers.origin !== undefined, type);
    const lines = [...pairs, "x-request-id", request.id, ...own];
    if (isLast(request, reply)) lines.push("connection", "close");
    reply.raw.writeHead(status, lines);
    // Not before: after an exception, the error handler still sends its response.
    reply.hijack();
    // ASCII text written as latin1 needs no conversion.
    end(request, reply, body, bytes === body.length ? "latin1" : "utf8");
    logAccess(loggedRequest(request), status, code, caller);
  };

  const send = sendAs.bind(undefined, undefined, commonPairs);

  return {
    send,

    sendFailure(request, reply, failure, headers = []) {
      // Not of the path's route: another method is no read.
      const { failureHeaders = [] } = request.routeOptions.config;
      const all = [...failureHeaders, ...headers];
      if (failure.code === "unauthorized") {
        all.push("www-authenticate", challengeFor(request, failure));
      }
      send(request, reply, errorResponse(failure, request.id, all));
    },

    sendPage(request, reply, html) {
      const page = { status: 404, code: "not_found", headers: [], body: html } as const;
      sendAs("text/html; charset=utf-8", pagePairs, request, reply, page);
    },

    addCommonHeaders(app) {
      app.decorateRequest("arrivedMs", 0);
      app.addHook("onRequest", (request, _reply, done) => {
        request.arrivedMs = performance.now();
        done();
      });
      app.addHook("onSend", (request, reply, _payload, done) => {
        reply.headers(common).header("x-request-id", request.id);
        const { headers } = request.routeOptions.config;
        if (headers !== undefined && reply.statusCode < 400) reply.headers(headers);
        if (request.headers.origin !== undefined) reply.headers(corsHeaders);
        if (isLast(request, reply)) reply.header("connection", "close");
        // Without any response there is no line.
        reply.raw.once("close", () => {
          const logged = loggedRequest(request, !reply.raw.writableFinished);
          logAccess(logged, reply.statusCode, undefined);
        });
        done();
      });
    },
  };
}

function challengeFor(request: FastifyRequest, failure: Failure): string {
  const { scheme = "Session" } = routeOf(request).config;
  // The password was wrong, not a credential in the header.
  if (scheme === "Session" && failure !== sessionRequired) return `${scheme} realm="kurs"`;
  return challenge(scheme, describeHeader(request.raw, scheme));
}

function end(
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  body: string,
  encoding: BufferEncoding,
): void {
  if (!awaitsBody(request)) {
    response.end(body, encoding);
    return;
  }
  // A response without a body would otherwise wait for its end.
  response.flushHeaders();
  response.write(body, encoding);
  endAfterBody(request, response);
}
