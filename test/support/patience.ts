import { type Limits, limits } from "../../src/app/limits.ts";

/** Longer than a machine is slow, busy or stopped; a test in which a limit must strike sets less. */
const PATIENCE_MS = Number(process.env.KURS_TEST_PATIENCE_MS ?? 120_000);

/**
 * The limits of a program that must succeed on every machine. A start waits for SQLite while it
 * blocks the process, which may be the one that has to let go: those limits stay.
 */
export const patience: Limits = {
  server: { ...limits.server, statementTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS },
  command: { ...limits.command, connectTimeoutMs: PATIENCE_MS },
  shutdown: { drainMs: PATIENCE_MS, passwordsMs: PATIENCE_MS },
};

/** For a server whose process never holds the lock of SQLite that it waits for. */
export const patientServer: Limits["server"] = {
  ...patience.server,
  busyTimeoutMs: limits.command.busyTimeoutMs,
};
