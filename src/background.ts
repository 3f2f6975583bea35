import type { Logger } from "pino";
import { runCleanupLoop } from "./cleanup/cleanup.ts";
import type { Config } from "./config.ts";
import { createDeliverMail, type DeliveryReport } from "./mail/deliver.ts";
import { runDeliveryLoop } from "./mail/delivery-loop.ts";
import type { Mailer } from "./mail/mailer.ts";
import { createRefreshSource, type RefreshReport } from "./rates/refresh.ts";
import { runRefreshLoop } from "./rates/refresh-loop.ts";
import { createUpdatePolicy } from "./rates/rules/update-policy.ts";
import type { RateSource } from "./rates/source.ts";
import type { Clock } from "./shared/clock.ts";
import type { Secrets } from "./shared/secrets.ts";
import type { Store } from "./store.ts";

// Background work. Each part is disposed of before the store that it uses.

export interface BackgroundDeps {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The active sources, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
}

/** How long a shutdown waits for mails that are being delivered. */
const MAIL_DRAIN_MS = 1000;

/** Refreshes rates in the background; disposing stops it and aborts a running fetch. */
export function startRateRefresh(
  config: Config,
  store: Store,
  deps: BackgroundDeps,
): AsyncDisposable {
  const { log } = deps;
  const judge = createUpdatePolicy(config);
  const refreshSource = createRefreshSource({ ...deps, store, judge });
  const onReport = (report: RefreshReport) => logReport(log, report);
  const onError = (source: string, err: unknown) =>
    log.error({ source, err }, "rates could not be refreshed");
  return runUntilDisposed((signal) =>
    runRefreshLoop({ ...deps, store, refreshSource, onReport, onError }, signal),
  );
}

/** Removes expired rows in the background; disposing stops it. */
export function startCleanup(store: Store, { clock, log }: BackgroundDeps): AsyncDisposable {
  const onError = (err: unknown) => log.error({ err }, "expired rows could not be removed");
  return runUntilDisposed((signal) => runCleanupLoop({ store, clock, onError }, signal));
}

function runUntilDisposed(loop: (signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const abort = new AbortController();
  const ended = loop(abort.signal);
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
  deps: BackgroundDeps,
): AsyncDisposable {
  const { log } = deps;
  const stop = new AbortController();
  const abort = new AbortController();
  const onError = (err: unknown) => log.error({ err }, "the mail delivery loop failed");
  const onReport = (report: DeliveryReport) => logDelivery(log, report);
  const deliverMail = createDeliverMail({ ...deps, store, mailer, onReport });
  const ended = runDeliveryLoop(
    { ...deps, store, deliverMail, onError },
    { stop: stop.signal, abort: abort.signal },
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      const cutOff = setTimeout(() => abort.abort(new Error("Kurs stopped")), MAIL_DRAIN_MS);
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
