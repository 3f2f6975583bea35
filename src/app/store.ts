import { customerGroups } from "../customers/store.ts";
import { backUpBeforeMigration, operationGroups } from "../operations/store.ts";
import { auditStore } from "../platform/audit/sql.ts";
import type { StoreStatus } from "../platform/shared/store.ts";
import type { Engine } from "../platform/storage/engine.ts";
import type { PrimarySettings } from "../platform/storage/postgres/primary.ts";
import type { DatabaseHost, StoreSettings, StoreTimeouts } from "../platform/storage/settings.ts";
import { type OnWait, untilUnlocked } from "../platform/storage/sqlite/lock-file.ts";
import { openSqliteEngine, type SqliteOptions } from "../platform/storage/sqlite/open.ts";
import { rateGroups } from "../rates/store.ts";
import {
  type ObserveBatch,
  type ReadGroups,
  readGroupsOnPostgres,
  readGroupsOnSqlite,
} from "../reads/store.ts";

/** An engine, and what each does in its own way. */
interface OpenedEngine extends ReadGroups {
  readonly engine: Engine;
  readonly name: "sqlite" | "postgres";
}

/**
 * Opens the engine of the configured store; creates the store where allowed and migrates it where
 * needed.
 *
 * @param observeBatch called for each batch of metered reads.
 * @throws {StartupError}
 */
export async function openEngine(
  { dataDirectory, database, backupDirectory }: StoreSettings,
  timeouts: StoreTimeouts,
  onWait: OnWait,
  observeBatch?: ObserveBatch,
): Promise<OpenedEngine> {
  const { busyTimeoutMs, isServer, makesStore } = timeouts;
  switch (database.engine) {
    case "sqlite": {
      const options = { isServer, mustExist: !makesStore, backupDirectory };
      const open = () => openSqlite(dataDirectory, busyTimeoutMs, options, observeBatch);
      return untilUnlocked(open, onWait);
    }
    case "postgres":
      return openPostgres(database.hosts, timeouts, onWait, observeBatch);
  }
}

/** The embedded database, as `openSqliteEngine` opens it. */
export function openSqlite(
  dataDirectory: string,
  busyTimeoutMs: number,
  options?: SqliteOptions,
  observeBatch?: ObserveBatch,
): OpenedEngine {
  const engine = openSqliteEngine(dataDirectory, busyTimeoutMs, {
    ...options,
    backUp: backUpBeforeMigration,
  });
  return { engine, name: "sqlite", ...readGroupsOnSqlite(engine, observeBatch) };
}

/** PostgreSQL, as `openPostgresEngine` opens it. */
export async function openPostgres(
  hosts: readonly DatabaseHost[],
  settings: PrimarySettings,
  onWait?: OnWait,
  observeBatch?: ObserveBatch,
): Promise<OpenedEngine> {
  // A node on SQLite need not load the PostgreSQL client.
  const { openPostgresEngine } = await import("../platform/storage/postgres/open.ts");
  const engine = await openPostgresEngine(hosts, settings, onWait);
  return { engine, name: "postgres", ...(await readGroupsOnPostgres(engine, observeBatch)) };
}

/** Joins the store of a server: the groups of every wing over one engine, which it owns. */
export function createStore({ engine, name, metering }: OpenedEngine) {
  const status: StoreStatus = engine;
  return {
    ...customerGroups(engine, name),
    ...rateGroups(engine),
    ...operationGroups(engine),
    audit: auditStore(engine),
    metering,
    status,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

export type Store = ReturnType<typeof createStore>;
