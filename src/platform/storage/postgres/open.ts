import { StartupError } from "../../shared/program/start-error.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import type { MigrationReport } from "../migrations.ts";
import { commandTimeouts, type DatabaseHost } from "../settings.ts";
import { connectWithRetries } from "./commit.ts";
import { createPostgresEngine, type PostgresEngine } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { createPrimary, type PrimarySettings } from "./primary.ts";
import { awaitSchema } from "./schema-lock.ts";
import { requireSuitable } from "./suitable.ts";

const WAITING = "waiting until another process has migrated the database or copied into it";

/**
 * Opens the engine on PostgreSQL, migrating it where needed.
 *
 * @param onWait called with a line for the operator when another process migrates it or copies into
 *   it: the start waits for that.
 * @throws {StartupError} after 10 s and a last attempt, with each host and why it cannot be used.
 */
export async function openPostgresEngine(
  hosts: readonly DatabaseHost[],
  settings: PrimarySettings,
  onWait: (message: string) => void = () => undefined,
): Promise<PostgresEngine> {
  const { schema, migration } = await prepare(hosts, settings.connectTimeoutMs, onWait);
  const primary = createPrimary(hosts, { ...settings, schema, schemaVersion: migration.to });
  return createPostgresEngine(primary, settings);
}

/** Migrates the database to the program's schema. @throws {StartupError} */
export async function migratePostgresStore(
  hosts: readonly DatabaseHost[],
  connectTimeoutMs = commandTimeouts.connectTimeoutMs,
): Promise<MigrationReport> {
  return (await prepare(hosts, connectTimeoutMs, () => undefined)).migration;
}

/** @returns the schema of the tables and the migration's report. @throws {StartupError} */
async function prepare(
  hosts: readonly DatabaseHost[],
  connectTimeoutMs: number,
  onWait: (message: string) => void,
) {
  const settings = { connectTimeoutMs, connectionsMax: 2, statementTimeoutMs: 0 };
  await using primary = createPrimary(hosts, settings);
  const client = await connectWithRetries(primary);
  try {
    const schema = await requireSuitable(client, primary);
    const migration = await migrate(client, primary);
    // The process that has migrated need not wait, and perhaps has lost its connection meanwhile.
    if (migration.from === migration.to) await awaitSchema(client, () => onWait(WAITING));
    return { schema, migration };
  } catch (error) {
    if (error instanceof StartupError || error instanceof StoreUnavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`Cannot migrate the PostgreSQL database: ${reason}.`, error);
  } finally {
    client.release(true);
  }
}
