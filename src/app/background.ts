import type { Cron } from "croner";
import type { Logger } from "pino";
import { runQuotaNoticeLoop } from "../customers/billing/quota-notices.ts";
import {
  createDeliverMail,
  type DeliveryReport,
  runDeliveryLoop,
} from "../customers/mail/deliver.ts";
import type { Mailer } from "../customers/mail/mailer.ts";
import { runBackupLoop } from "../operations/backups/backup-loop.ts";
import { runCleanupLoop } from "../operations/cleanup/cleanup.ts";
import { createTrustedNowMs } from "../operations/cleanup/trusted-time.ts";
import { CommandError } from "../platform/cli/command.ts";
import type { runOwnCommand } from "../platform/cli/own-command.ts";
import type { Clock } from "../platform/shared/clock.ts";
import { originNow } from "../platform/shared/origin.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import type { HeadersOf } from "../rates/served/headers.ts";
import type { PackContent } from "../rates/served/history.ts";
import { createUpdatePolicy } from "../rates/served/rules/update-policy.ts";
import { createRefreshSource, type RefreshReport } from "../rates/sources/refresh.ts";
import { runRefreshLoop } from "../rates/sources/refresh-loop.ts";
import type { RateSource } from "../rates/sources/source.ts";
import type { Config } from "./config.ts";
import type { Store } from "./store.ts";

// Background work. Each part is disposed of before the store that it uses.

export interface BackgroundDeps {
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The active sources, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** Computes the headers of the rates that are stored. */
  readonly headersOf: HeadersOf;
  readonly packContent: PackContent;
  /** A number from 0 to 1, for the jitter of a backoff. */
  readonly random: () => number;
  /** Runs a command of this program in a process of its own, with the same settings. */
  readonly runCommand: typeof runOwnCommand;
}

/** How long a shutdown waits for mails that are being delivered. */
const MAIL_DRAIN_MS = 1000;

/**
 * Refreshes rates in the background; disposing stops it and aborts a running fetch.
 *
 * @param served what is served without a network, for the log: "the snapshot of 2026-11-20".
 */
export function startRateRefresh(
  config: Config,
  store: Store,
  deps: BackgroundDeps,
  served: string,
): AsyncDisposable {
  const { log } = deps;
  const policy = createUpdatePolicy(config);
  const origin = () => originNow({ kind: "service" }, deps);
  const refreshSource = createRefreshSource({ ...deps, store, policy, origin });
  const onReports = refreshLogger(deps, served);
  const onError = (source: string, err: unknown) =>
    log.error({ source, err }, "rates could not be refreshed");
  return runUntilDisposed((signal) =>
    runRefreshLoop({ ...deps, store, refreshSource, onReports, onError }, signal),
  );
}

/** Removes expired rows in the background; disposing stops it. */
export function startCleanup(
  { auditDays, historyDays }: Config,
  store: Store,
  { clock, log }: BackgroundDeps,
): AsyncDisposable {
  const onError = (err: unknown) => log.error({ err }, "expired rows could not be removed");
  const onClockAhead = (trusted: string) =>
    log.warn(
      { trusted },
      "the clock is over a day ahead: nothing is removed by its age until kurs clock accept",
    );
  const uses = { store, clock, auditDays, historyDays, onClockAhead, onError };
  return runUntilDisposed((signal) => runCleanupLoop(uses, signal));
}

/** Mails accounts that reach a threshold of their quota; disposing stops it. */
export function startQuotaNotices(
  store: Store,
  { clock, secrets, log }: BackgroundDeps,
): AsyncDisposable {
  const { claimJob } = store.cleanup;
  const onError = (err: unknown) => log.error({ err }, "mails about quotas could not be written");
  const uses = { store, clock, secrets, claimJob, onError };
  return runUntilDisposed((signal) => runQuotaNoticeLoop(uses, signal));
}

/**
 * Takes and verifies backups by a schedule, and removes old ones; disposing stops it and ends a
 * running one. A process of its own does the work: a copy of 293 MB blocks it for 1.5 s.
 */
export function startBackups(
  schedule: Cron,
  { backupsKept }: Config,
  store: Store,
  { clock, log, runCommand }: BackgroundDeps,
): AsyncDisposable {
  const { claimJob } = store.cleanup;
  const takeBackup = async (signal: AbortSignal): Promise<void> => {
    const args = ["backup", "--verify", "--keep", String(backupsKept), "--json"];
    const { exitCode, stdout, stderr } = await runCommand(args, signal);
    if (exitCode !== 0) throw new CommandError(stderr.trim() || "its process was killed");
    log.info({ backup: JSON.parse(stdout) as unknown }, "a backup was taken and verified");
  };
  const onError = (err: unknown) => {
    const isExplained = err instanceof CommandError;
    log.error(isExplained ? { error: err.message } : { err }, "a scheduled backup failed");
  };
  return runUntilDisposed((signal) =>
    runBackupLoop({ schedule, clock, claimJob, takeBackup, onError }, signal),
  );
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
  const trustedNowMs = createTrustedNowMs({ ...deps, store });
  const deliverMail = createDeliverMail({ ...deps, store, mailer, trustedNowMs, onReport });
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

/** Logs what was fetched. Without a network one line replaces a warning for each attempt. */
function refreshLogger({ log, sources }: BackgroundDeps, served: string) {
  let isOffline = false;
  return (reports: readonly RefreshReport[]): void => {
    const isUnreachable = reports.every((report) => report.isUnreachable);
    // Before, all sources failed together; now one at a time, since their retries are spread.
    if (isUnreachable && (isOffline || reports.length === sources.length)) {
      const named = { sources: reports.map(({ source }) => source), error: reports[0]?.error };
      if (isOffline) log.debug(named, "still offline");
      else log.warn(named, `offline: serving ${served} until the network is back`);
      isOffline = true;
      return;
    }
    if (reports.some(({ error }) => error === undefined)) isOffline = false;
    for (const report of reports) logReport(log, report);
  };
}

function logReport(log: Logger, { rejections, isUnreachable: _, ...report }: RefreshReport): void {
  if (report.error !== undefined) log.warn(report, "a source failed: serving what is stored");
  else log.info({ ...report, rejected: rejections.length }, "a source was fetched");
  for (const { reason } of rejections) log.warn({ source: report.source, reason }, "rejected");
  if (report.held > 0) log.warn(report, "rates are held: see kurs rates held");
}
