import { sessionRequired } from "../../platform/shared/failure.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { type Engine, statement, type Transaction } from "../../platform/storage/engine.ts";

/** The condition of a key that is not revoked, on a row of `api_keys`; it may have ended. */
export const NOT_REVOKED = "revoked_at IS NULL";

/**
 * The condition of an active key, on a row of `api_keys`.
 *
 * @param now the time, or its parameter: `$3`.
 * @param alias of the table, with a dot.
 */
export const activeKey = (now: string, alias = "") =>
  `${alias}${NOT_REVOKED} AND (${alias}expires_at IS NULL OR ${alias}expires_at > ${now})`;

/** The condition of a key `k` that may read until its end: its account `a` is active, too. */
export const USABLE_KEY = `k.${NOT_REVOKED} AND a.suspended_at IS NULL`;

/** Locks an account's row until the transaction ends: a deletion, which begins with it, waits. */
export const LOCK_ACCOUNT = `
  UPDATE accounts SET email = email WHERE id = $1 AND deleted_at IS NULL RETURNING id`;

/** As `LOCK_ACCOUNT`, by the email. */
export const LOCK_BY_EMAIL = "UPDATE accounts SET email = email WHERE email = $1 RETURNING id";

/** As `LOCK_ACCOUNT`, of an account that is not suspended. */
export const LOCK_OWNER = `
  UPDATE accounts SET email = email
  WHERE id = $1 AND suspended_at IS NULL AND deleted_at IS NULL RETURNING id`;

const LOCK_SESSION = `
  UPDATE sessions SET expires_at = expires_at
  WHERE token_hash = $1 AND expires_at > $2 RETURNING token_hash`;

/**
 * Runs a transaction, that of an owner only while the session has access: it is stored and not
 * expired, and its account neither suspended nor deleted. Both rows stay locked until the end, the
 * account's first, so that what ends the access comes before all of the transaction or after it. A
 * condition in the steps' own statements is not enough: on PostgreSQL a statement that has waited
 * for its row sees the other tables as they were before.
 *
 * @throws {Failure} `unauthorized`, when the session has no access: nothing is changed.
 */
export async function transactionBy<Result>(
  engine: Engine,
  { session, at }: Origin,
  steps: () => Transaction<Result>,
  lock?: string,
): Promise<Result> {
  const outcome = await engine.transaction(function* () {
    if (session !== undefined) {
      if ((yield statement(LOCK_OWNER, session.accountId)).length === 0) return undefined;
      if ((yield statement(LOCK_SESSION, session.tokenHash, at)).length === 0) return undefined;
    }
    return { result: yield* steps() };
  }, lock);
  if (outcome === undefined) throw sessionRequired;
  return outcome.result;
}
