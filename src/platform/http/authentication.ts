import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { createIterationQueue } from "../async/iteration-queue.ts";
import { sessionRequired } from "../shared/failure.ts";
import type { SessionInUse } from "../shared/origin.ts";
import type { Scheme } from "./challenge.ts";
import { clientAddress } from "./client-address.ts";
import type { App } from "./fastify.ts";
import { isRepeated } from "./headers.ts";

const startOf: Record<Scheme, RegExp> = {
  ApiKey: /^ApiKey +/i,
  Session: /^Session +/i,
};

/**
 * The only reader of credentials, which are accepted in the Authorization header only. The scheme
 * is case-insensitive; the credential is returned unchanged. A request with two Authorization
 * headers has no credential: a proxy in front of this server may have checked the other one.
 *
 * @returns the credential, or `undefined` without one of this scheme.
 */
export function credentialOf(request: IncomingMessage, scheme: Scheme): string | undefined {
  const { authorization = "" } = request.headers;
  const start = startOf[scheme].exec(authorization);
  if (start === null || isRepeated(request, "authorization")) return undefined;
  return authorization.slice(start[0].length);
}

declare module "fastify" {
  interface FastifyRequest {
    /** The session's account; null until the guard has found it. */
    accountId: string | null;
  }
}

/** Rejects a request without a valid session before its body is read. */
export type SessionGuard = (request: FastifyRequest) => Promise<void>;

/**
 * Requests with a session cost no unit and some 0.15 ms each. In an event-loop iteration, only this
 * many begin, so that a flood of them leaves most of the iteration to the reads that have arrived.
 */
const SESSIONS_PER_ITERATION = 8;

/** @param authenticate returns the account of a token. @throws {Failure} `unauthorized` */
export function createSessionGuard(
  authenticate: (token: string | undefined) => Promise<string>,
): SessionGuard {
  const nextIteration = createIterationQueue(SESSIONS_PER_ITERATION);
  return async (request) => {
    const token = credentialOf(request.raw, "Session");
    await nextIteration(token);
    request.accountId = await authenticate(token);
  };
}

/** Checks the session again after a body, which may take 30 s to arrive: it may end meanwhile. */
export function guardBodies(app: App, sessionGuard: SessionGuard): void {
  app.addHook("preValidation", (request, _reply, done) => {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    if (request.accountId === null || (length ?? coding) === undefined) return done();
    sessionGuard(request).then(() => done(), done);
  });
}

/** @returns the account that the guard found. @throws {Failure} on a route without a guard. */
export function accountOf({ accountId }: FastifyRequest): string {
  if (accountId === null) throw sessionRequired;
  return accountId;
}

/** @returns the session that the guard accepted. @throws {Failure} as `accountOf`; {ClientGone} */
export function sessionOf(request: FastifyRequest): SessionInUse {
  const token = credentialOf(request.raw, "Session") ?? "";
  return { accountId: accountOf(request), token, clientAddress: clientAddress(request) };
}
