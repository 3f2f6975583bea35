import type { DestinationStream, Logger } from "pino";
import { accountRoutes } from "../customers/accounts/http.ts";
import { accountSchemas } from "../customers/accounts/json.ts";
import type { AccountStore } from "../customers/accounts/store.ts";
import type { DeleteAccount } from "../customers/administration/administration.ts";
import type { ExportOwnAccount } from "../customers/administration/export.ts";
import { ownAccountRoutes } from "../customers/administration/http.ts";
import { administrationSchemas } from "../customers/administration/json.ts";
import type { ApiKeys } from "../customers/api-keys/api-keys.ts";
import { apiKeyRoutes } from "../customers/api-keys/http.ts";
import { apiKeySchemas } from "../customers/api-keys/json.ts";
import type { ConsumeAuthAttempt } from "../customers/auth-limit/auth-limiter.ts";
import { usageRoutes } from "../customers/billing/http.ts";
import { usageSchemas } from "../customers/billing/json.ts";
import { FREE_PLAN } from "../customers/billing/rules.ts";
import type { PlanStore } from "../customers/billing/store.ts";
import type { ReadDailyUsage, ReadKeyUsage, ReadUsage } from "../customers/billing/usage.ts";
import { mailTokenRoutes } from "../customers/mailed-links/http.ts";
import type { EmailVerification, PasswordResets } from "../customers/mailed-links/mailed-links.ts";
import { registrationRoutes } from "../customers/registration/http.ts";
import type { Register } from "../customers/registration/register.ts";
import type { Registration } from "../customers/registration/rules.ts";
import { authRoutes, sessionRoutes } from "../customers/sessions/http.ts";
import { sessionSchemas } from "../customers/sessions/json.ts";
import type { Sessions } from "../customers/sessions/sessions.ts";
import { createRejectionPacer } from "../platform/async/rejection-pacer.ts";
import { auditRoutes } from "../platform/audit/http.ts";
import { auditSchemas } from "../platform/audit/json.ts";
import type { AuditStore } from "../platform/audit/store.ts";
import { createAccessLog, type ObserveResponse } from "../platform/http/access-log.ts";
import { createSessionGuard, guardBodies } from "../platform/http/authentication.ts";
import { installFastPath } from "../platform/http/fast-path/connection.ts";
import { createPlainParser } from "../platform/http/fast-path/plain-request.ts";
import type { App } from "../platform/http/fastify.ts";
import { commonHeaders, transportHeaders } from "../platform/http/headers.ts";
import { healthRoutes, type StoreReadiness } from "../platform/http/health.ts";
import { awaitIgnoredBodies } from "../platform/http/ignored-bodies.ts";
import { openApiRoute } from "../platform/http/openapi/document.ts";
import { createConnectionLimit } from "../platform/http/overload/connection-limit.ts";
import { addLoadShedding } from "../platform/http/overload/load-shedding.ts";
import { createLoopBudget, REJECTIONS_PER_MS } from "../platform/http/overload/loop-budget.ts";
import { createErrorHandler } from "../platform/http/response/error-handler.ts";
import { createListSenders } from "../platform/http/response/list.ts";
import { createReplyWriter, type SendResponse } from "../platform/http/response/reply.ts";
import { createSerializer } from "../platform/http/response/serialize.ts";
import { createCloseWithError, handleClientErrors } from "../platform/http/server/client-errors.ts";
import { Exchanges } from "../platform/http/server/exchanges.ts";
import { createServer } from "../platform/http/server/server.ts";
import { addUnmatchedHandling } from "../platform/http/unmatched.ts";
import {
  type AwaitUnpaid,
  createListGuard,
  createUnpaidResponses,
} from "../platform/http/unpaid-responses.ts";
import { type About, aboutJson } from "../platform/pages/about.ts";
import { guideRoutes } from "../platform/pages/guide.ts";
import { consoleRoutes } from "../platform/pages/http.ts";
import { createNotFoundPage } from "../platform/pages/not-found.ts";
import type { PageSettings } from "../platform/pages/settings.ts";
import { visitorsRoute } from "../platform/pages/visitors-http.ts";
import type { Clock } from "../platform/shared/clock.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import type { StoreStatus } from "../platform/shared/store.ts";
import type { Coverage } from "../rates/coverage/coverage.ts";
import { coverageRoutes } from "../rates/coverage/http.ts";
import { coverageSchemas, publishersJson } from "../rates/coverage/json.ts";
import { publicKeyRoutes } from "../rates/served/http.ts";
import { rateSchemas } from "../rates/served/json.ts";
import type { ListPublicKeys } from "../rates/served/signing-key.ts";
import type { RateStore } from "../rates/served/store.ts";
import { createPlainCall } from "../reads/mcp/fast-path.ts";
import { createRespondToMcp, mcpRoutes } from "../reads/mcp/http.ts";
import { createOriginCheck } from "../reads/mcp/origin-check.ts";
import type { HandleMcpRequest } from "../reads/mcp/request.ts";
import { createPlainRead } from "../reads/metering/fast-path.ts";
import { createRespondToRead, rateRoutes } from "../reads/metering/http.ts";
import type { ReadRate } from "../reads/metering/read-rate.ts";

