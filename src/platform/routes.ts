import type { DestinationStream, Logger } from "pino";
import type { TSchema } from "typebox";
import { createRejectionPacer } from "./async/rejection-pacer.ts";
import { createAccessLog, type ObserveResponse } from "./http/access-log.ts";
import { createSessionGuard, guardBodies } from "./http/authentication.ts";
import { installFastPath } from "./http/fast-path/connection.ts";
import type { ParsePlainRequest } from "./http/fast-path/plain-request.ts";
import type { App } from "./http/fastify.ts";
import { commonHeaders, transportHeaders } from "./http/headers.ts";
import { healthRoutes } from "./http/health.ts";
import { awaitIgnoredBodies } from "./http/ignored-bodies.ts";
import { openApiRoute } from "./http/openapi/document.ts";
import { createConnectionLimit } from "./http/overload/connection-limit.ts";
import { addLoadShedding } from "./http/overload/load-shedding.ts";
import { createLoopBudget, REJECTIONS_PER_MS } from "./http/overload/loop-budget.ts";
import { createErrorHandler } from "./http/response/error-handler.ts";
import { createListSenders } from "./http/response/list.ts";
import { createReplyWriter } from "./http/response/reply.ts";
import { createSerializer } from "./http/response/serialize.ts";
import { createCloseWithError, handleClientErrors } from "./http/server/client-errors.ts";
import { Exchanges } from "./http/server/exchanges.ts";
import { createServer } from "./http/server/server.ts";
import { addUnmatchedHandling } from "./http/unmatched.ts";
import { createListGuard, createUnpaidResponses } from "./http/unpaid-responses.ts";
import { type About, aboutJson } from "./pages/about.ts";
import { guideRoutes } from "./pages/guide.ts";
import { consoleRoutes } from "./pages/http.ts";
import { createNotFoundPage } from "./pages/not-found.ts";
import type { PageSettings } from "./pages/settings.ts";
import { visitorsRoute } from "./pages/visitors-http.ts";
import type { Clock } from "./shared/clock.ts";
import { license, version } from "./shared/program/version.ts";

export { auditRoutes } from "./audit/http.ts";
export { auditSchemas } from "./audit/json.ts";
export type { App };
export { visitorsRoute };

export interface HttpSettings extends PageSettings {
  /** Where clients reach the service; final only once it listens. */
  readonly publicUrl: () => string;
  /** The path that a proxy puts before all others, such as `/rates`; mostly empty. */
  readonly publicPath: string;
  readonly trustedProxies: readonly string[];
  /** Whether clients connect over TLS. */
  readonly overTls: boolean;
  /** The maximum number of open connections. */
  readonly connectionsMax: number;
  /** Whether the node shuts down: it still serves, but each response is its connection's last. */
  readonly isShuttingDown: () => boolean;
}

export interface HttpDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
  /** Counts the responses; unset without metrics. */
  readonly observeResponse?: ObserveResponse | undefined;
  /** Runs one page of a list, or other unpaid work, per event-loop iteration, in turns. */
  readonly nextIteration: (party?: string) => Promise<void>;
  /** @returns the account of a session's token. @throws {Failure} `unauthorized` */
  readonly authenticate: (token: string | undefined) => Promise<string>;
  readonly parse: ParsePlainRequest;
}

/** Builds the server for every path, with the envelope for every failure; routes come later. */
export function createHttp(settings: HttpSettings, schemas: readonly TSchema[], deps: HttpDeps) {
  const { log, logDestination, clock, observeResponse, parse, authenticate, nextIteration } = deps;
  const { isShuttingDown, connectionsMax, publicUrl, publicPath } = settings;
  const headers = { ...commonHeaders, ...(settings.overTls ? transportHeaders : {}) };
  const logAccess = createAccessLog({ log, logDestination, clock, observe: observeResponse });
  const app = createServer(settings.trustedProxies);
  const serialize = createSerializer(app.server, headers, clock);
  const closeWithError = createCloseWithError(serialize, log, observeResponse);
  const exchanges = new Exchanges(app.server, isShuttingDown);
  const replyWriter = createReplyWriter(headers, logAccess, exchanges);
  const admit = createLoopBudget();
  const paceRejection = createRejectionPacer(REJECTIONS_PER_MS);
  const acceptConnection = createConnectionLimit(app.server, connectionsMax, closeWithError, log);
  const { send, sendFailure } = replyWriter;
  const limits = { admit, paceRejection, exchanges };
  installFastPath(app.server, acceptConnection, { ...limits, parse, serialize, logAccess, log });
  replyWriter.addCommonHeaders(app);
  addLoadShedding(app, { ...limits, sendFailure });
  const notFoundPage = createNotFoundPage(settings);
  const rejectUnmatched = addUnmatchedHandling(app, replyWriter, publicPath, notFoundPage);
  handleClientErrors(app.server, { closeWithError, exchanges, rejectUnmatched });
  awaitIgnoredBodies(app);
  app.setErrorHandler(createErrorHandler(log, sendFailure));

  openApiRoute(app, { publicUrl, version, license, schemas });
  const awaitUnpaid = createUnpaidResponses(nextIteration);
  const sessionGuard = createSessionGuard(authenticate);
  const listGuard = createListGuard(sessionGuard, awaitUnpaid);
  app.decorateRequest("accountId", null);
  guardBodies(app, sessionGuard);
  const senders = createListSenders(log, nextIteration, authenticate);
  return { app, send, sendFailure, awaitUnpaid, sessionGuard, listGuard, ...senders };
}

/** Adds what is not part of the API: health, what visitors may know, the console and the guide. */
export function platformRoutes(
  app: App,
  settings: HttpSettings,
  uses: {
    readonly checkStore: Parameters<typeof healthRoutes>[1]["checkStore"];
    readonly readAbout: () => Promise<Omit<About, "version">>;
    readonly clock: Clock;
    readonly log: Logger;
  },
): void {
  healthRoutes(app, { checkStore: uses.checkStore, isShuttingDown: settings.isShuttingDown });
  const read = async () => {
    const about = await uses.readAbout();
    const isFetched = about.lastSuccessAt !== undefined;
    return { body: aboutJson({ ...about, version }), isFetched };
  };
  visitorsRoute(app, "/about.json", { read, clock: uses.clock });
  const areThere = [consoleRoutes(app, settings), guideRoutes(app, settings.publicPath)];
  if (areThere.includes(false)) {
    uses.log.warn("the console or the guide is not built: run `npm run build`");
  }
}
