import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  fastify,
  type RawServerDefault,
} from "fastify";
import type { Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import type { Register } from "../../application/accounts.ts";
import type { ApiKeys } from "../../application/api-keys.ts";
import type { RateStore } from "../../application/ports.ts";
import type { ReadRate } from "../../application/rates.ts";
import type { Sessions } from "../../application/sessions.ts";
import type { ReadUsage } from "../../application/usage.ts";
import { Failure } from "../../domain/failure.ts";
import { namedShapes } from "../wire.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { authRoutes } from "./auth-routes.ts";
import { createErrorHandler, schemaFailure, sendFailure } from "./failures.ts";
import { commonHeaders, corsHeaders, transportHeaders } from "./headers.ts";
import { healthRoutes } from "./health-routes.ts";
import { prepareMethodRefusal } from "./methods.ts";
import { documentRoutes } from "./openapi.ts";
import { rateRoutes } from "./rate-routes.ts";
import { answerRawErrors, answerUnrouted } from "./raw-errors.ts";
import { logRequests } from "./request-log.ts";
import { createSessionGuard } from "./session-guard.ts";
import { usageRoutes } from "./usage-routes.ts";

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const BODY_BYTES_MAX = 16 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;

/** How long a client may take to send a whole request, and its headers. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;

export interface AppSettings {
  /** Where clients reach the service; known for certain only once it listens. */
  readonly publicUrl: () => string;
  readonly version: string;
  readonly trustedProxies: readonly string[];
  /** Whether clients come over TLS. */
  readonly overTls: boolean;
}

export interface AppUses {
  readonly register: Register;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly readRate: ReadRate;
  readonly readUsage: ReadUsage;
  readonly store: RateStore;
  readonly log: Logger;
}

/** Builds the HTTP interface: every path, and the envelope on whatever goes wrong. */
export async function createApp(settings: AppSettings, uses: AppUses): Promise<App> {
  const headers = { ...commonHeaders, ...(settings.overTls ? transportHeaders : {}) };
  const app = createServer(settings, headers, uses.log);
  answerUnrouted(app.server, headers);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers).header("x-request-id", request.id);
    if (request.headers.origin !== undefined) reply.headers(corsHeaders);
    done();
  });
  logRequests(app, uses.log);
  app.setErrorHandler(createErrorHandler(uses.log));
  app.setNotFoundHandler((request, reply) =>
    sendFailure(request, reply, new Failure("not_found", "There is nothing at this path.")),
  );
  for (const shape of namedShapes) app.addSchema(shape);

  const refuseOtherMethods = prepareMethodRefusal(app);
  await documentRoutes(app, settings);
  const sessionGuard = createSessionGuard(uses.sessions);
  app.decorateRequest("accountId", null);
  authRoutes(app, { ...uses, sessionGuard });
  apiKeyRoutes(app, { ...uses, sessionGuard });
  usageRoutes(app, { ...uses, sessionGuard });
  rateRoutes(app, uses);
  healthRoutes(app, uses);
  refuseOtherMethods();
  return app;
}

function createServer(
  { trustedProxies }: AppSettings,
  headers: Readonly<Record<string, string>>,
  log: Logger,
): App {
  const app = fastify({
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    bodyLimit: BODY_BYTES_MAX,
    // No path parameter is refused for its length: the service judges symbols.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    // While it stops, what still comes on an open connection is served.
    return503OnClosing: false,
    clientErrorHandler: answerRawErrors(headers, log),
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers).header("x-request-id", request.id);
      return createErrorHandler(log)(error, request, reply);
    },
    schemaErrorFormatter: (errors) =>
      schemaFailure(errors as unknown as readonly TLocalizedValidationError[]),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.removeContentTypeParser("text/plain");
  return app;
}
