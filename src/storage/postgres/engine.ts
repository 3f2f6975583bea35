import type { PoolClient, QueryResult } from "pg";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../async/concurrency-limit.ts";
import { StoreUnavailable, storeOverloaded } from "../../shared/store.ts";
import type { Engine, Row, SqlValue, Statement, Transaction } from "../engine.ts";
import { isConflict, isFailoverError, storeError } from "./errors.ts";
import type { Primary, PrimarySettings } from "./primary.ts";

/** Time for connecting and for reporting a timeout, besides the statement's own. */
const MARGIN_MS = 300;

/** The longest wait for a connection that other work uses. */
const WAIT_MS_MAX = 250;

/** One for metered reads and one for priority queries, so that other work never delays them. */
const RESERVED_CONNECTIONS = 2;

/** A transaction that conflicts with another one is run again at most this many times. */
const CONFLICT_RETRIES = 5;

/** Keeps statements well within their limit of 65,535 parameters. */
const MAX_ROWS_PER_STATEMENT = 500;

// The primary keys find the rows in this order, account by account; other months are not read. The
// inner limit ensures that: without it PostgreSQL may join whole tables.
const DAILY_UNITS = `
  SELECT a.id AS account_id, a.email, a.deleted_at, a.plan, u.day, u.api_key_id,
    (SELECT key_prefix FROM api_keys k WHERE k.id = u.api_key_id) AS key_prefix, u.units
  FROM accounts a CROSS JOIN LATERAL (
    SELECT day, api_key_id, units FROM daily_usage
    WHERE account_id = a.id AND day <= $5 AND (day, api_key_id) > (
      CASE WHEN a.id = $1 THEN $2 ELSE substr($2, 1, 7) END,
      CASE WHEN a.id = $1 THEN $3 ELSE '' END)
    ORDER BY day, api_key_id LIMIT $6
  ) u
  WHERE a.id >= $1 AND a.id <= $4
  ORDER BY a.id, u.day, u.api_key_id LIMIT $6`;

// The primary key finds the rows of the month: at most some 6,000, because an account has at most
// 100 active keys.
const MONTH_OF_KEYS = `
  SELECT api_key_id, max(day) AS day, CAST(sum(units) AS bigint) AS units FROM daily_usage
  WHERE account_id = $1 AND day >= $2 || '-01' AND day <= $2 || '-31'
    AND api_key_id >= $3 AND api_key_id <= $4
  GROUP BY api_key_id`;

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

type Use<Result> = (client: PoolClient) => Promise<Result>;

/** Runs one statement, prepared once per connection. */
export type RunStatement = (
  client: PoolClient,
  sql: string,
  values: readonly unknown[],
) => Promise<QueryResult>;

export interface PostgresEngine extends Engine {
  readonly run: RunStatement;
  /** Uses a connection without queuing behind other work. @throws {StoreUnavailable} */
  withPriorityConnection<Result>(use: Use<Result>): Promise<Result>;
}

/**
 * The engine on a migrated database. Owns the primary's connections.
 *
 * @param settings `statementTimeoutMs` plus a margin limits the time of every call, including the
 *   wait for a connection; 0: no limit.
 */
