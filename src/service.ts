import type { AddressInfo } from "node:net";
import type { DestinationStream, Logger } from "pino";
import { loadCommonPasswords } from "./adapters/common-passwords.ts";
import { type App, createApp } from "./adapters/http/app.ts";
import { isLoopback } from "./adapters/loopback.ts";
import { createMailer } from "./adapters/mail/mailer.ts";
import { loadSnapshot } from "./adapters/sources/snapshot.ts";
import { openSqliteStore } from "./adapters/storage/sqlite/open.ts";
import { createRegister } from "./application/accounts.ts";
import { createApiKeys } from "./application/api-keys.ts";
import { createAuthLimit } from "./application/auth-limit.ts";
import { createConvertCurrency } from "./application/convert-currency.ts";
import { createDeliverMail, type DeliveryReport } from "./application/deliver-mail.ts";
import { createEmailVerification } from "./application/email-verification.ts";
import { keepMailMoving } from "./application/mail-loop.ts";
import type { Mailer } from "./application/mail-ports.ts";
import { createHashNewPassword } from "./application/new-password.ts";
import { createPasswordResets } from "./application/password-reset.ts";
import { type Clock, type Secrets, StartError, type Store } from "./application/ports.ts";
import { createReadRate } from "./application/rates.ts";
import { keepRatesFresh } from "./application/refresh-loop.ts";
import { createRefreshSource, type RefreshReport } from "./application/refresh-rates.ts";
import { createSessions } from "./application/sessions.ts";
import type { RateSource } from "./application/source-ports.ts";
import { storeSnapshot } from "./application/store-rates.ts";
import { createReadUsage } from "./application/usage.ts";
import type { Config } from "./config.ts";
import { FREE_PLAN } from "./domain/billing.ts";
import { createSuccession } from "./domain/succession.ts";
import { version } from "./version.ts";

/** How long a server waits, blocking, for another process that writes to its database. */
const SERVER_BUSY_TIMEOUT_MS = 1000;

/** What is in flight at the stop has this long; the stop as a whole takes less than 10 s. */
const DRAIN_MS = 8000;

/** Mails that are in hand at the stop have this long. */
const MAIL_DRAIN_MS = 1000;

/** The outside world, as the service meets it. */
export interface World {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The sources that are switched on, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** Where the log's lines go. */
  readonly logDestination: DestinationStream;
}

/** A running service. Disposing of it stops accepting, finishes what is in flight and closes. */
export interface Service extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
}

/**
 * The composition root: builds every part, joins them and listens.
 *
 * @throws {StartError} with one line for the operator.
 */
export async function startService(config: Config, world: World): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { clock, log } = world;
  const store = starting.use(openSqliteStore(config.dataDirectory, SERVER_BUSY_TIMEOUT_MS));
  const { freePlanUnits } = config;
  if (freePlanUnits !== undefined) {
    await store.setPlan({ name: FREE_PLAN, unitsPerPeriod: freePlanUnits });
  }
  const snapshot = await storeSnapshot(store, clock, loadSnapshot);
  if (snapshot !== undefined) {
    const dates = snapshot.map(({ source, publishedOn }) => `${source} of ${publishedOn}`);
    log.warn({ snapshot: dates }, "serving the bundled snapshot until newer rates are stored");
  }

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
    },
    joinUseCases(config, store, world),
  );
  starting.defer(() => drain(app));
  url = await listen(app, config);
  log.info({ url, version }, "listening");
  log.flush();
  starting.use(startRefreshing(config, store, world));
  starting.use(startMailing(store, starting.use(createMailer(config, publicUrl)), world));

  const running = starting.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function joinUseCases(config: Config, store: Store, world: World) {
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
  const mcp = { ...world, readRate, convertCurrency, readUsage, apiKeys, version };
  return {
    ...world,
    store,
    apiKeys,
    readRate,
    readUsage,
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

/** Keeps rates fresh in the background; disposing ends it, a fetch that is under way too. */
function startRefreshing(config: Config, store: Store, world: World): AsyncDisposable {
  const { sources, log } = world;
  const abort = new AbortController();
  const { rateSources: activeSources, maxRateJump: maxJump } = config;
  const judge = createSuccession({ activeSources, maxJump });
  const refreshSource = createRefreshSource({ ...world, store, judge });
  const ended = keepRatesFresh(
    {
      ...world,
      store,
      sources,
      refreshSource,
      onReport: (report) => logReport(log, report),
      onError: (source, err) => log.error({ source, err }, "rates could not be refreshed"),
    },
    abort.signal,
  );
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
}

/**
 * Delivers mail in the background; disposing ends it, after a moment for the mails in hand: what is
 * broken off is sent again by the next start.
 */
function startMailing(store: Store, mailer: Mailer, world: World): AsyncDisposable {
  const { log } = world;
  const stop = new AbortController();
  const breakOff = new AbortController();
  const onError = (err: unknown) => log.error({ err }, "mail could not be worked on");
  const onReport = (report: DeliveryReport) => logDelivery(log, report);
  const deliverMail = createDeliverMail({ ...world, store, mailer, onReport });
  const ended = keepMailMoving(
    { ...world, store, deliverMail, onError },
    { stop: stop.signal, breakOff: breakOff.signal },
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      const cutOff = setTimeout(() => breakOff.abort(new Error("Kurs stopped")), MAIL_DRAIN_MS);
      await ended;
      clearTimeout(cutOff);
    },
  };
}

function logDelivery(log: Logger, report: DeliveryReport): void {
  if (report.error === undefined) log.info(report, "a mail was delivered");
  else if (report.nextAttemptAt !== undefined) log.warn(report, "a mail could not be delivered");
  else log.error(report, "a mail was given up: see kurs mail list");
}

function logReport(log: Logger, { rejections, ...report }: RefreshReport): void {
  if (report.error !== undefined) log.warn(report, "a source failed: serving what is stored");
  else log.info({ ...report, rejected: rejections.length }, "a source was fetched");
  for (const { reason } of rejections) log.warn({ source: report.source, reason }, "rejected");
  if (report.held > 0) log.warn(report, "rates are held: see kurs rates held");
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const advice = adviceOf.get((error as { code?: string }).code ?? "");
    if (advice === undefined) throw error;
    throw new StartError(`Cannot listen on ${host} port ${port}: ${advice}.`, error);
  }
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`;
}

const adviceOf = new Map([
  ["EADDRINUSE", "another program uses it; end that program, or set PORT to another number"],
  ["EACCES", "this user may not; set PORT to a number above 1023"],
  ["EADDRNOTAVAIL", "this machine has no such address; set HOST to one of its own"],
  ["ENOTFOUND", "the name is not known; set HOST to an address of this machine"],
  ["EAI_AGAIN", "the name cannot be looked up; set HOST to an address of this machine"],
]);

/** Stops accepting and waits for what is in flight; what takes too long is cut off. */
async function drain(app: App): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cutOff);
  }
}
