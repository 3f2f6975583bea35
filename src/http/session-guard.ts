import type { FastifyRequest } from "fastify";
import { sessionRequired } from "../shared/failure.ts";
import { credentialOf } from "./authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The session's account; null until the guard has found it. */
    accountId: string | null;
  }
}

/** Rejects a request without a valid session before its body is read. */
export type SessionGuard = (request: FastifyRequest) => Promise<void>;

/** @param authenticate returns the account of a token. @throws {Failure} `unauthorized` */
export function createSessionGuard(
  authenticate: (token: string | undefined) => Promise<string>,
): SessionGuard {
  return async (request) => {
    const token = credentialOf(request.raw, "Session");
    request.accountId = await authenticate(token);
  };
}

/** @returns the account that the guard found. @throws {Failure} on a route without a guard. */
export function accountOf({ accountId }: FastifyRequest): string {
  if (accountId === null) throw sessionRequired;
  return accountId;
}
