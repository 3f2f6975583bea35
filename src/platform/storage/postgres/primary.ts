import { Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { type ClientBase, Pool, type PoolClient, type PoolConfig, types } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import type { DatabaseHost } from "../settings.ts";
import { isPooled, requireOwnSession, SESSION_ROUNDS } from "./own-session.ts";
import { useSchema } from "./schema-lock.ts";
import { explainCertificateFault, readTlsOptions } from "./tls.ts";

const INT8_OID = 20;

/** Without a statement timeout, a transaction must still send its next statement within this. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5000;

// Each session sets what durability or correctness depends on, even if the value is right already:
// a setting that the session did not set follows every reload of the server's configuration. These
// are not startup parameters, because PgBouncer rejects those. synchronous_commit: remote_write and
// remote_apply may be set on purpose, and are kept. search_path: the schema found at startup.
// default_transaction_read_only is not set: cluster managers and providers use it to protect a
// server. lock_timeout: the other timeout does not run during a commit, where deferred triggers may
// wait for a lock.
const CONFIGURE_SESSION = `
  SELECT pg_backend_pid() AS process_id,
    set_config('synchronous_commit',
      CASE WHEN current_setting('synchronous_commit') IN ('remote_write', 'remote_apply')
        THEN current_setting('synchronous_commit') ELSE 'on' END, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('search_path', coalesce(quote_ident($1), current_setting('search_path')), false),
    set_config('statement_timeout', $2, false),
    set_config('lock_timeout', $2, false),
    set_config('client_min_messages', 'warning', false),
    set_config('idle_in_transaction_session_timeout', $3, false),
    set_config('idle_session_timeout', '0', false)`;

const SELECT_IS_STANDBY = `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_standby`;

/** The clients with a commit whose wait for the synchronous standby was canceled. */
const inDoubt = new WeakSet<ClientBase>();

/**
 * Call this after a change: to its client it is as much in doubt as after a broken connection.
 *
 * @throws {StoreUnavailable} when a failover may lose a confirmed commit of this connection.
 */
export function requireReplicated(client: ClientBase): void {
  if (!inDoubt.has(client)) return;
  const what = "PostgreSQL stopped waiting for the synchronous standby";
  throw new StoreUnavailable(new Error(`${what}: a failover may lose the change`), true);
}

/** The server of a cluster that accepts writes; searched for again after a failover. */
export type Primary = ReturnType<typeof createPrimary>;

/**
 * @param hosts of the cluster, in any order.
 */
export function createPrimary(hosts: readonly DatabaseHost[], settings: PrimarySettings) {
  const sockets = new Set<Socket>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const pools = hosts.map((host) => createPool({ ...readTlsOptions(host), stream }, settings));
  let known: Pool | undefined;
  let search: Promise<Pool> | undefined;
  const invalidate = () => {
    known = undefined;
  };
  // A broken connection emits an error, idle or in use; without a listener it ends the process.
  for (const pool of pools) {
    pool.on("error", invalidate);
    pool.on("connect", (client) => {
      client.on("error", invalidate);
      client.on("notice", ({ routine }) => {
        // The texts are translated, the function's name is not.
        if (routine === "SyncRepWaitForLSN") inDoubt.add(client);
      });
    });
  }

  const find = async (): Promise<Pool> => {
    try {
      const { connectTimeoutMs } = settings;
      known = await Promise.any(pools.map((pool) => requireWritable(pool, connectTimeoutMs)));
      return known;
    } catch (error) {
      const errors: readonly Error[] = (error as AggregateError).errors;
      const reasons = errors.map((each, index) => `${hosts[index]?.name}: ${explainError(each)}`);
      const isLasting = errors.every(
        (each) => each instanceof StartupError || explainCertificateFault(each) !== undefined,
      );
      throw Object.assign(new Error(reasons.join("; ")), { isLasting });
    } finally {
      search = undefined;
    }
  };

  return {
    /** @throws an error that names every host and why it cannot be used. */
    async connect(): Promise<PoolClient> {
      // Concurrent callers share one search.
      search ??= known === undefined ? find() : undefined;
      const pool = known ?? (await search);
      if (pool === undefined) throw new Error("the search found no primary");
      return connectTo(pool);
    },
    /** Call this after an error that may mean that another server is the primary now. */
    invalidate,
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()));
      // A server that hangs never closes its connections: the process must not wait for it.
      for (const socket of sockets) socket.unref();
    },
  };
}