interface HealthStore {
  readonly status: StoreStatus;
  readonly rates: RateStore;
  readonly plans: PlanStore;
}

export interface AppSettings extends PageSettings {
  /** Where clients reach the service; final only once it listens. */
  readonly publicUrl: () => string;
  /** The path that a proxy puts before all others, such as `/rates`; mostly empty. */
  readonly publicPath: string;
  readonly version: string;
  /** An SPDX identifier. */
  readonly license: string;
  readonly trustedProxies: readonly string[];
  /** Whether clients connect over TLS. */
  readonly overTls: boolean;
  /** Further origins whose pages may call MCP. */
  readonly allowedOrigins: readonly string[];
  readonly listensOnLoopback: boolean;
  /** The maximum number of open connections. */
  readonly connectionsMax: number;
  readonly registration: Registration;
  /** Whether the node shuts down: it still serves, but each response is its connection's last. */
  readonly isShuttingDown: () => boolean;
}

export interface AppDeps {
  readonly register: Register;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  readonly sessions: Sessions;
  readonly emailVerification: EmailVerification;
  readonly passwordResets: PasswordResets;
  readonly deleteAccount: DeleteAccount;
  readonly exportOwnAccount: ExportOwnAccount;
  readonly apiKeys: ApiKeys;
  readonly readRate: ReadRate;
  readonly readUsage: ReadUsage;
  readonly readDailyUsage: ReadDailyUsage;
  readonly readKeyUsage: ReadKeyUsage;
  readonly listPublicKeys: ListPublicKeys;
  readonly coverage: Coverage;
  /** Runs one page of a list, or other unpaid work, per event-loop iteration, in turns. */
  readonly nextIteration: (party?: string) => Promise<void>;
  readonly handleMcpRequest: HandleMcpRequest;
  readonly store: HealthStore & {
    readonly accounts: AccountStore;
    readonly audit: AuditStore;
  };
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "uuid" | "hash">;
  readonly log: Logger;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
  /** Counts the responses; unset without metrics. */
  readonly observeResponse?: ObserveResponse | undefined;
}

/** Builds the HTTP interface: every path, and the envelope for every failure. */
export async function createApp(settings: AppSettings, deps: AppDeps): Promise<App> {
  const { log, logDestination, clock, observeResponse } = deps;
  const { isShuttingDown, connectionsMax } = settings;
  const headers = { ...commonHeaders, ...(settings.overTls ? transportHeaders : {}) };
  const logAccess = createAccessLog({ log, logDestination, clock, observe: observeResponse });
  const app = createServer(settings.trustedProxies);
  const serialize = createSerializer(app.server, headers, clock);
  const closeWithError = createCloseWithError(serialize, log, observeResponse);
  const exchanges = new Exchanges(app.server, isShuttingDown);
  const replyWriter = createReplyWriter(headers, logAccess, exchanges);
  const respondToRead = createRespondToRead({ readRate: deps.readRate, log });
  const respondToMcp = createRespondToMcp({ handleMcpRequest: deps.handleMcpRequest, log });
  const checkOrigin = createOriginCheck(settings);
  const plainForms = [createPlainRead(respondToRead), createPlainCall(respondToMcp, checkOrigin)];
  const parse = createPlainParser(plainForms);
  const admit = createLoopBudget();
  const paceRejection = createRejectionPacer(REJECTIONS_PER_MS);
  const acceptConnection = createConnectionLimit(app.server, connectionsMax, closeWithError, log);
  const { send, sendFailure } = replyWriter;
  const limits = { admit, paceRejection, exchanges };
  installFastPath(app.server, acceptConnection, { ...limits, parse, serialize, logAccess, log });
  replyWriter.addCommonHeaders(app);
  addLoadShedding(app, { ...limits, sendFailure });
  const { publicUrl, publicPath, version, license, registration, mail } = settings;
  const rejectUnmatched = addUnmatchedHandling(
    app,
    replyWriter,
    createNotFoundPage({ registration, mail }),
  );
  handleClientErrors(app.server, { closeWithError, exchanges, rejectUnmatched });
  awaitIgnoredBodies(app);
  app.setErrorHandler(createErrorHandler(log, sendFailure));

  openApiRoute(app, { publicUrl, version, license, schemas });
  const awaitUnpaid = createUnpaidResponses(deps.nextIteration);
  await addSessionRoutes(app, { deps, send, awaitUnpaid });
  rateRoutes(app, { respondToRead, send, sendFailure });
  publicKeyRoutes(app, { listPublicKeys: deps.listPublicKeys });
  await mcpRoutes(app, { respondToMcp, send, checkOrigin, awaitUnpaid, apiKeys: deps.apiKeys });
  healthRoutes(app, { checkStore: () => checkStore(deps.store), isShuttingDown });
  addVisitorsRoutes(app, version, deps);
  const areThere = [consoleRoutes(app, { registration, mail }), guideRoutes(app, publicPath)];
  if (areThere.includes(false)) {
    log.warn("the console or the guide is not built: run `npm run build`");
  }
  return app;
}

