import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream";
import { Failure } from "../shared/failure.ts";
import type { App } from "./fastify.ts";
import { isWellFramed } from "./server/exchanges.ts";

/**
 * How much of a rejected request's body is read and discarded, and for how long. nginx accepts
 * bodies up to the same size.
 */
const DISCARDED_BYTES_MAX = 1024 * 1024;
const DISCARDED_MS_MAX = 5000;

/**
 * Registers routes that ignore a request's body, whatever its Content-Type: `curl -d ''` and
 * several clients add one to every request. The server reads the body up to the common limit and
 * discards it, so a larger one is 413, and one with broken framing 400, before the route runs.
 */
export async function ignoringBodies(app: App, addRoutes: (scope: App) => void): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, _body, parsed) =>
      parsed(null, undefined),
    );
    // Fastify rejects a malformed Content-Type before it looks for a parser.
    scope.addHook("onRequest", (request, _reply, next) => {
      delete request.raw.headers["content-type"];
      next();
    });
    addRoutes(scope as App);
    done();
  });
}

/**
 * Makes a GET or HEAD wait for the end of its body, which is ignored: the request is complete only
 * then, and a framing error in the body must be found before a unit is charged. A body over the
 * common limit is 413.
 */
export function awaitIgnoredBodies(app: App): void {
  // After the checks of the method and the session, as for any other body.
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const { method, headers, raw } = request;
    const { "content-length": length, "transfer-encoding": coding } = headers;
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead || (length ?? coding) === undefined) return done(null, payload);
    const { bodyLimit } = request.routeOptions;
    if (Number(length ?? 0) > bodyLimit) return done(bodyTooLarge(bodyLimit));
    let bytes = 0;
    const end = () => done(null, payload);
    const count = (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bodyLimit) return;
      raw.off("data", count).off("end", end);
      done(bodyTooLarge(bodyLimit));
    };
    raw.on("data", count).once("end", end);
  });
}

/** Whether a request has a body that has not arrived completely, and whose end is certain. */
export function awaitsBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  return !request.complete && (length ?? coding) !== undefined && isWellFramed(request);
}

/**
 * Whether the rest of a request's body may be too long to discard: the connection then must close.
 * A body in chunks has no known length.
 */
export function mayBeTooLong(request: IncomingMessage): boolean {
  const { "content-length": length = Number.POSITIVE_INFINITY } = request.headers;
  return awaitsBody(request) && Number(length) > DISCARDED_BYTES_MAX;
}

/**
 * Ends a response that is written completely before its request's body has arrived, after the rest
 * of that body. A connection closed earlier would be reset: the client might lose the response, and
 * a proxy would count a failure of this node that any client can cause. The connection closes if
 * the rest is too long or too slow.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  const giveUp = () => {
    request.off("data", discard).pause();
    response.once("finish", () => request.socket.destroySoon()).end();
  };
  const discard = (part: Buffer) => {
    bytes += part.length;
    if (bytes > DISCARDED_BYTES_MAX) giveUp();
  };
  const timer = setTimeout(giveUp, DISCARDED_MS_MAX);
  request.on("data", discard);
  finished(request, () => {
    clearTimeout(timer);
    response.end();
  });
}

export function bodyTooLarge(bytesMax: number): Failure {
  return new Failure(
    "payload_too_large",
    `The request body is larger than ${bytesMax / 1024} KiB.`,
  );
}
