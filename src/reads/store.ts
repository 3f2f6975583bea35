import type { PostgresEngine } from "../platform/storage/postgres/engine.ts";
import type { SqliteEngine } from "../platform/storage/sqlite/engine.ts";
import { createReadBatcher, type ObserveBatch, withObserver } from "./metering/batch/batcher.ts";
import { createSqliteBatches } from "./metering/batch/sqlite.ts";
import type { BatchStore } from "./metering/store.ts";

/** Metered reads on the embedded database. @param observe called for each batch. */
export function readGroupsOnSqlite(engine: SqliteEngine, observe?: ObserveBatch) {
  return readGroups(createSqliteBatches(engine), observe);
}

/** Metered reads on PostgreSQL. @param observe called for each batch. */
export async function readGroupsOnPostgres(engine: PostgresEngine, observe?: ObserveBatch) {
  // A node on SQLite need not load this.
  const { createPostgresBatches } = await import("./metering/batch/postgres.ts");
  return readGroups(createPostgresBatches(engine), observe);
}

function readGroups(batches: BatchStore, observe: ObserveBatch | undefined) {
  const observed = observe === undefined ? batches : withObserver(batches, observe);
  return { metering: createReadBatcher(observed) };
}

export type ReadGroups = ReturnType<typeof readGroups>;
export type { RateReadOutcome } from "./metering/store.ts";
export type { ObserveBatch };
