import type { Logger } from "pino";
import { Failure, serviceOverloaded } from "./failure.ts";
import { StoreOverloaded, StoreUnavailable } from "./store.ts";

/** @returns the failure to send for a thrown value; `internal_error` for an unexpected one. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof StoreOverloaded) return serviceOverloaded;
  if (error instanceof StoreUnavailable || isShortage(error)) {
    const options = { retryAfterSeconds: 1, cause: error };
    return new Failure("temporarily_unavailable", serviceOverloaded.message, options);
  }
  const message = "Something went wrong on our side. The request id helps to find it.";
  return new Failure("internal_error", message, { cause: error });
}

/** Logs a failure that has a cause, which the response does not reveal. */
export function logFailure(log: Logger, failure: Failure, requestId: string): void {
  if (failure.cause !== undefined) {
    log.error({ request_id: requestId, code: failure.code, err: failure.cause }, failure.message);
  }
}

/**
 * The error codes for a lack of file descriptors, memory, threads or disk space; and Node's code
 * for it when it loads a module late and cannot open a package.json on its path.
 */
const shortages = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOSPC",
  "ERR_INVALID_PACKAGE_CONFIG",
  "ERR_WORKER_INIT_FAILED",
  "ERR_WORKER_OUT_OF_MEMORY",
]);

function isShortage(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && shortages.has(code);
}
