import { setTimeout as after } from "node:timers/promises";
import type { DestinationStream, Logger } from "pino";
import { startMails } from "../customers/background.ts";
import { createCustomers, type Passwords, prepareCustomers } from "../customers/use-cases.ts";
import {
  createTrustedNowMs,
  loadMetrics,
  type Metrics,
  startMetrics,
  startOperations,
} from "../operations/background.ts";
import { createIterationQueue } from "../platform/async/iteration-queue.ts";
import type { runOwnCommand } from "../platform/cli/own-command.ts";
import { listen } from "../platform/http/server/listen.ts";
import type { App } from "../platform/routes.ts";
import type { Clock } from "../platform/shared/clock.ts";
import { timestamp } from "../platform/shared/instant.ts";
import { isLoopback } from "../platform/shared/loopback.ts";
import { version } from "../platform/shared/program/version.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import { StoreUnavailable } from "../platform/shared/store.ts";
import { startRateRefresh } from "../rates/background.ts";
import type { RateSource } from "../rates/settings.ts";
import { createRates, prepareRates } from "../rates/use-cases.ts";
import { createReads } from "../reads/use-cases.ts";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Limits } from "./limits.ts";
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
  /** Whether nobody can read from it yet: its store has no account. */
  readonly isNew: boolean;
}

/** The dependencies of the service on the outside world. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** The active sources, in order of precedence. */
  readonly sources: readonly RateSource[];
  readonly limits: Pick<Limits, "server" | "shutdown">;
  readonly log: Logger;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
  /** Runs a command of this program in a process of its own, with the same settings. */
  readonly runCommand: typeof runOwnCommand;
}

/**
 * Builds every part of a server, joins them and listens.
 *
 * @throws {StartupError} with one line for the operator.
 */
export async function startService(config: Config, deps: ServiceDeps): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { log } = deps;
  const metrics = config.metricsPort === undefined ? undefined : await loadMetrics();
  const { observeBatch, observeCall, observeResponse } = metrics?.observers ?? {};
  const onWait = (message: string) => log.warn(message);
  const opened = await openEngine(config, deps.limits.server, onWait, observeBatch);
  const store = starting.use(createStore(opened));
  for (const setting of await store.status.unsafeSettings()) {
    log.warn({ setting }, "a crash of the database's machine can lose acknowledged units");
  }
  const nextIteration = createIterationQueue();
  const parts = { ...deps, store, nextIteration };
  const signDetached = config.signingKey?.signDetached;
  const customers = createCustomers(config, { ...parts, signDetached });
  const rates = createRates(config, parts);
  let url = "";
  const publicUrl = () => config.publicUrl ?? url;
  const reads = createReads({ ...customers, ...rates, ...parts, publicUrl, observeCall });
  await prepareCustomers(config, parts);
  const served = await prepareRates(config, rates, parts);

  let isShuttingDown = false;
  const app = await createApp(
    {
      ...config,
      publicUrl,
      publicPath: new URL(config.publicUrl ?? "http://localhost").pathname.replace(/\/$/, ""),
      overTls: config.publicUrl?.startsWith("https:") ?? false,
      listensOnLoopback: isLoopback(config.host),
      mail: config.smtpUrl === undefined ? "files" : "server",
      isShuttingDown: () => isShuttingDown,
    },
    { ...parts, customers, rates, reads, observeResponse },
  );
  const scraped = starting.use(await serveMetrics(metrics, config, { ...parts, app }));
  starting.defer(() => drain(app, deps));
  url = await listen(app.server, (address) => app.listen(address), config, "");
  log.info({ url, version }, "listening");
  log.flush();
  const trustedNowMs = createTrustedNowMs(parts);
  const { claimJob } = store.cleanup;
  starting.use(startRateRefresh(config, { ...parts, headersOf: rates.headersOf }, served));
  starting.use(startMails(config, { ...parts, publicUrl, trustedNowMs, claimJob }));
  starting.use(startOperations(config, parts));

  const isNew = await hasNoAccount(store);
  const running = starting.move();
  return {
    url,
    isNew,
    metricsUrl: scraped?.url,
    async [Symbol.asyncDispose]() {
      isShuttingDown = true;
      await after(config.shutdownDelaySeconds * 1000);
      await running.disposeAsync();
    },
  };
}

/** @throws {StartupError} */
async function serveMetrics(
  metrics: Metrics | undefined,
  config: Config,
  deps: ServiceDeps & { readonly store: Store; readonly app: App },
) {
  const { metricsHost: host, metricsPort: port, database } = config;
  if (metrics === undefined || port === undefined) return undefined;
  const about = { version, store: database.engine === "sqlite" ? "sqlite" : "postgresql" } as const;
  const uses = { ...deps, about, backups: config, server: deps.app.server };
  return startMetrics(metrics, { host, port }, uses);
}

/** Stops accepting and waits for requests in flight; cuts off those that take too long. */
async function drain(app: App, { passwords, limits: { shutdown } }: ServiceDeps): Promise<void> {
  const closePasswords = setTimeout(() => passwords.close(), shutdown.passwordsMs);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), shutdown.drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(closePasswords);
    clearTimeout(cutOff);
  }
}

/** Whether nobody has an account yet: not known, and so false, where the store fails meanwhile. */
async function hasNoAccount({ accounts }: Store): Promise<boolean> {
  try {
    return (await accounts.list(timestamp(0), "", 1)).length === 0;
  } catch (error) {
    // The server runs: each use of the store says and logs what has happened to it.
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
}
