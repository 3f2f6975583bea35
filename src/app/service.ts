import { once } from "node:events";
import type { ListenOptions } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import type { DestinationStream } from "pino";
import { createDeleteAccount } from "../customers/administration/administration.ts";
import { createExportOwnAccount } from "../customers/administration/export.ts";
import { createApiKeys } from "../customers/api-keys/api-keys.ts";
import { createAuthLimiter } from "../customers/auth-limit/auth-limiter.ts";
import { FREE_PLAN } from "../customers/billing/rules.ts";
import {
  createReadDailyUsage,
  createReadKeyUsage,
  createReadUsage,
} from "../customers/billing/usage.ts";
import { createMailer } from "../customers/mail/transport/create-mailer.ts";
import {
  createEmailVerification,
  createPasswordResets,
} from "../customers/mailed-links/mailed-links.ts";
import { createHashNewPassword } from "../customers/passwords/new-password.ts";
import { createRegister } from "../customers/registration/register.ts";
import { createSessions } from "../customers/sessions/sessions.ts";
import type { Observers } from "../operations/metrics/counts.ts";
import type { Metrics } from "../operations/metrics/metrics.ts";
import { createIterationQueue } from "../platform/async/iteration-queue.ts";
import { loadCommonPasswords } from "../platform/crypto/common-passwords.ts";
import type { App } from "../platform/http/fastify.ts";
import { listen } from "../platform/http/server/listen.ts";
import { timestamp } from "../platform/shared/instant.ts";
import { isLoopback } from "../platform/shared/loopback.ts";
import { originNow } from "../platform/shared/origin.ts";
import { license, version } from "../platform/shared/program/version.ts";
import type { StoreTimeouts } from "../platform/storage/settings.ts";
import { createCoverage } from "../rates/coverage/coverage.ts";
import { seedFromSnapshot } from "../rates/import/seed.ts";
import { createListPublicKeys, type SigningKey } from "../rates/served/signing-key.ts";
import { loadSnapshot } from "../rates/sources/fetching/snapshot.ts";
import { createCountMissed } from "../rates/sources/outlook.ts";
import type { RateSource } from "../rates/sources/source.ts";
import { createConvertCurrency } from "../reads/metering/convert.ts";
import { createReadRate } from "../reads/metering/read-rate.ts";
import { createApp } from "./app.ts";
import {
  type BackgroundDeps,
  startBackups,
  startCleanup,
  startMailDelivery,
  startQuotaNotices,
  startRateRefresh,
} from "./background.ts";
import type { Config } from "./config.ts";
import type { ShutdownLimits } from "./limits.ts";
import { createStore, openEngine, type Store } from "./store.ts";

/**
 * A running service. Disposing it makes it report not ready, continue to serve for the configured
 * delay, stop accepting, finish the requests in flight and close.
 */
export interface Service extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where its metrics are scraped: `http://127.0.0.1:9090/metrics`; undefined without metrics. */
  readonly metricsUrl: string | undefined;
}

/** The dependencies of the service on the outside world. */
export interface ServiceDeps extends BackgroundDeps {
  readonly storeTimeouts: StoreTimeouts;
  readonly shutdownLimits: ShutdownLimits;
  /** Every source, also those that are switched off, in order of precedence. */
  readonly knownSources: readonly RateSource[];
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
}

/**
 * The composition root: builds every part, joins them and listens.
 *
 * @throws {StartupError} with one line for the operator.
 */
