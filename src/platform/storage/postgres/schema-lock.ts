import { setTimeout as after } from "node:timers/promises";
import type { ClientBase } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";

// Every session of a node or a command holds a shared advisory lock as long as it is connected, and
// checks the schema's version after it got the lock; a migration takes the exclusive one. So no
// statement of one version runs on the tables of another, also after a failover, and a node that
// ends needs no cleanup. The second number of the lock is a hash of the schema's name: each schema
// of a database may have a store of its own. Any first number that nothing else uses will do.

const SCHEMA_LOCK = 5_278_778;

const LOCK_SHARED = `
  SELECT pg_try_advisory_lock_shared(${SCHEMA_LOCK}, hashtext(current_schema())) AS is_locked`;

const LOCK_EXCLUSIVE = `
  SELECT pg_try_advisory_xact_lock(${SCHEMA_LOCK}, hashtext(current_schema())) AS is_locked`;

// Outside a transaction: the lock ends with the statement.
const IS_FREE = `
  SELECT pg_try_advisory_xact_lock_shared(${SCHEMA_LOCK}, hashtext(current_schema())) AS is_locked`;

const AWAIT_FREE = `
  SELECT pg_advisory_xact_lock_shared(${SCHEMA_LOCK}, hashtext(current_schema()))`;

const VERSION = "SELECT max(version) AS version FROM schema_migrations";

const HOLDERS = `
  SELECT DISTINCT coalesce(host(a.client_addr), 'its own machine') AS address
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${SCHEMA_LOCK} AND l.objsubid = 2
    AND l.objid = (hashtext(current_schema())::bigint & 4294967295)::oid
    AND a.datname = current_database()
  ORDER BY address`;

/** How long a migration or a copy waits for the sessions of nodes that have just ended. */
const TRIES = 10;
const RETRY_MS = 500;

/**
 * Registers a session as a user of the tables, until it ends.
 *
 * @param known the version of the schema that this program uses.
 * @throws an error while the database is being migrated, or when it has another schema.
 */
export async function useSchema(client: ClientBase, known: number): Promise<void> {
  const { rows: locks } = await client.query<{ is_locked: boolean }>(LOCK_SHARED);
  if (!locks[0]?.is_locked) throw new Error("the database is being migrated");
  // Not in the same statement: that one's snapshot is older than the lock.
  const { rows: versions } = await client.query<{ version: number | null }>(VERSION);
  const version = versions[0]?.version ?? 0;
  if (version === known) return;
  throw new Error(
    `the database has schema ${version}, and this program uses ${known}: start the version of ` +
      "Kurs that migrated it",
  );
}

/**
 * Waits for a migration or a copy by another process. PostgreSQL shows what a transaction has
 * committed shortly before it releases the transaction's locks, so the version alone does not tell
 * that a migration has ended.
 *
 * @param onWait called when there is one.
 */
export async function awaitSchema(client: ClientBase, onWait: () => void): Promise<void> {
  const { rows } = await client.query<{ is_locked: boolean }>(IS_FREE);
  if (rows[0]?.is_locked) return;
  onWait();
  await client.query(AWAIT_FREE);
}

/**
 * Waits for other sessions that use the tables, and keeps new ones away until the transaction ends.
 *
 * @param conflict the error's message about the addresses of nodes and commands that still run.
 * @throws {StartupError} when some do.
 */
export async function useSchemaAlone(
  client: ClientBase,
  conflict: (addresses: string) => string,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await client.query<{ is_locked: boolean }>(LOCK_EXCLUSIVE);
    if (rows[0]?.is_locked) return;
    if (tries === TRIES) break;
    await after(RETRY_MS);
  }
  const { rows } = await client.query<{ address: string }>(HOLDERS);
  const addresses = rows.map(({ address }) => address).join(", ");
  throw new StartupError(conflict(addresses));
}
