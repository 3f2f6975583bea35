import type { DestinationStream, Logger } from "pino";
import type { EmailVerification } from "./accounts/email-verification.ts";
import { authRoutes } from "./accounts/http.ts";
import { AccountShape, SessionShape } from "./accounts/json.ts";
import { mailTokenRoutes } from "./accounts/mail-tokens-http.ts";
import type { PasswordResets } from "./accounts/password-reset.ts";
import type { Register } from "./accounts/register.ts";
import type { Sessions } from "./accounts/sessions.ts";
import type { ApiKeys } from "./api-keys/api-keys.ts";
import { apiKeyRoutes } from "./api-keys/http.ts";
import { ApiKeyListShape, ApiKeyShape, CreatedApiKeyShape } from "./api-keys/json.ts";
import { createRefuseLater } from "./async/rejection-pacer.ts";
import { usageRoutes } from "./billing/http.ts";
import { DailyUsageShape, UsageShape } from "./billing/json.ts";
import type { PlanStore } from "./billing/store.ts";
import type { ReadDailyUsage, ReadUsage } from "./billing/usage.ts";
import { createAnswerLog, type ObserveAnswer, observed } from "./http/access-log.ts";
import { answerUnrouted, createAnswerRaw } from "./http/client-errors.ts";
import { trackExchanges } from "./http/exchanges.ts";
import { openLane, type Recognise } from "./http/fast-path/connection.ts";
import type { App } from "./http/fastify.ts";
import { commonHeaders, transportHeaders } from "./http/headers.ts";
import { healthRoutes, type StoreReadiness } from "./http/health.ts";
import { awaitIgnoredBodies } from "./http/ignored-bodies.ts";
import { documentRoutes } from "./http/openapi.ts";
import { limitConnections } from "./http/overload/connection-limit.ts";
import { shedLoad } from "./http/overload/load-shedding.ts";
import { createTakeIn, REFUSALS_PER_MS } from "./http/overload/loop-budget.ts";
import { refuseUnknown } from "./http/refusals.ts";
import { createErrorHandler } from "./http/response/error-handler.ts";
import { createSendList } from "./http/response/list.ts";
import { createAnswers } from "./http/response/reply.ts";
import { createFormat } from "./http/response/serialize.ts";
import { createServer } from "./http/server.ts";
import { createSessionGuard } from "./http/session-guard.ts";
import { prepareMethodRefusal } from "./http/unmatched.ts";
import { createRecogniseMcp } from "./mcp/fast-path.ts";
import { mcpRoutes } from "./mcp/http.ts";
import { createOriginGuard } from "./mcp/origin-check.ts";
import type { AnswerMcp } from "./mcp/request.ts";
import { createAnswerMcpRequest } from "./mcp/respond-http.ts";
import { createRecogniseRead } from "./metering/fast-path.ts";
import { createReplyToRead, rateRoutes } from "./metering/http.ts";
import type { ReadRate } from "./metering/read-rate.ts";
import { createAnswerRead } from "./metering/respond-http.ts";
import { consoleRoutes } from "./pages/http.ts";
import { RateShape } from "./rates/json.ts";
import type { RateStore } from "./rates/store.ts";
import type { Clock } from "./shared/clock.ts";
import { ErrorShape, QuotaErrorShape } from "./shared/failure-json.ts";
import type { SharedStore } from "./shared/store.ts";

const FIRST_OF_GET = "G".charCodeAt(0);

type HealthStore = RateStore & SharedStore & Pick<PlanStore, "missingPlans">;

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
  const recogniseRead = createRecogniseRead(answerRead);
  const recogniseMcp = createRecogniseMcp({ answerMcpRequest, originGuard });
  const recognise: Recognise = (bytes) =>
    bytes[0] === FIRST_OF_GET ? recogniseRead(bytes) : recogniseMcp(bytes);
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
  documentRoutes(app, { ...settings, shapes: namedShapes });
  const sessionGuard = createSessionGuard(uses.sessions.authenticate);
  app.decorateRequest("accountId", null);
  await authRoutes(app, { ...uses, sessionGuard });
  mailTokenRoutes(app, uses);
  const sendList = createSendList(uses.log);
  await apiKeyRoutes(app, { ...uses, sessionGuard, sendList });
  usageRoutes(app, { ...uses, sessionGuard, sendList });
  rateRoutes(app, { replyToRead: createReplyToRead(answerRead, write) });
  await mcpRoutes(app, { answerMcpRequest, write, originGuard, apiKeys: uses.apiKeys });
  healthRoutes(app, { askStore: () => askStore(uses.store), isLeaving });
  if (!(await consoleRoutes(app, settings.consoleDirectory))) {
    uses.log.warn("the console is not built: `npm run build` makes it");
  }
  refuseOtherMethods();
  return app;
}

/** Every shape that answers refer to by its name. */
export const namedShapes = [
  AccountShape,
  SessionShape,
  ApiKeyShape,
  CreatedApiKeyShape,
  ApiKeyListShape,
  RateShape,
  UsageShape,
  DailyUsageShape,
  ErrorShape,
  QuotaErrorShape,
] as const;

async function askStore(store: HealthStore): Promise<StoreReadiness> {
  await store.checkWrites();
  const hasRates = await store.hasRates();
  return { hasRates, hasAllPlans: (await store.missingPlans()).length === 0 };
}
