import type { PoolClient, QueryResult } from "pg";
import { createConcurrencyLimit } from "../../async/concurrency-limit.ts";
import { StoreUnavailable, storeOverloaded } from "../../shared/store.ts";
import { isRead, textOf } from "../columns.ts";
import type { Engine, Row, SqlValue, Statement, Transaction } from "../engine.ts";
import { commit } from "./commit.ts";
import { isConflict, isFailoverError, storeError } from "./errors.ts";
import { type Primary, type PrimarySettings, requireReplicated } from "./primary.ts";

/** Time for connecting and for reporting a timeout, besides the statement's own. */
const MARGIN_MS = 300;

/**
 * A statement that may not have its usual timeout any more gets this share of the time left: the
 * rest is for setting and for reporting it.
 */
const SHARE_OF_REST = 2 / 3;

/** The longest wait for a connection that other work uses: 250 ms of a server's 1.5 s. */
const WAIT_SHARE_MAX = 1 / 6;

/** One for metered reads and one for priority queries, so that other work never delays them. */
const RESERVED_CONNECTIONS = 2;

/** A transaction that conflicts with another one is run again at most this many times. */
const CONFLICT_RETRIES = 5;

/** Keeps statements well within their limit of 65,535 parameters. */
const MAX_ROWS_PER_STATEMENT = 500;

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

/** Only the server's configuration has these. */
const UNSAFE_SETTINGS = `
  SELECT name || ' = off' AS setting FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`;

export const ROLLBACK = "ROLLBACK";

const LIMIT = `
  SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, false)`;

/**
 * Runs one statement, prepared once per connection, within the time of the call that it is part of.
 *
 * @throws {StoreUnavailable}
 */
export type RunStatement = (sql: string, values: readonly unknown[]) => Promise<QueryResult>;

type Use<Result> = (run: RunStatement, client: PoolClient) => Promise<Result>;

export interface PostgresEngine extends Engine {
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
  const send = createSend();
  const connectionLimit = createConcurrencyLimit({
    concurrency: Math.max(1, connectionsMax - RESERVED_CONNECTIONS),
    // A command waits without a limit.
    ...(statementTimeoutMs === 0 ? {} : { maxWaitMs: statementTimeoutMs * WAIT_SHARE_MAX }),
    rejection: storeOverloaded,
  });

