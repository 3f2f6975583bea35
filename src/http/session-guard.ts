import type { FastifyRequest } from "fastify";
import { sessionRequired } from "../accounts/rules.ts";
import type { Sessions } from "../accounts/sessions.ts";
import { credentialOf } from "./authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose session it is; null until the guard has found out. */
    accountId: string | null;
  }
}

/** Lets a request pass with a valid session only, before its body is looked at. */
export type SessionGuard = (request: FastifyRequest) => Promise<void>;

export function createSessionGuard({ authenticate }: Sessions): SessionGuard {
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
