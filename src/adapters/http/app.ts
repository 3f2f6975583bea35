import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { DestinationStream, Logger } from "pino";
import type { Register } from "../../application/accounts.ts";
import type { ApiKeys } from "../../application/api-keys.ts";
import type { EmailVerification } from "../../application/email-verification.ts";
import type { PasswordResets } from "../../application/password-reset.ts";
import type { Clock } from "../../application/ports.ts";
import type { ReadRate } from "../../application/rates.ts";
import type { Sessions } from "../../application/sessions.ts";
import type { ReadDailyUsage, ReadUsage } from "../../application/usage.ts";
import type { AnswerMcp } from "../mcp-endpoint.ts";
import type { ObserveAnswer } from "../observers.ts";
import { createRefuseLater } from "../refuse-later.ts";
import { createAnswers } from "./answers.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { authRoutes } from "./auth-routes.ts";
import { limitConnections } from "./connection-limit.ts";
import { consoleRoutes } from "./console-routes.ts";
import { trackExchanges } from "./exchanges.ts";
import { createErrorHandler } from "./failures.ts";
import { commonHeaders, transportHeaders } from "./headers.ts";
import { type HealthStore, healthRoutes } from "./health-routes.ts";
import { awaitIgnoredBodies } from "./ignored-bodies.ts";
import { openLane } from "./lane.ts";
import { createSendList } from "./lists.ts";
import { mailTokenRoutes } from "./mail-token-routes.ts";
import { createAnswerMcpRequest } from "./mcp-answers.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { prepareMethodRefusal } from "./methods.ts";
import { documentRoutes } from "./openapi.ts";
import { createOriginGuard } from "./origin-guard.ts";
import { createRecognise } from "./plain-requests.ts";
import { createReplyToRead, rateRoutes } from "./rate-routes.ts";
import { answerUnrouted, createAnswerRaw } from "./raw-errors.ts";
import { createAnswerRead } from "./read-answers.ts";
import { refuseUnknown } from "./refusals.ts";
import { createAnswerLog, observed } from "./request-log.ts";
import { createServer } from "./server.ts";
import { createSessionGuard } from "./session-guard.ts";
import { shedLoad } from "./shedding.ts";
import { createTakeIn, REFUSALS_PER_MS } from "./turn.ts";
import { usageRoutes } from "./usage-routes.ts";
import { createFormat } from "./whole-answers.ts";

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface AppSettings {
  /** Where clients reach the service; known for certain only once it listens. */
  readonly publicUrl: () => string;
  readonly version: string;
  readonly trustedProxies: readonly string[];
  /** Whether clients come over TLS. */
  readonly overTls: boolean;
  /** Further origins whose pages may call MCP. */
  readonly allowedOrigins: readonly string[];
  readonly listensOnLoopback: boolean;
  /** Where the build of the pages for people is; without it the API is served alone. */
  readonly consoleDirectory: string;
  /** At most so many connections at once. */
  readonly connectionsMax: number;
  /** Whether the node is on its way out: it serves still, but each connection's last answer. */
  readonly isLeaving: () => boolean;
}

export interface AppUses {
  readonly register: Register;
  readonly sessions: Sessions;
  readonly emailVerification: EmailVerification;
  readonly passwordResets: PasswordResets;
  readonly apiKeys: ApiKeys;
  readonly readRate: ReadRate;
  readonly readUsage: ReadUsage;
  readonly readDailyUsage: ReadDailyUsage;
  readonly answerMcp: AnswerMcp;
  readonly store: HealthStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
  /** Who counts the answers, when somebody does. */
  readonly observeAnswer?: ObserveAnswer | undefined;
}

/** Builds the HTTP interface: every path, and the envelope on whatever goes wrong. */
export async function createApp(settings: AppSettings, uses: AppUses): Promise<App> {
  const headers = { ...commonHeaders, ...(settings.overTls ? transportHeaders : {}) };
  const logAnswer = observed(createAnswerLog(uses), uses.observeAnswer);
  const answerRaw = createAnswerRaw(headers, uses.log, uses.observeAnswer);
  const app = createServer(settings.trustedProxies);
  const exchanges = trackExchanges(app.server);
  answerUnrouted(app.server, { answerRaw, exchanges });
  const answers = createAnswers(headers, logAnswer, settings.isLeaving, exchanges);
  const answerRead = createAnswerRead(uses);
  const format = createFormat(app.server, headers, uses.clock);
  const answerMcpRequest = createAnswerMcpRequest(uses);
  const originGuard = createOriginGuard(settings);
  const recognise = createRecognise({ answerRead, answerMcpRequest, originGuard });
  const takeIn = createTakeIn();
  const refuseLater = createRefuseLater(REFUSALS_PER_MS);
  const { isLeaving, connectionsMax } = settings;
  const mayStay = limitConnections(app.server, connectionsMax, { answerRaw, log: uses.log });
  const { write } = answers;
  const pace = { takeIn, refuseLater };
  openLane(app.server, {
    ...{ recognise, logAnswer, format, mayStay, isLeaving, exchanges },
    ...pace,
  });
  answers.completeReplies(app);
  shedLoad(app, { ...pace, write, exchanges });
  refuseUnknown(app);
  awaitIgnoredBodies(app);
  app.setErrorHandler(createErrorHandler(uses.log));

  const refuseOtherMethods = prepareMethodRefusal(app);
  documentRoutes(app, settings);
  const sessionGuard = createSessionGuard(uses.sessions);
  app.decorateRequest("accountId", null);
  await authRoutes(app, { ...uses, sessionGuard });
  mailTokenRoutes(app, uses);
  const sendList = createSendList(uses.log);
  await apiKeyRoutes(app, { ...uses, sessionGuard, sendList });
  usageRoutes(app, { ...uses, sessionGuard, sendList });
  rateRoutes(app, { replyToRead: createReplyToRead(answerRead, write) });
  await mcpRoutes(app, { answerMcpRequest, write, originGuard, apiKeys: uses.apiKeys });
  healthRoutes(app, { store: uses.store, isLeaving });
  if (!(await consoleRoutes(app, settings.consoleDirectory))) {
    uses.log.warn("the console is not built: `npm run build` makes it");
  }
  refuseOtherMethods();
  return app;
}
