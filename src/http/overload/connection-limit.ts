import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { Failure } from "../../shared/failure.ts";
import type { CloseWithError } from "../client-errors.ts";

/** Files that a node needs besides its connections: database, log, modules, threads, PostgreSQL. */
const OTHER_FILES = 200;

/** Who is turned away is told so, up to so many at a time; beyond them connections just close. */
const MAX_REJECTING = 100;

/** Clients come by the thousand then; one line tells of all that came meanwhile. */
const LOG_INTERVAL_MS = 10_000;

const tooMany = new Failure(
  "temporarily_unavailable",
  "Too many connections are open. Please retry, and use a connection for more than one request.",
  { retryAfterSeconds: 1 },
);

/**
 * Limits the connections that are open at once, to what the process has files for at most: a server
 * that runs out of files can neither take connections nor open what it works with.
 *
 * @returns whether a new connection may stay. One that may not is answered for, and closed.
 */
export function createConnectionLimit(
  server: Server,
  connectionsMax: number,
  { answerRaw, log }: { readonly answerRaw: CloseWithError; readonly log: Logger },
): (socket: Socket) => boolean {
  const files = openFilesMax();
  const most = Math.max(1, Math.min(connectionsMax, files - OTHER_FILES - MAX_REJECTING));
  if (most < connectionsMax) {
    const advice = "the limit of open files allows fewer connections: raise it (ulimit -n)";
    log.warn({ files, connections: most }, advice);
  }
  server.maxConnections = most + MAX_REJECTING;
  let open = 0;
  const note = countNow(log, most);

  server.on("drop", note);
  return (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    if (open <= most) return true;
    note();
    answerRaw(socket, tooMany);
    return false;
  };
}

/** Logs how many were turned away, at most once an interval. */
function countNow(log: Logger, connections: number): () => void {
  let turnedAway = 0;
  let isTold = false;
  const tell = () => {
    isTold = turnedAway > 0;
    if (!isTold) return;
    log.warn({ connections, turnedAway }, "connections were turned away: there are too many");
    turnedAway = 0;
    setTimeout(tell, LOG_INTERVAL_MS).unref();
  };
  return () => {
    turnedAway += 1;
    if (!isTold) tell();
  };
}

/** @returns how many files this process may have open, where the system tells. */
function openFilesMax(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(soft, 10);
  } catch {
    // Only Linux has this file; elsewhere the operator's number counts.
    return Number.POSITIVE_INFINITY;
  }
}
