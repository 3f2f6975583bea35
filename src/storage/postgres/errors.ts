import { DatabaseError } from "pg";
import { StoreUnavailable } from "../../shared/store.ts";

// Conditions by their SQLSTATE (PostgreSQL, appendix A).
const INTEGRITY_CONSTRAINT_VIOLATION = "23";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const READ_ONLY_SQL_TRANSACTION = "25006";
const CONNECTION_EXCEPTION = "08";
const OPERATOR_INTERVENTION = "57P";

/** What the database itself could not do is the store's failure; the rest is this program's. */
export function storeError(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const isOurs = error.code?.startsWith(INTEGRITY_CONSTRAINT_VIOLATION) ?? false;
    return isOurs ? error : new StoreUnavailable(error);
  }
  return isConnectionError(error) ? new StoreUnavailable(error) : error;
}

/** Whether nothing of a transaction was kept because another one was in the way. */
export function isConflict(error: unknown): boolean {
  const code = error instanceof DatabaseError ? error.code : undefined;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** Whether the server may not be there any more, or take no writes any more. */
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
 * pg tells of broken and late connections by plain errors, Node of a host with several addresses by
 * an error for each; mistakes of ours are TypeErrors.
 */
function isConnectionError(error: unknown): boolean {
  return error instanceof AggregateError || (error instanceof Error && error.name === "Error");
}
