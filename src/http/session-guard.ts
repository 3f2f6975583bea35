import type { FastifyRequest } from "fastify";
import { sessionRequired } from "../shared/failure.ts";
import { credentialOf } from "./authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose session it is; null until the guard has found out. */
    accountId: string | null;
  }
}

/** Lets a request pass with a valid session only, before its body is looked at. */
export type SessionGuard = (request: FastifyRequest) => Promise<void>;

/** @param authenticate returns whose session a token is. @throws {Failure} `unauthorized` */
export function createSessionGuard(
  authenticate: (token: string | undefined) => Promise<string>,
): SessionGuard {
  return async (request) => {
    const token = credentialOf(request.raw, "Session");
    request.accountId = await authenticate(token);
  };
}

/** @returns the account that the guard found. @throws {Failure} where no guard stood. */
export function accountOf({ accountId }: FastifyRequest): string {
  if (accountId === null) throw sessionRequired;
  return accountId;
}
