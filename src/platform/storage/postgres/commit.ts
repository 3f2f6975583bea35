import { setTimeout as after } from "node:timers/promises";
import type { ClientBase, PoolClient } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import { isUndone } from "./errors.ts";
import { type Primary, requireReplicated } from "./primary.ts";

/** How long to wait for a PostgreSQL server that is starting, or for the end of a transaction. */
const WAIT_MS = 6000;
const RETRY_DELAY_MS = 500;

// After a crash or a failover, a server may give a transaction's number to another one. Both start
// it anew: a crash resets the statistics, another server began at another time.
const RUN = "concat(pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_bgwriter))";

const IDENTIFY = `SELECT pg_current_xact_id_if_assigned()::text AS id, ${RUN} AS run`;

const OUTCOME = `SELECT CASE WHEN ${RUN} = $2 THEN pg_xact_status($1::xid8) END AS outcome`;

/**
 * Commits a transaction. If the connection breaks meanwhile, asks on another one for its outcome.
 *
 * @throws {StoreUnavailable} in doubt when that cannot be found out; else an error: it is undone.
 */
export async function commit(client: ClientBase, primary: Primary): Promise<void> {
  const { rows } = await client.query({ text: IDENTIFY, rowMode: "array" });
  const [begun = []]: unknown[][] = rows;
  try {
    await client.query("COMMIT");
  } catch (error) {
    if (isUndone(error)) throw error;
    // A transaction that wrote nothing has no number, and nothing to lose.
    if (begun[0] === null) return;
    const outcome = await askOutcome(begun, primary).catch(() => undefined);
    if (outcome === "aborted") throw error;
    if (outcome !== "committed") throw new StoreUnavailable(error, true);
  }
  requireReplicated(client);
}

async function askOutcome(transaction: unknown[], primary: Primary): Promise<string | undefined> {
  primary.invalidate();
  const client = await connectWithRetries(primary);
  try {
    // A server may notice late that a connection is broken.
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += RETRY_DELAY_MS) {
      const { rows } = await client.query<{ outcome: string }>(OUTCOME, transaction);
      if (rows[0]?.outcome !== "in progress") return rows[0]?.outcome;
      await after(RETRY_DELAY_MS);
    }
    return undefined;
  } finally {
    client.release();
  }
}

/** Connects to a server that may be starting. @throws {StartupError} */
export async function connectWithRetries(primary: Primary): Promise<PoolClient> {
  const deadlineMs = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await primary.connect();
    } catch (error) {
      // Retries do not help against a rejected certificate.
      const isLasting = error instanceof Error && "isLasting" in error && error.isLasting;
      if (isLasting || performance.now() > deadlineMs) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new StartupError(`Cannot reach PostgreSQL: ${reason}.`, error);
      }
      await after(RETRY_DELAY_MS);
    }
  }
}
