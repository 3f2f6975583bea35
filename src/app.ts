import type { DestinationStream, Logger } from "pino";
import { accountRoutes } from "./accounts/http.ts";
import { accountSchemas } from "./accounts/json.ts";
import type { AccountStore } from "./accounts/store.ts";
import type { DeleteAccount } from "./administration/deletion.ts";
import type { ExportOwnAccount } from "./administration/export.ts";
import { ownAccountRoutes } from "./administration/http.ts";
import { administrationSchemas } from "./administration/json.ts";
import type { ApiKeys } from "./api-keys/api-keys.ts";
import { apiKeyRoutes } from "./api-keys/http.ts";
import { apiKeySchemas } from "./api-keys/json.ts";
import { createRejectionPacer } from "./async/rejection-pacer.ts";
import { auditRoutes } from "./audit/http.ts";
import { auditSchemas } from "./audit/json.ts";
import type { AuditStore } from "./audit/store.ts";
import type { ConsumeAuthAttempt } from "./auth-limit/auth-limiter.ts";
import { usageRoutes } from "./billing/http.ts";
import { usageSchemas } from "./billing/json.ts";
import { FREE_PLAN } from "./billing/rules.ts";
import type { PlanStore } from "./billing/store.ts";
import type { ReadDailyUsage, ReadKeyUsage, ReadUsage } from "./billing/usage.ts";
import type { Coverage } from "./coverage/coverage.ts";
import { coverageRoutes } from "./coverage/http.ts";
import { coverageSchemas, publishersJson } from "./coverage/json.ts";
import { createAccessLog, type ObserveResponse } from "./http/access-log.ts";
import { createSessionGuard, guardBodies } from "./http/authentication.ts";
import { installFastPath } from "./http/fast-path/connection.ts";
import type { ParsePlainRequest } from "./http/fast-path/plain-request.ts";
import type { App } from "./http/fastify.ts";
import { commonHeaders, transportHeaders } from "./http/headers.ts";
import { healthRoutes, type StoreReadiness } from "./http/health.ts";
import { awaitIgnoredBodies } from "./http/ignored-bodies.ts";
import { openApiRoute } from "./http/openapi/document.ts";
import { createConnectionLimit } from "./http/overload/connection-limit.ts";
import { addLoadShedding } from "./http/overload/load-shedding.ts";
import { createLoopBudget, REJECTIONS_PER_MS } from "./http/overload/loop-budget.ts";
import { createErrorHandler } from "./http/response/error-handler.ts";
import { createListSenders } from "./http/response/list.ts";
import { createReplyWriter, type SendResponse } from "./http/response/reply.ts";
import { createSerializer } from "./http/response/serialize.ts";
import { createCloseWithError, handleClientErrors } from "./http/server/client-errors.ts";
import { trackExchanges } from "./http/server/exchanges.ts";
import { createServer } from "./http/server/server.ts";
import { addUnmatchedHandling } from "./http/unmatched.ts";
import {
  type AwaitUnpaid,
  createListGuard,
  createUnpaidResponses,
} from "./http/unpaid-responses.ts";
import type { EmailVerification } from "./mailed-links/email-verification.ts";
import { mailTokenRoutes } from "./mailed-links/http.ts";
import type { PasswordResets } from "./mailed-links/password-reset.ts";
import { createMessageParser } from "./mcp/fast-path.ts";
import { createRespondToMcp, mcpRoutes } from "./mcp/http.ts";
import { createOriginCheck } from "./mcp/origin-check.ts";
import type { HandleMcpRequest } from "./mcp/request.ts";
import { createReadParser } from "./metering/fast-path.ts";
import { createRespondToRead, rateRoutes } from "./metering/http.ts";
import type { ReadRate } from "./metering/read-rate.ts";
import { type About, aboutJson } from "./pages/about.ts";
import { guideRoutes } from "./pages/guide.ts";
import { consoleRoutes } from "./pages/http.ts";
import { createNotFoundPage } from "./pages/not-found.ts";
import type { PageSettings } from "./pages/settings.ts";
import { visitorsRoute } from "./pages/visitors-http.ts";
import { publicKeyRoutes } from "./rates/http.ts";
import { rateSchemas } from "./rates/json.ts";
import type { ListPublicKeys } from "./rates/signing-key.ts";
import type { RateStore } from "./rates/store.ts";
import { registrationRoutes } from "./registration/http.ts";
import type { Register } from "./registration/register.ts";
import type { Registration } from "./registration/rules.ts";
import { authRoutes, sessionRoutes } from "./sessions/http.ts";
import { sessionSchemas } from "./sessions/json.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Clock } from "./shared/clock.ts";
import type { Secrets } from "./shared/secrets.ts";
import type { StoreStatus } from "./shared/store.ts";

const FIRST_OF_POST = "P".charCodeAt(0);

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
  const exchanges = trackExchanges(app.server, isShuttingDown);
  const replyWriter = createReplyWriter(headers, logAccess, exchanges);
  const respondToRead = createRespondToRead({ readRate: deps.readRate, log });
  const respondToMcp = createRespondToMcp({ handleMcpRequest: deps.handleMcpRequest, log });
  const checkOrigin = createOriginCheck(settings);
  const parsePlainRead = createReadParser(respondToRead);
  const parsePlainMessage = createMessageParser({ respondToMcp, checkOrigin });
  const parse: ParsePlainRequest = (bytes) =>
    bytes[0] === FIRST_OF_POST ? parsePlainMessage(bytes) : parsePlainRead(bytes);
  const admit = createLoopBudget();
  const paceRejection = createRejectionPacer(REJECTIONS_PER_MS);
  const acceptConnection = createConnectionLimit(app.server, connectionsMax, closeWithError, log);
  const { send, sendFailure } = replyWriter;
  const limits = { admit, paceRejection, exchanges };
  installFastPath(app.server, { ...limits, parse, serialize, logAccess, acceptConnection, log });
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
