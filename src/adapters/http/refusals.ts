import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../domain/failure.ts";
import type { Answers } from "./answers.ts";
import type { App } from "./app.ts";
import { sendFailure, wholeFailure } from "./failures.ts";
import { answerPreflight, isPreflight, otherMethod } from "./methods.ts";
import { type ReplyToRead, undecodableSymbols } from "./rate-routes.ts";

const undecodablePath = new Failure("invalid_request", "The path is not valid percent-encoding.");
const readsOnly = otherMethod("GET, HEAD");
const unknownPath = new Failure("not_found", "There is nothing at this path.");
const hostMissing = new Failure("invalid_request", "The Host header is missing.");

/** Refuses an unknown path before its body is read, and a request that names no host. */
export function refuseUnknown(app: App): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404 && isPreflight(request)) answerPreflight(reply, "GET, HEAD, POST, DELETE");
    else if (request.is404) sendFailure(request, reply, unknownPath);
    else if (request.headers.host === undefined && request.raw.httpVersion === "1.1") {
      sendFailure(request, reply, hostMissing);
    } else done();
  });
}

/** Answers a path whose escapes cannot be decoded; on a rate's path they are bad symbols. */
export function answerUndecodable(replyToRead: ReplyToRead, answers: Answers) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    request.arrivedMs = performance.now();
    const symbols = undecodableSymbols(request.raw.url ?? "");
    if (symbols !== undefined && (request.method === "GET" || request.method === "HEAD")) {
      replyToRead(request, reply, ...symbols);
      return;
    }
    const failure = symbols === undefined ? undecodablePath : readsOnly;
    const headers = symbols === undefined ? [] : ["allow", "GET, HEAD"];
    answers.write(request, reply, wholeFailure(failure, request.id, "Session", headers));
  };
}