export async function startService(config: Config, deps: ServiceDeps): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { log } = deps;
  const metrics = config.metricsPort === undefined ? undefined : await loadMetrics();
  const onWait = (message: string) => log.warn(message);
  const observeBatch = metrics?.observers.observeBatch;
  const opened = await openEngine(config, deps.storeTimeouts, onWait, observeBatch);
  const store = starting.use(createStore(opened));
  for (const setting of await store.status.unsafeSettings()) {
    log.warn({ setting }, "a crash of the database's machine can lose acknowledged units");
  }
  const { freePlanUnits } = config;
  if (freePlanUnits !== undefined) {
    const plan = { name: FREE_PLAN, unitsPerPeriod: freePlanUnits };
    await store.plans.set(plan, originNow({ kind: "service" }, deps));
  }
  const served = await seed(store, config, deps);

  let isShuttingDown = false;
  let url = "";
  const publicUrl = () => config.publicUrl ?? url;
  const app = await createApp(
    {
      publicUrl,
      publicPath: new URL(config.publicUrl ?? "http://localhost").pathname.replace(/\/$/, ""),
      version,
      license,
      trustedProxies: config.trustedProxies,
      overTls: config.publicUrl?.startsWith("https:") ?? false,
      allowedOrigins: config.allowedOrigins,
      listensOnLoopback: isLoopback(config.host),
      connectionsMax: config.connectionsMax,
      registration: config.registration,
      mail: config.smtpUrl === undefined ? "files" : "server",
      isShuttingDown: () => isShuttingDown,
    },
    createUseCases(config, store, deps, metrics?.observers),
  );
  const metricsUrl = await serveMetrics(metrics, config, { ...deps, store, app }, starting);
  starting.defer(() => drain(app, deps));
  url = await listen(app.server, (address) => app.listen(address), config, "");
  log.info({ url, version }, "listening");
  log.flush();
  starting.use(startRateRefresh(config, store, deps, served));
  starting.use(startCleanup(config, store, deps));
  starting.use(startQuotaNotices(store, deps));
  if (config.backupSchedule !== undefined) {
    starting.use(startBackups(config.backupSchedule, config, store, deps));
  }
  starting.use(startMailDelivery(store, starting.use(createMailer(config, publicUrl)), deps));

  const running = starting.move();
  return {
    url,
    metricsUrl,
    async [Symbol.asyncDispose]() {
      isShuttingDown = true;
      await after(config.shutdownDelaySeconds * 1000);
      await running.disposeAsync();
    },
  };
}

/** Seeds a store without rates. @returns what is served until rates are fetched. */
async function seed(store: Store, { signingKey }: Config, deps: ServiceDeps): Promise<string> {
  const { log, headersOf, packContent } = deps;
  const origin = originNow({ kind: "service" }, deps);
  await prepareHeaders(store, signingKey, deps);
  const uses = { origin, headersOf, packContent };
  const snapshot = await seedFromSnapshot(store.rates, uses, loadSnapshot);
  if (snapshot === undefined) return "the stored rates";
  const dates = snapshot.map(({ source, publishedOn }) => `${source} of ${publishedOn}`);
  log.warn({ snapshot: dates }, "serving the bundled snapshot until newer rates are stored");
  const newest = snapshot
    .map(({ publishedOn }) => publishedOn)
    .toSorted()
    .at(-1);
  return `the snapshot of ${newest}`;
}

/** Adds the headers that stored rates lack, and the key that signs them. */
async function prepareHeaders(
  { rates, signingKeys }: Store,
  signingKey: SigningKey | undefined,
  { clock, headersOf, log }: ServiceDeps,
): Promise<void> {
  const now = timestamp(clock.nowMs());
  if (signingKey !== undefined) {
    await signingKeys.add(signingKey, now);
    const signed = await rates.renewHeaders("without a signature", headersOf, now);
    log.info({ key: signingKey.id, signed }, "rates are signed");
    return;
  }
  await rates.renewHeaders("without headers", headersOf, now);
  if ((await signingKeys.listInUse()).length > 0) {
    log.warn("stored rates are signed, but new ones are not: SIGNING_KEY_FILE is not set");
  }
}

/** Loaded only when metrics are configured: 30 ms and 4 MB at startup. */
async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("../operations/metrics/metrics.ts");
  return createMetrics();
}

