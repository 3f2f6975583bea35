import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { loadCommonPasswords } from "./adapters/common-passwords.ts";
import { type App, createApp } from "./adapters/http/app.ts";
import { isLoopback } from "./adapters/loopback.ts";
import { createMailer } from "./adapters/mail/mailer.ts";
import type { Metrics } from "./adapters/metrics/metrics.ts";
import type { Observers } from "./adapters/observers.ts";
import { loadSnapshot } from "./adapters/sources/snapshot.ts";
import { openStore, serverPatience } from "./adapters/storage/open.ts";
import { createRegister } from "./application/accounts.ts";
import { createApiKeys } from "./application/api-keys.ts";
import { createAuthLimit } from "./application/auth-limit.ts";
import { createConvertCurrency } from "./application/convert-currency.ts";
import { createEmailVerification } from "./application/email-verification.ts";
import { createHashNewPassword } from "./application/new-password.ts";
import { createPasswordResets } from "./application/password-reset.ts";
import { type Secrets, StartError, type Store } from "./application/ports.ts";
import { createReadRate } from "./application/rates.ts";
import { createSessions } from "./application/sessions.ts";
import { storeSnapshot } from "./application/store-rates.ts";
import { createReadDailyUsage, createReadUsage } from "./application/usage.ts";
import { startMailing, startRefreshing, startTidying } from "./background.ts";
import type { Config } from "./config.ts";
import { FREE_PLAN } from "./domain/billing.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";

/** What is in flight at the stop has this long; the stop as a whole takes less than 10 s. */
const DRAIN_MS = 8000;

/**
 * Passwords that are not hashed by then are refused: requests that a client sent behind a log-in
 * have their responses after it, and metered reads among them are charged already.
 */
const PASSWORDS_MS = 5000;

const CONSOLE_DIRECTORY = join(import.meta.dirname, "../console/dist");

/**
 * A running service. Disposing of it says that it is not ready any more, goes on serving for the
 * configured delay, stops accepting, finishes what is in flight and closes.
 */
export interface Service extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where its metrics are scraped: `http://127.0.0.1:9090/metrics`; undefined: nowhere. */
  readonly metricsUrl: string | undefined;
}

/**
 * The composition root: builds every part, joins them and listens.
 *
 * @throws {StartError} with one line for the operator.
 */
export async function startService(config: Config, world: World): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { clock, log } = world;
  const metrics = config.metricsPort === undefined ? undefined : await loadMetrics();
  const observeBatch = metrics?.observers.observeBatch;
  const store = starting.use(await openStore(config, serverPatience, observeBatch));
  const { freePlanUnits } = config;
  if (freePlanUnits !== undefined) {
    await store.setPlan({ name: FREE_PLAN, unitsPerPeriod: freePlanUnits });
  }
  const snapshot = await storeSnapshot(store, clock, loadSnapshot);
  if (snapshot !== undefined) {
    const dates = snapshot.map(({ source, publishedOn }) => `${source} of ${publishedOn}`);
    log.warn({ snapshot: dates }, "serving the bundled snapshot until newer rates are stored");
  }

  let isLeaving = false;
  let url = "";
  const publicUrl = () => config.publicUrl ?? url;
  const app = await createApp(
    {
      publicUrl,
      version,
      trustedProxies: config.trustedProxies,
      overTls: config.publicUrl?.startsWith("https:") ?? false,
      allowedOrigins: config.allowedOrigins,
      listensOnLoopback: isLoopback(config.host),
      consoleDirectory: CONSOLE_DIRECTORY,
      connectionsMax: config.connectionsMax,
      isLeaving: () => isLeaving,
    },
    joinUseCases(config, store, world, metrics?.observers),
  );
  const metricsUrl = await serveMetrics(metrics, config, { ...world, store, app }, starting);
  starting.defer(() => drain(app, world.secrets));
  url = await listen(app.server, (address) => app.listen(address), config, "");
  log.info({ url, version }, "listening");
  log.flush();
  starting.use(startRefreshing(config, store, world));
  starting.use(startTidying(store, world));
  starting.use(startMailing(store, starting.use(createMailer(config, publicUrl)), world));

  const running = starting.move();
  return {
    url,
    metricsUrl,
    async [Symbol.asyncDispose]() {
      isLeaving = true;
      await after(config.shutdownDelaySeconds * 1000);
      await running.disposeAsync();
    },
  };
}