export interface PrimarySettings {
  readonly connectionsMax: number;
  /** The longest run time of a statement; 0: no limit. */
  readonly statementTimeoutMs: number;
  /** A server that does not respond to a new connection within this time counts as unreachable. */
  readonly connectTimeoutMs: number;
  /** The schema of the tables; unset: the first of the search_path. */
  readonly schema?: string;
  /** The version of the schema that this process uses; unset: it uses no tables, or migrates. */
  readonly schemaVersion?: number;
}

function createPool(
  config: PoolConfig,
  { connectionsMax, statementTimeoutMs, connectTimeoutMs, schema, schemaVersion }: PrimarySettings,
): Pool {
  // A transaction that lost its connection holds its locks this long: no longer than other
  // transactions wait for them.
  const idleInTransactionMs = statementTimeoutMs || IDLE_IN_TRANSACTION_TIMEOUT_MS;
  const values = [schema, String(statementTimeoutMs), String(idleInTransactionMs)];
  const prepare = async (client: ClientBase) => {
    await configure(client, values, connectTimeoutMs);
    if (schemaVersion !== undefined) await useSchema(client, schemaVersion);
  };
  return new Pool({
    ...config,
    max: connectionsMax,
    application_name: "kurs",
    keepAlive: true,
    // A caller that does not wait for each of its statements saves their round trips.
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    // The server's timeout comes first; the client's alone would leave the statement running.
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + 200 }),
    types: { getTypeParser },
    verify: (client, done) => {
      prepare(client).then(() => done(), done);
    },
  });
}

/**
 * A pooler may have another mode than at the start: its configuration can be reloaded. Its server
 * may be away: then it accepts the log-in, and no statement gets a response.
 */
async function configure(
  client: ClientBase,
  values: readonly unknown[],
  limitMs: number,
): Promise<void> {
  const query = { text: CONFIGURE_SESSION, values: [...values], query_timeout: limitMs };
  const { rows } = await client.query<{ process_id: number }>(query);
  if (!isPooled(client, rows[0]?.process_id ?? 0)) return;
  await requireOwnSession([client], SESSION_ROUNDS.connection);
}

/** pg returns int8 as text, as it may exceed JavaScript's safe integers; columns.ts checks it. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  return oid === INT8_OID ? Number : types.getTypeParser(oid, format ?? "text");
}

/**
 * Takes a connection from a pool. After reporting a timeout, the pool still delivers a connection
 * that is set up later. That one must be released: otherwise the pool would lose it for good, and
 * pool.end() would wait for it forever.
 */
function connectTo(pool: Pool): Promise<PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  let isOver = false;
  pool.connect((error, client, release) => {
    if (isOver) {
      release();
      return;
    }
    isOver = true;
    if (client === undefined) reject(error);
    else resolve(client);
  });
  return promise;
}

async function requireWritable(pool: Pool, limitMs: number): Promise<Pool> {
  const client = await connectTo(pool);
  try {
    const query = client.query<{ is_standby: boolean }>(SELECT_IS_STANDBY);
    const result = await Promise.race([query, after(limitMs, undefined, { ref: false })]);
    if (result === undefined) throw new Error("does not respond");
    if (result.rows[0]?.is_standby) throw new Error("does not accept writes (a standby)");
    client.release();
    return pool;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A host name with several addresses fails with one error per address. */
function explainError(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(String).join(", ");
  // OpenSSL ends its messages with a line break.
  return explainCertificateFault(error) ?? error.message.trim().replaceAll(/\s+/g, " ");
}