/** @returns where they are scraped. @throws {StartupError} */
async function serveMetrics(
  metrics: Metrics | undefined,
  config: Config,
  deps: ServiceDeps & { readonly store: Store; readonly app: App },
  starting: AsyncDisposableStack,
): Promise<string | undefined> {
  const { metricsHost: host, metricsPort: port, database } = config;
  if (metrics === undefined || port === undefined) return undefined;
  const about = { version, store: database.engine === "sqlite" ? "sqlite" : "postgresql" } as const;
  const { server } = starting.use(
    metrics.serve({ ...deps, about, backups: config, server: deps.app.server }),
  );
  const open = async (address: ListenOptions) => {
    server.listen(address);
    await once(server, "listening");
  };
  const url = `${await listen(server, open, { host, port }, "METRICS_")}/metrics`;
  deps.log.info({ url }, "serving metrics");
  return url;
}

function createUseCases(config: Config, store: Store, deps: ServiceDeps, observers?: Observers) {
  const { clock, secrets, log } = deps;
  const { authCallsPerWindow: callsPerWindow, authWindowSeconds: windowSeconds } = config;
  const { requireVerifiedEmail, registration } = config;
  const parts = { store, clock, secrets };
  const consumeAuthAttempt = createAuthLimiter({ ...parts, callsPerWindow, windowSeconds });
  const hashNewPassword = createHashNewPassword({ secrets, loadCommonPasswords });
  const apiKeys = createApiKeys(parts);
  const readRate = createReadRate({ ...parts, countMissed: createCountMissed(deps.knownSources) });
  const readUsage = createReadUsage(parts);
  const sessions = createSessions({ ...parts, consumeAuthAttempt, requireVerifiedEmail });
  const convertCurrency = createConvertCurrency({ readRate, apiKeys });
  const switchedOn = deps.sources.map(({ key }) => key);
  const nextIteration = createIterationQueue();
  const coverage = createCoverage({
    store: { ...store.sources, ...store.coverage },
    clock,
    knownSources: deps.knownSources,
    nextIteration,
    switchedOn,
  });
  const observeCall = observers?.observeCall;
  const onError = (err: unknown) => log.error({ err }, "the end of an export was not recorded");
  const reading = { readRate, convertCurrency, readUsage, coverage };
  const mcp = { ...reading, apiKeys, version, log, observeCall };
  return {
    clock,
    secrets,
    log,
    logDestination: deps.logDestination,
    observeResponse: observers?.observeResponse,
    store,
    consumeAuthAttempt,
    apiKeys,
    readRate,
    readUsage,
    readDailyUsage: createReadDailyUsage(parts),
    readKeyUsage: createReadKeyUsage(parts),
    listPublicKeys: createListPublicKeys(store, config.signingKey),
    coverage,
    nextIteration,
    handleMcpRequest: lazy(async () => {
      const { createMcpEndpoint } = await import("../reads/mcp/endpoint.ts");
      return createMcpEndpoint(mcp);
    }),
    register: createRegister({ ...parts, registration, consumeAuthAttempt, hashNewPassword }),
    sessions,
    emailVerification: createEmailVerification({ ...parts, consumeAuthAttempt }),
    passwordResets: createPasswordResets({ ...parts, consumeAuthAttempt, hashNewPassword }),
    deleteAccount: createDeleteAccount({ ...parts, consumeAuthAttempt }),
    exportOwnAccount: createExportOwnAccount({ ...parts, consumeAuthAttempt, onError }),
  };
}

/**
 * Creates a part on its first call. The official MCP SDK takes 40 MB and a tenth of a second to
 * load, which a node without MCP calls saves.
 */
function lazy<Given, Result>(
  make: () => Promise<(given: Given) => Promise<Result>>,
): (given: Given) => Promise<Result> {
  let call = async (given: Given): Promise<Result> => {
    call = await make();
    return call(given);
  };
  return (given) => call(given);
}

/** Stops accepting and waits for requests in flight; cuts off those that take too long. */
async function drain(app: App, { secrets, shutdownLimits }: ServiceDeps): Promise<void> {
  const closePasswords = setTimeout(() => secrets.closePasswords(), shutdownLimits.passwordsMs);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), shutdownLimits.drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(closePasswords);
    clearTimeout(cutOff);
  }
}
