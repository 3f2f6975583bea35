import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { Failure } from "../../shared/failure.ts";
import { unchargedHeaders } from "../headers.ts";
import type { CloseWithError } from "../server/client-errors.ts";

/** Open files besides client connections: database, log, modules, threads, PostgreSQL. */
const OTHER_FILES = 200;

/**
 * A rejected client gets a 503, at most this many at once; further connections are closed without a
 * response.
 */
const MAX_REJECTING = 100;

/** Rejections come by the thousand: one log line counts those of an interval. */
const LOG_INTERVAL_MS = 10_000;

const tooMany = new Failure(
  "temporarily_unavailable",
  "Too many connections are open. Please retry, and use a connection for more than one request.",
  { retryAfterSeconds: 1 },
);

/**
 * Limits the number of open connections, at most to the process's limit of open files: a server
 * that exhausts it can neither accept connections nor open its own files.
 *
 * @returns whether a new connection is accepted. If not, it gets a 503 and is closed.
 */
export function createConnectionLimit(
  server: Server,
  connectionsMax: number,
  closeWithError: CloseWithError,
  log: Logger,
): (socket: Socket) => boolean {
  const files = openFilesMax();
  const most = Math.max(1, Math.min(connectionsMax, files - OTHER_FILES - MAX_REJECTING));
  if (most < connectionsMax) {
    const advice = "the limit of open files allows fewer connections: raise it (ulimit -n)";
    log.warn({ files, connections: most }, advice);
  }
  server.maxConnections = most + MAX_REJECTING;
  let open = 0;
  const logRejection = createRejectionLog(log, most);

  server.on("drop", logRejection);
  return (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    if (open <= most) return true;
    logRejection();
    closeWithError(socket, tooMany, unchargedHeaders);
    return false;
  };
}

/** Logs the number of rejected connections, at most once an interval. */
function createRejectionLog(log: Logger, connections: number): () => void {
  let rejected = 0;
  let hasLogged = false;
  const report = () => {
    hasLogged = rejected > 0;
    if (!hasLogged) return;
    log.warn({ connections, rejected }, "connections were rejected: too many are open");
    rejected = 0;
    setTimeout(report, LOG_INTERVAL_MS).unref();
  };
  return () => {
    rejected += 1;
    if (!hasLogged) report();
  };
}

/** @returns the process's limit of open files; infinity where the system does not report it. */
function openFilesMax(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(soft, 10);
  } catch {
    // Only Linux has this file; elsewhere only the configured limit applies.
    return Number.POSITIVE_INFINITY;
  }
}
