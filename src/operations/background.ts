import { once } from "node:events";
import type { ListenOptions } from "node:net";
import type { Cron } from "croner";
import type { Logger } from "pino";
import { runUntilDisposed } from "../platform/async/until-disposed.ts";
import { CommandError } from "../platform/cli/command.ts";
import type { runOwnCommand } from "../platform/cli/own-command.ts";
import { listen } from "../platform/http/server/listen.ts";
import type { Clock } from "../platform/shared/clock.ts";
import { runBackupLoop } from "./backups/backup-loop.ts";
import { runCleanupLoop } from "./cleanup/cleanup.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { OperationSettings } from "./settings.ts";

export { createTrustedNowMs } from "./cleanup/trusted-time.ts";
export type { Metrics };

interface Uses {
  readonly store: Parameters<typeof runCleanupLoop>[0]["store"];
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs a command of this program in a process of its own, with the same settings. */
  readonly runCommand: typeof runOwnCommand;
}

/** Removes what has expired and takes backups in the background; disposing stops both. */
export function startOperations(settings: OperationSettings, uses: Uses): AsyncDisposable {
  const work = new AsyncDisposableStack();
  work.use(startCleanup(settings, uses));
  const { backupSchedule, backupsKept } = settings;
  if (backupSchedule !== undefined) work.use(startBackups(backupSchedule, backupsKept, uses));
  return work;
}

function startCleanup({ auditDays, historyDays }: OperationSettings, uses: Uses): AsyncDisposable {
  const { log } = uses;
  const onError = (err: unknown) => log.error({ err }, "expired rows could not be removed");
  const onClockAhead = (trusted: string) =>
    log.warn(
      { trusted },
      "the clock is over a day ahead: nothing is removed by its age until kurs clock accept",
    );
  return runUntilDisposed((signal) =>
    runCleanupLoop({ ...uses, auditDays, historyDays, onClockAhead, onError }, signal),
  );
}

/**
 * Takes and verifies backups by a schedule, and removes old ones; disposing stops it and ends a
 * running one. A process of its own does the work: a copy of 293 MB blocks it for 1.5 s.
 */
function startBackups(
  schedule: Cron,
  backupsKept: number,
  { store, clock, log, runCommand }: Uses,
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

/** Loaded only when metrics are configured: 30 ms and 4 MB at startup. */
export async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("./metrics/metrics.ts");
  return createMetrics();
}

/** Serves metrics to scrapers. Disposing stops it. @throws {StartupError} */
export async function startMetrics(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
  uses: Parameters<Metrics["serve"]>[0],
): Promise<AsyncDisposable & { readonly url: string }> {
  await using starting = new AsyncDisposableStack();
  const { server } = starting.use(metrics.serve(uses));
  const open = async (options: ListenOptions) => {
    server.listen(options);
    await once(server, "listening");
  };
  const url = `${await listen(server, open, address, "METRICS_")}/metrics`;
  uses.log.info({ url }, "serving metrics");
  const started = starting.move();
  return { url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
