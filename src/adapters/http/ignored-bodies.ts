import { Failure } from "../../domain/failure.ts";
import type { App } from "./app.ts";

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
 * Rejects a GET or HEAD whose Content-Length is over the common limit. Their routes run before
 * the body has arrived, so a body without a stated length is discarded after the response.
 */
export function boundIgnoredBodies(app: App): void {
  // After the credential of an account and the method, as for any other body.
  app.addHook("preValidation", (request, _reply, done) => {
    const { method, headers } = request;
    const { bodyLimit } = request.routeOptions;
    const hasIgnoredBody = method === "GET" || method === "HEAD";
    if (hasIgnoredBody && Number(headers["content-length"] ?? 0) > bodyLimit) {
      done(tooLarge(bodyLimit));
    } else done();
  });
}

function tooLarge(bytesMax: number): Failure {
  return new Failure(
    "payload_too_large",
    `The request body is larger than ${bytesMax / 1024} KiB.`,
  );
}
