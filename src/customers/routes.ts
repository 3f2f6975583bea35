import type { SessionGuard } from "../platform/http/authentication.ts";
import type { App } from "../platform/http/fastify.ts";
import type { SendList, SendPieces } from "../platform/http/response/list.ts";
import type { SendResponse } from "../platform/http/response/reply.ts";
import type { ListGuard } from "../platform/http/unpaid-responses.ts";
import { auditRoutes } from "../platform/routes.ts";
import { accountRoutes } from "./accounts/http.ts";
import { accountSchemas } from "./accounts/json.ts";
import { ownAccountRoutes } from "./administration/http.ts";
import { administrationSchemas } from "./administration/json.ts";
import { apiKeyRoutes } from "./api-keys/http.ts";
import { apiKeySchemas } from "./api-keys/json.ts";
import { usageRoutes } from "./billing/http.ts";
import { mailTokenRoutes } from "./mailed-links/http.ts";
import { registrationRoutes } from "./registration/http.ts";
import { authRoutes, sessionRoutes } from "./sessions/http.ts";
import { sessionSchemas } from "./sessions/json.ts";
import type { Customers } from "./use-cases.ts";

export { usageSchemas } from "./billing/json.ts";

/** Every schema that the responses of these routes refer to by name, besides those of usage. */
export const customerSchemas = [
  ...accountSchemas,
  ...administrationSchemas,
  ...sessionSchemas,
  ...apiKeySchemas,
];

/** Adds the routes of accounts: most require a session, and the others lead to one. */
export async function customerRoutes(
  app: App,
  customers: Customers,
  http: {
    readonly sessionGuard: SessionGuard;
    readonly listGuard: ListGuard;
    readonly sendList: SendList;
    readonly sendPieces: SendPieces;
    readonly send: SendResponse;
  },
): Promise<void> {
  const uses = { ...customers, ...http };
  registrationRoutes(app, uses);
  await authRoutes(app, uses);
  mailTokenRoutes(app, uses);
  await apiKeyRoutes(app, uses);
  usageRoutes(app, uses);
  auditRoutes(app, uses);
  accountRoutes(app, uses);
  ownAccountRoutes(app, uses);
  await sessionRoutes(app, uses);
}
