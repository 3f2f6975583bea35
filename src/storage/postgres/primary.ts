import { Socket } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { Pool, type PoolClient, type PoolConfig, types } from "pg";
import type { DatabaseHost } from "../settings.ts";
import { certificateFaultOf, connectingOf } from "./tls.ts";

const INT8_OID = 20;

/** What a client asks of the server within one second, or it counts as away. */
const CONNECT_TIMEOUT_MS = 1000;

/** A program that takes its time with each statement still owes the next one within this. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5000;

// What durability or correctness needs is set in each session, whatever its value: a setting that a
// session has not set itself follows every reload of the server's configuration. They are not
// startup parameters, which PgBouncer rejects. synchronous_commit: more than `on` may be set on
// purpose, and stays. search_path: the schema that the start has found. The setting
// default_transaction_read_only is left alone: cluster managers and providers protect a server
// with it.
const SET_UP = `
  SELECT
    set_config('synchronous_commit',
      CASE WHEN current_setting('synchronous_commit') IN ('remote_write', 'remote_apply')
        THEN current_setting('synchronous_commit') ELSE 'on' END, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('search_path', coalesce(quote_ident($1), current_setting('search_path')), false),
    set_config('statement_timeout', $2, false),
    set_config('lock_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', $3, false),
    set_config('idle_session_timeout', '0', false)`;

const TAKES_NO_WRITES = `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_standby`;

/** The server of a cluster that takes writes, found anew when it is another. */
export interface Primary extends AsyncDisposable {
  /** @throws an error that names every host and why it will not do. */
  connect(): Promise<PoolClient>;
  /** To be called when an error may mean that the primary is another now. */
  doubt(): void;
}

/**
 * @param hosts of the cluster, in any order.
 */
export function createPrimary(hosts: readonly DatabaseHost[], settings: PrimarySettings): Primary {
  const sockets = new Set<Socket>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const pools = hosts.map((host) => createPool({ ...connectingOf(host), stream }, settings));
  let known: Pool | undefined;
  let search: Promise<Pool> | undefined;
  const doubt = () => {
    known = undefined;
  };
  // A connection that breaks says so by itself, idle or in use; unheard, it would end the process.
  for (const pool of pools) {
    pool.on("error", doubt);
    pool.on("connect", (client) => client.on("error", doubt));
  }

  const find = async (): Promise<Pool> => {
    try {
      known = await Promise.any(pools.map(takesWrites));
      return known;
    } catch (error) {
      const errors: readonly Error[] = (error as AggregateError).errors;
      const reasons = errors.map((each, index) => `${hosts[index]?.name}: ${reasonOf(each)}`);
      const isLasting = errors.every((each) => certificateFaultOf(each) !== undefined);
      throw Object.assign(new Error(reasons.join("; ")), { isLasting });
    } finally {
      search = undefined;
    }
  };

  return {
    async connect() {
      // Whoever asks while the search is on shares it.
      search ??= known === undefined ? find() : undefined;
      const pool = known ?? (await search);
      if (pool === undefined) throw new Error("the search for the primary has ended without one");
      return connectTo(pool);
    },
    doubt,
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()));
      // A server that hangs never answers the goodbye: nobody waits for it.
      for (const socket of sockets) socket.unref();
    },
  };
}

export interface PrimarySettings {
  readonly connectionsMax: number;
  /** How long a statement may take; 0: as long as it needs. */
  readonly statementTimeoutMs: number;
  /** The schema of the tables; unset: the first of the search_path. */
  readonly schema?: string;
}

function createPool(
  config: PoolConfig,
  { connectionsMax, statementTimeoutMs, schema }: PrimarySettings,
): Pool {
  // A transaction that the network broke off holds its locks this long: no longer than those
  // wait who ask for them.
  const idleInTransactionMs = statementTimeoutMs || IDLE_IN_TRANSACTION_TIMEOUT_MS;
  const values = [schema, String(statementTimeoutMs), String(idleInTransactionMs)];
  return new Pool({
    ...config,
    max: connectionsMax,
    application_name: "kurs",
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The server gives up on a statement first; the client alone would leave it running.
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + 200 }),
    types: { getTypeParser },
    verify: (client, done) => {
      client.query(SET_UP, values).then(() => done(), done);
    },
  });
}

/** Whole numbers come as texts, since they may be greater than ours; columns.ts checks them. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  return oid === INT8_OID ? Number : types.getTypeParser(oid, format ?? "text");
}

/**
 * Takes a connection from a pool. The pool hands over one that it has set up too late even to who
 * was told that it timed out: that one is given back, or it would be lost to the pool for good, and
 * the end of the pool would wait for it for ever.
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

async function takesWrites(pool: Pool): Promise<Pool> {
  const client = await connectTo(pool);
  try {
    const asked = client.query<{ is_standby: boolean }>(TAKES_NO_WRITES);
    const result = await Promise.race([
      asked,
      after(CONNECT_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    if (result === undefined) throw new Error("gives no answer");
    if (result.rows[0]?.is_standby) throw new Error("takes no writes (a standby)");
    client.release();
    return pool;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A name with several addresses fails with one error for each. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(String).join(", ");
  // OpenSSL ends its messages with a line break.
  return certificateFaultOf(error) ?? error.message.trim().replaceAll(/\s+/g, " ");
}
