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
import type { DestinationStream, Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import type { Register } from "../../application/accounts.ts";
import type { ApiKeys } from "../../application/api-keys.ts";
import type { Clock, RateStore } from "../../application/ports.ts";
import type { ReadRate } from "../../application/rates.ts";
import type { Sessions } from "../../application/sessions.ts";
import type { ReadUsage } from "../../application/usage.ts";
import { Failure } from "../../domain/failure.ts";
import { namedShapes, wireFailure } from "../wire.ts";
import { type Answers, createAnswers } from "./answers.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { authRoutes } from "./auth-routes.ts";
import { createErrorHandler, schemaFailure, sendFailure } from "./failures.ts";
import { commonHeaders, transportHeaders } from "./headers.ts";
import { healthRoutes } from "./health-routes.ts";
import { prepareMethodRefusal } from "./methods.ts";
import { documentRoutes } from "./openapi.ts";
import { rateRoutes } from "./rate-routes.ts";
import { answerRawErrors, answerUnrouted } from "./raw-errors.ts";
import { createAnswerLog } from "./request-log.ts";
import { createSessionGuard } from "./session-guard.ts";
import { statusOf } from "./statuses.ts";
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

const undecodablePath = new Failure("invalid_request", "The path is not valid percent-encoding.");

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
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
}

/** Builds the HTTP interface: every path, and the envelope on whatever goes wrong. */
export async function createApp(settings: AppSettings, uses: AppUses): Promise<App> {
  const headers = { ...commonHeaders, ...(settings.overTls ? transportHeaders : {}) };
  const answers = createAnswers(headers, createAnswerLog(uses));
  const app = createServer(settings, headers, answers, uses.log);
  answerUnrouted(app.server, headers);
  answers.completeReplies(app);
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
  rateRoutes(app, { ...uses, write: answers.write });
  healthRoutes(app, uses);
  refuseOtherMethods();
  return app;
}

function createServer(
  { trustedProxies }: AppSettings,
  headers: Readonly<Record<string, string>>,
  answers: Answers,
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
    // The only one that can come of these settings is a path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      request.arrivedMs = performance.now();
      const body = JSON.stringify(wireFailure(undecodablePath, request.id));
      answers.write(request, reply, statusOf[undecodablePath.code], [], body);
    },
    schemaErrorFormatter: (errors) =>
      schemaFailure(errors as unknown as readonly TLocalizedValidationError[]),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // A path's parameters are texts by nature, and the service, not the schema, judges them:
  // checking them took 5 µs of every metered read.
  app.setValidatorCompiler((route) =>
    route.httpPart === "params" ? (value) => ({ value }) : TypeBoxValidatorCompiler(route),
  );
  app.removeContentTypeParser("text/plain");
  return app;
}