/** Only who counts loads what counts: 30 ms and 4 MB of a start. */
async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("./adapters/metrics/metrics.ts");
  return createMetrics();
}

/** @returns where they are scraped. @throws {StartError} */
async function serveMetrics(
  metrics: Metrics | undefined,
  { metricsHost: host, metricsPort: port, databaseHosts }: Config,
  uses: World & { readonly store: Store; readonly app: App },
  starting: AsyncDisposableStack,
): Promise<string | undefined> {
  if (metrics === undefined || port === undefined) return undefined;
  const kind = databaseHosts === undefined ? "sqlite" : "postgresql";
  const about = { version, store: kind } as const;
  const { server } = starting.use(metrics.serve({ ...uses, about, server: uses.app.server }));
  const open = async (address: { host: string; port: number }) => {
    server.listen(address);
    await once(server, "listening");
  };
  const url = `${await listen(server, open, { host, port }, "METRICS_")}/metrics`;
  uses.log.info({ url }, "serving metrics");
  return url;
}

function joinUseCases(config: Config, store: Store, world: World, observers?: Observers) {
  const { clock, secrets } = world;
  const { authCallsPerWindow: callsPerWindow, authWindowSeconds: windowSeconds } = config;
  const { requireVerifiedEmail } = config;
  const parts = { store, clock, secrets };
  const spendAuthCall = createAuthLimit({ ...parts, callsPerWindow, windowSeconds });
  const hashNewPassword = createHashNewPassword({ secrets, loadCommonPasswords });
  const apiKeys = createApiKeys(parts);
  const readRate = createReadRate(parts);
  const readUsage = createReadUsage(parts);
  const convertCurrency = createConvertCurrency({ readRate, apiKeys });
  const mcp = { ...world, ...observers, readRate, convertCurrency, readUsage, apiKeys, version };
  return {
    ...world,
    observeAnswer: observers?.observeAnswer,
    store,
    apiKeys,
    readRate,
    readUsage,
    readDailyUsage: createReadDailyUsage(parts),
    answerMcp: whenFirstCalled(async () => {
      const { createMcpEndpoint } = await import("./adapters/mcp/endpoint.ts");
      return createMcpEndpoint(mcp);
    }),
    register: createRegister({ ...parts, spendAuthCall, hashNewPassword }),
    sessions: createSessions({ ...parts, spendAuthCall, requireVerifiedEmail }),
    emailVerification: createEmailVerification({ ...parts, spendAuthCall }),
    passwordResets: createPasswordResets({ ...parts, spendAuthCall, hashNewPassword }),
  };
}

/**
 * Makes a part when it is first called. The official SDK of MCP takes 40 MB and a tenth of a second
 * to load, which nobody shall pay who does not use it.
 */
function whenFirstCalled<Given, Result>(
  make: () => Promise<(given: Given) => Promise<Result>>,
): (given: Given) => Promise<Result> {
  let call = async (given: Given): Promise<Result> => {
    call = await make();
    return call(given);
  };
  return (given) => call(given);
}

/**
 * @param prefix of the variables that host and port come from.
 * @returns where it listens.
 * @throws {StartError}
 */
async function listen(
  server: Server,
  open: (address: { host: string; port: number }) => Promise<unknown>,
  { host, port }: { readonly host: string; readonly port: number },
  prefix: "" | "METRICS_",
): Promise<string> {
  try {
    await open({ host, port });
  } catch (error) {
    const advice = adviceOf.get((error as { code?: string }).code ?? "");
    if (advice === undefined) throw error;
    const told = advice.replace(/\{(HOST|PORT)\}/, `${prefix}$1`);
    throw new StartError(`Cannot listen on ${host} port ${port}: ${told}.`, error);
  }
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`;
}

const adviceOf = new Map([
  ["EADDRINUSE", "another program uses it; end that program, or set {PORT} to another number"],
  ["EACCES", "this user may not; set {PORT} to a number above 1023"],
  ["EADDRNOTAVAIL", "this machine has no such address; set {HOST} to one of its own"],
  ["ENOTFOUND", "the name is not known; set {HOST} to an address of this machine"],
  ["EAI_AGAIN", "the name cannot be looked up; set {HOST} to an address of this machine"],
]);

/** Stops accepting and waits for what is in flight; what takes too long is cut off. */
async function drain(app: App, secrets: Secrets): Promise<void> {
  const closePasswords = setTimeout(() => secrets.closePasswords(), PASSWORDS_MS);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(closePasswords);
    clearTimeout(cutOff);
  }
}
