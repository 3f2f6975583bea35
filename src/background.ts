import type { Logger } from "pino";
import { runCleanupLoop } from "./cleanup/cleanup.ts";
import type { Config } from "./config.ts";
import { createDeliverMail, type DeliveryReport } from "./mail/deliver.ts";
import { runDeliveryLoop } from "./mail/delivery-loop.ts";
import type { Mailer } from "./mail/mailer.ts";
import { createRefreshSource, type RefreshReport } from "./rates/refresh.ts";
import { runRefreshLoop } from "./rates/refresh-loop.ts";
import { createUpdatePolicy } from "./rates/rules/update-policy.ts";
import type { Store } from "./store.ts";
import type { ServiceDependencies } from "./world.ts";

// Background work. Each part is disposed of before the store that it uses.

/** How long a shutdown waits for mails that are being delivered. */
const MAIL_DRAIN_MS = 1000;

/** Refreshes rates in the background; disposing stops it and aborts a running fetch. */
export function startRateRefresh(
  config: Config,
  store: Store,
  world: ServiceDependencies,
): AsyncDisposable {
  const { sources, log } = world;
  const abort = new AbortController();
  const { rateSources: activeSources, maxRateJump: maxJump } = config;
  const judge = createUpdatePolicy({ activeSources, maxJump });
  const refreshSource = createRefreshSource({ ...world, store, judge });
  const ended = runRefreshLoop(
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

/** Removes expired rows in the background; disposing stops it. */
export function startCleanup(store: Store, { clock, log }: ServiceDependencies): AsyncDisposable {
  const abort = new AbortController();
  const onError = (err: unknown) => log.error({ err }, "expired rows could not be removed");
  const ended = runCleanupLoop({ store, clock, onError }, abort.signal);
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
}

/**
 * Delivers mail in the background; disposing stops it, after MAIL_DRAIN_MS for the mails that are
 * being delivered. Aborted ones are sent again after the next start.
 */
export function startMailDelivery(
  store: Store,
  mailer: Mailer,
  world: ServiceDependencies,
): AsyncDisposable {
  const { log } = world;
  const stop = new AbortController();
  const breakOff = new AbortController();
  const onError = (err: unknown) => log.error({ err }, "the mail delivery loop failed");
  const onReport = (report: DeliveryReport) => logDelivery(log, report);
  const deliverMail = createDeliverMail({ ...world, store, mailer, onReport });
  const ended = runDeliveryLoop(
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