/** Adds the routes of accounts: most require a session, and the others lead to one. */
async function addSessionRoutes(
  app: App,
  uses: {
    readonly deps: AppDeps;
    readonly send: SendResponse;
    readonly awaitUnpaid: AwaitUnpaid;
  },
): Promise<void> {
  const { deps, send, awaitUnpaid } = uses;
  const { sessions, emailVerification, passwordResets, apiKeys, coverage, clock, secrets } = deps;
  const { deleteAccount, exportOwnAccount, consumeAuthAttempt } = deps;
  const { readUsage, readDailyUsage, readKeyUsage } = deps;
  const { accounts, audit } = deps.store;
  const { authenticate } = sessions;
  const sessionGuard = createSessionGuard(authenticate);
  const listGuard = createListGuard(sessionGuard, awaitUnpaid);
  const guards = { sessionGuard, listGuard };
  const { sendList, sendPieces } = createListSenders(deps.log, deps.nextIteration, authenticate);
  app.decorateRequest("accountId", null);
  guardBodies(app, sessionGuard);
  registrationRoutes(app, { register: deps.register });
  await authRoutes(app, { sessions, sessionGuard });
  mailTokenRoutes(app, { emailVerification, passwordResets });
  await apiKeyRoutes(app, { apiKeys, ...guards, sendList });
  usageRoutes(app, { readUsage, readDailyUsage, readKeyUsage, ...guards, sendList, send });
  auditRoutes(app, { store: { audit }, listGuard });
  accountRoutes(app, { store: { accounts }, clock, secrets, consumeAuthAttempt, sessionGuard });
  ownAccountRoutes(app, { deleteAccount, exportOwnAccount, ...guards, sendPieces });
  await sessionRoutes(app, { sessions, ...guards, sendList });
  coverageRoutes(app, { coverage, listGuard });
}

/** Every schema that responses refer to by name. */
const schemas = [
  ...accountSchemas,
  ...administrationSchemas,
  ...sessionSchemas,
  ...apiKeySchemas,
  ...auditSchemas,
  ...coverageSchemas,
  ...rateSchemas,
  ...usageSchemas,
];

/** Adds what visitors without an account may know: numbers, publishers and their pairs. */
function addVisitorsRoutes(app: App, version: string, deps: AppDeps): void {
  const { coverage, clock } = deps;
  const readNumbers = async () => {
    const about = await readAbout(version, deps);
    return { body: aboutJson(about), isFetched: about.lastSuccessAt !== undefined };
  };
  const readPublishers = async () => {
    const publishers = await coverage.publishers();
    const isFetched = publishers.some(({ lastSuccessAt }) => lastSuccessAt !== undefined);
    return { body: publishersJson(publishers), isFetched };
  };
  visitorsRoute(app, "/about.json", { read: readNumbers, clock });
  visitorsRoute(app, "/coverage.json", { read: readPublishers, clock });
}

async function readAbout(
  version: string,
  deps: Pick<AppDeps, "coverage" | "store">,
): Promise<About> {
  const owners = (await deps.coverage.sources()).filter(({ pairs }) => pairs > 0);
  const plans = await deps.store.plans.list();
  return {
    version,
    pairs: await deps.coverage.countPairs(),
    publishers: owners.length,
    publishersUpToDate: owners.filter(({ isUpToDate }) => isUpToDate).length,
    publishersFailing: owners.filter(({ failures }) => failures > 0).length,
    lastSuccessAt: owners
      .flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
      .toSorted()
      .at(-1),
    freeUnits: plans.find(({ name }) => name === FREE_PLAN)?.unitsPerPeriod,
  };
}

async function checkStore(store: HealthStore): Promise<StoreReadiness> {
  await store.status.checkWrites();
  const hasRates = await store.rates.hasAny();
  return { hasRates, hasAllPlans: (await store.plans.missing()).length === 0 };
}
