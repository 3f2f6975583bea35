import type { PoolClient, QueryResult } from "pg";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../async/concurrency-limit.ts";
import { StoreUnavailable, storeOverloaded } from "../../shared/store.ts";
import type { Engine, Row, SqlValue, Statement, Transaction } from "../engine.ts";
import { isConflict, isFailoverError, storeError } from "./errors.ts";
import type { Primary, PrimarySettings } from "./primary.ts";

/** What connecting and giving up may take besides the statement itself. */
const MARGIN_MS = 300;

/** Nobody waits longer than this for a connection that others use. */
const WAIT_MS_MAX = 250;

/** One for the metered reads and one for what comes first: no other work is ever in their way. */
const CONNECTIONS_KEPT = 2;

/** A transaction that another one was in the way of is run again so often. */
const CONFLICT_RETRIES = 5;

/** Their values are well within the 65,535 parameters that a statement may have. */
const ROWS_AT_ONCE = 500;

// The primary key finds the rows and has them in this order. Keys are not joined: a revoked key's
// units are told, too.
const DAILY_UNITS = `
  SELECT day, api_key_id, units FROM daily_usage
  WHERE account_id = $1 AND (day, api_key_id) > ($2, $3) AND day <= $4
  ORDER BY day, api_key_id LIMIT $5`;

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

type Use<Result> = (client: PoolClient) => Promise<Result>;

/** Runs one statement, which is prepared once on each connection. */
export type RunStatement = (
  client: PoolClient,
  sql: string,
  values: readonly unknown[],
) => Promise<QueryResult>;

export interface PostgresEngine extends Engine {
  readonly run: RunStatement;
  /** Uses a connection that other work is never in the way of. @throws {StoreUnavailable} */
  withPriorityConnection<Result>(use: Use<Result>): Promise<Result>;
}

/**
 * The engine on a migrated database. Owns the primary's connections.
 *
 * @param patience `statementTimeoutMs` bounds, with a margin, how long anything may take, waiting
 *   for a connection included; 0: nothing does.
 */
export function createPostgresEngine(
  primary: Primary,
  { connectionsMax, statementTimeoutMs }: PrimarySettings,
): PostgresEngine {
  const deadlineMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + MARGIN_MS;
  const run = createRunStatement();
  const inTurn = createConcurrencyLimit({
    atOnce: Math.max(1, connectionsMax - CONNECTIONS_KEPT),
    // A command has all the time that it needs.
    ...(statementTimeoutMs === 0 ? {} : { waitMs: WAIT_MS_MAX }),
    whenFull: storeOverloaded,
  });

  /** Uses a connection, and keeps it only where no error has left it in an unknown state. */
  const withClient = async <Result>(startMs: number, use: Use<Result>) => {
    const client = await primary.connect().catch(failAsStore);
    try {
      // Whoever asked was told no already: nothing may be done, and charged, after that.
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
    pass: ConcurrencyLimit["pass"] = inTurn.pass,
  ) => {
    const startMs = performance.now();
    try {
      return await within(
        deadlineMs,
        pass(() => withClient(startMs, use)),
      );
    } catch (error) {
      if (error instanceof StoreUnavailable && isFailoverError(error.cause)) primary.doubt();
      throw error;
    }
  };

  const rowsOf = (sql: string, parameters: readonly SqlValue[]) => async (client: PoolClient) =>
    (await run(client, sql, parameters)).rows as Row[];

  return {
    maxRowsPerStatement: ROWS_AT_ONCE,

    dailyUnits: DAILY_UNITS,

    query: (sql, ...parameters) => attempt(rowsOf(sql, parameters)),

    queryWithPriority: (sql, ...parameters) => attempt(rowsOf(sql, parameters), atOnce),

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

    withPriorityConnection: (use) => attempt(use, atOnce),

    // The search for the primary asks whether it takes writes.
    checkWrites: async () => undefined,

    // Nobody waits for anybody's whole database here, as they do for the embedded file.
    hasOtherWriters: async () => false,

    [Symbol.asyncDispose]: () => primary[Symbol.asyncDispose](),
  };
}

/** Past the turnstile. */
const atOnce: ConcurrencyLimit["pass"] = (work) => work();

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
    // The error that led here is the one to tell; a connection without its rollback is not kept.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  });
  // Whatever becomes of a COMMIT, it ends the transaction: there is nothing to roll back after it.
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
  return new StoreUnavailable(new Error(`PostgreSQL gave no answer within ${deadlineMs} ms`));
}

/** What takes longer goes on by itself, but nobody waits for it: its outcome is in doubt. */
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
