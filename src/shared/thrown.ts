import type { Logger } from "pino";
import { Failure, serviceOverloaded } from "./failure.ts";
import { StoreOverloaded, StoreUnavailable } from "./store.ts";

/** @returns what the caller is told of whatever was thrown: a known failure, or that we failed. */
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

/** What broke is logged with its cause, of which the answer says nothing. */
export function logFailure(log: Logger, failure: Failure, requestId: string): void {
  if (failure.cause !== undefined) {
    log.error({ request_id: requestId, code: failure.code, err: failure.cause }, failure.message);
  }
}

/**
 * What the system says when it has no more files, memory, threads or room to give; and what Node
 * says for it where it loads a part late, and a package.json on the way cannot be opened.
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
