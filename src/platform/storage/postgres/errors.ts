import { DatabaseError } from "pg";
import { StoreUnavailable } from "../../shared/store.ts";

// Conditions by their SQLSTATE (PostgreSQL, appendix A).
const INTEGRITY_CONSTRAINT_VIOLATION = "23";
const FOREIGN_KEY_VIOLATION = "23503";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const READ_ONLY_SQL_TRANSACTION = "25006";
const CONNECTION_EXCEPTION = "08";
const OPERATOR_INTERVENTION = "57P";

/** Wraps a failure of the database itself; returns a bug of this program as it is. */
export function storeError(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    return isIntegrityViolation(error) ? error : new StoreUnavailable(error);
  }
  return isConnectionError(error) ? new StoreUnavailable(error) : error;
}

/** Whether the database rejected a statement, and undid it, because a row contradicts others. */
export function isIntegrityViolation(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return error.code?.startsWith(INTEGRITY_CONSTRAINT_VIOLATION) ?? false;
}

const conflicts: ReadonlySet<string | undefined> = new Set([
  SERIALIZATION_FAILURE,
  DEADLOCK_DETECTED,
  // Another transaction removed the row, or began to refer to it, after this one had checked that.
  FOREIGN_KEY_VIOLATION,
]);

/** Whether a transaction was rolled back because it conflicted with another one. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && conflicts.has(error.code);
}

/** Whether the database itself reported that a statement failed, and so that it was undone. */
export function isUndone(error: unknown): boolean {
  return error instanceof DatabaseError && !isFailoverError(error);
}

/** Whether the server may be gone, or may no longer accept writes. */
export function isFailoverError(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return isConnectionError(error);
  const { code = "" } = error;
  return (
    code === READ_ONLY_SQL_TRANSACTION ||
    code.startsWith(CONNECTION_EXCEPTION) ||
    code.startsWith(OPERATOR_INTERVENTION)
  );
}

/**
 * pg throws plain errors for broken connections and timeouts. Node throws an AggregateError for a
 * host with several addresses. Bugs of ours are TypeErrors.
 */
function isConnectionError(error: unknown): boolean {
  return error instanceof AggregateError || (error instanceof Error && error.name === "Error");
}