  /** Uses a connection. An error leaves it in an unknown state, so it is closed then. */
  const withClient = async <Result>(endMs: number, use: Use<Result>) => {
    const client = await primary.connect().catch(throwStoreError);
    try {
      const { run, release } = limited(client, send, endMs, statementTimeoutMs);
      const result = await use(run, client);
      release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };

  const attempt = async <Result>(
    use: Use<Result>,
    runLimited: typeof bypassLimit = connectionLimit.run,
  ) => {
    const endMs = deadlineMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
    try {
      return await within(
        deadlineMs,
        runLimited(() => withClient(endMs, use)),
      );
    } catch (error) {
      if (error instanceof StoreUnavailable && isFailoverError(error.cause)) primary.invalidate();
      throw error;
    }
  };

  const rowsOf = (sql: string, parameters: readonly SqlValue[]) => async (run: RunStatement) =>
    (await run(sql, parameters)).rows as Row[];

  const transaction: Engine["transaction"] = (steps, lock) =>
    attempt(async (run, client) => {
      // A server cannot let a request wait until the outcome of a commit is known.
      const end = () =>
        deadlineMs > 0 ? run("COMMIT", []) : commit(client, primary).catch(throwStoreError);
      for (let retries = 0; ; retries += 1) {
        try {
          return await runThrough(run, steps(), lock, end);
        } catch (error) {
          const cause = error instanceof StoreUnavailable ? error.cause : error;
          if (!isConflict(cause) || retries === CONFLICT_RETRIES) throw error;
        }
      }
    });

  return {
    maxRowsPerStatement: MAX_ROWS_PER_STATEMENT,

    query: (sql, ...parameters) =>
      deadlineMs > 0 || isRead(sql)
        ? attempt(rowsOf(sql, parameters))
        : transaction(function* (): Transaction<Row[]> {
            return yield { sql, parameters };
          }),

    queryWithPriority: (sql, ...parameters) => attempt(rowsOf(sql, parameters), bypassLimit),

    transaction,

    withPriorityConnection: (use) => attempt(use, bypassLimit),

    // The search for the primary checks that it accepts writes.
    checkWrites: async () => undefined,

    unsafeSettings: async () =>
      (await attempt(rowsOf(UNSAFE_SETTINGS, []))).map((row) => textOf(row, "setting")),

    // Writers do not lock the whole database here, as they do in the embedded file.
    hasOtherWriters: async () => false,

    [Symbol.asyncDispose]: () => primary[Symbol.asyncDispose](),
  };
}

const bypassLimit = <Result>(task: () => Promise<Result>) => task();

/**
 * Runs statements of one call: none is sent whose timeout on the server ends after the call's
 * deadline, because it could still charge when the caller already has its error.
 */
function limited(
  client: PoolClient,
  send: ReturnType<typeof createSend>,
  endMs: number,
  statementTimeoutMs: number,
) {
  let limitMs = statementTimeoutMs;
  let isShortened = false;
  const keepDeadline = async () => {
    while (endMs - performance.now() < limitMs) {
      limitMs = Math.floor((endMs - performance.now()) * SHARE_OF_REST);
      if (limitMs <= 0) throw tooLate(statementTimeoutMs + MARGIN_MS);
      isShortened = true;
      await send(client, LIMIT, [String(limitMs)]);
    }
  };
  // Statements are sent in the order of their calls, whether or not a caller waits for each.
  let previous: Promise<void> = Promise.resolve();
  const run: RunStatement = async (sql, values) => {
    if (sql === ROLLBACK) {
      // Undoes a shorter timeout that the transaction has set, too.
      limitMs = statementTimeoutMs;
      return send(client, sql, values);
    }
    const ready = previous.then(keepDeadline);
    previous = ready.catch(() => undefined);
    await ready;
    return send(client, sql, values);
  };
  const release = () => {
    if (!isShortened) return client.release();
    const restored = send(client, LIMIT, [String(statementTimeoutMs)]);
    restored.then(
      () => client.release(),
      () => client.release(true),
    );
  };
  return { run, release };
}

const throwStoreError = (error: unknown): never => {
  throw storeError(error);
};

function createSend() {
  const names = new Map<string, string>();
  return async (client: PoolClient, text: string, values: readonly unknown[]) => {
    const name = names.getOrInsertComputed(text, () => `kurs-${names.size}`);
    try {
      const result = await client.query({ name, text, values: [...values] });
      requireReplicated(client);
      return result;
    } catch (error) {
      return throwStoreError(error);
    }
  };
}

async function runThrough<Result>(
  run: RunStatement,
  steps: Transaction<Result>,
  lock: string | undefined,
  end: () => Promise<unknown>,
): Promise<Result> {
  await run("BEGIN", []);
  const result = await stepThrough(run, steps, lock).catch(async (error) => {
    // Throws the first error. A connection whose ROLLBACK failed is not kept.
    await run(ROLLBACK, []).catch(() => undefined);
    throw error;
  });
  // Even a COMMIT that fails ends the transaction, so there is nothing to roll back after it.
  await end();
  return result;
}

async function stepThrough<Result>(
  run: RunStatement,
  steps: Transaction<Result>,
  lock: string | undefined,
): Promise<Result> {
  if (lock !== undefined) await run(LOCK, [lock]);
  let step = steps.next();
  while (step.done !== true) {
    const { sql, parameters }: Statement = step.value;
    step = steps.next((await run(sql, parameters)).rows as Row[]);
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