export function createPostgresEngine(
  primary: Primary,
  { connectionsMax, statementTimeoutMs }: PrimarySettings,
): PostgresEngine {
  const deadlineMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + MARGIN_MS;
  const run = createRunStatement();
  const connectionLimit = createConcurrencyLimit({
    concurrency: Math.max(1, connectionsMax - RESERVED_CONNECTIONS),
    // A command waits without a limit.
    ...(statementTimeoutMs === 0 ? {} : { maxWaitMs: WAIT_MS_MAX }),
    rejection: storeOverloaded,
  });

  /** Uses a connection. An error leaves it in an unknown state, so it is closed then. */
  const withClient = async <Result>(startMs: number, use: Use<Result>) => {
    const client = await primary.connect().catch(failAsStore);
    try {
      // The caller already has the timeout error: no statement may run, and charge, after it.
      if (deadlineMs > 0 && performance.now() - startMs > deadlineMs) throw tooLate(deadlineMs);
      const result = await use(client);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };

  const attempt = async <Result>(
    use: Use<Result>,
    runLimited: ConcurrencyLimit["run"] = connectionLimit.run,
  ) => {
    const startMs = performance.now();
    try {
      return await within(
        deadlineMs,
        runLimited(() => withClient(startMs, use)),
      );
    } catch (error) {
      if (error instanceof StoreUnavailable && isFailoverError(error.cause)) primary.invalidate();
      throw error;
    }
  };

  const rowsOf = (sql: string, parameters: readonly SqlValue[]) => async (client: PoolClient) =>
    (await run(client, sql, parameters)).rows as Row[];

  return {
    maxRowsPerStatement: MAX_ROWS_PER_STATEMENT,

    dailyUnits: DAILY_UNITS,

    monthOfKeys: MONTH_OF_KEYS,

    query: (sql, ...parameters) => attempt(rowsOf(sql, parameters)),

    queryWithPriority: (sql, ...parameters) => attempt(rowsOf(sql, parameters), bypassLimit),

    transaction: (steps, lock) =>
      attempt(async (client) => {
        for (let retries = 0; ; retries += 1) {
          try {
            return await runThrough(client, run, steps(), lock);
          } catch (error) {
            const cause = error instanceof StoreUnavailable ? error.cause : error;
            if (!isConflict(cause) || retries === CONFLICT_RETRIES) throw error;
          }
        }
      }),

    run,

    withPriorityConnection: (use) => attempt(use, bypassLimit),

    // The search for the primary checks that it accepts writes.
    checkWrites: async () => undefined,

    // Writers do not lock the whole database here, as they do in the embedded file.
    hasOtherWriters: async () => false,

    [Symbol.asyncDispose]: () => primary[Symbol.asyncDispose](),
  };
}

const bypassLimit: ConcurrencyLimit["run"] = (task) => task();

function createRunStatement(): RunStatement {
  const names = new Map<string, string>();
  return (client, text, values) => {
    let name = names.get(text);
    if (name === undefined) {
      name = `kurs-${names.size}`;
      names.set(text, name);
    }
    return client.query({ name, text, values: [...values] }).catch(failAsStore);
  };
}

function failAsStore(error: unknown): never {
  throw storeError(error);
}

async function runThrough<Result>(
  client: PoolClient,
  run: RunStatement,
  steps: Transaction<Result>,
  lock: string | undefined,
): Promise<Result> {
  await run(client, "BEGIN", []);
  const result = await stepThrough(client, run, steps, lock).catch(async (error) => {
    // Throws the first error. A connection whose ROLLBACK failed is not kept.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  });
  // Even a COMMIT that fails ends the transaction, so there is nothing to roll back after it.
  await run(client, "COMMIT", []);
  return result;
}

async function stepThrough<Result>(
  client: PoolClient,
  run: RunStatement,
  steps: Transaction<Result>,
  lock: string | undefined,
): Promise<Result> {
  if (lock !== undefined) await run(client, LOCK, [lock]);
  let step = steps.next();
  while (step.done !== true) {
    const { sql, parameters }: Statement = step.value;
    step = steps.next((await run(client, sql, parameters)).rows as Row[]);
  }
  return step.value;
}

function tooLate(deadlineMs: number): StoreUnavailable {
  return new StoreUnavailable(new Error(`PostgreSQL did not respond within ${deadlineMs} ms`));
}

/** Rejects at the deadline. The work continues in the background; its outcome is unknown. */
async function within<Result>(deadlineMs: number, work: Promise<Result>): Promise<Result> {
  if (deadlineMs === 0) return work;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(tooLate(deadlineMs));
  }, deadlineMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
