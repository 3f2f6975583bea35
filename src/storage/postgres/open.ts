import { setTimeout as after } from "node:timers/promises";
import type { PoolClient } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";
import type { MigrationReport } from "../migrations.ts";
import type { DatabaseHost } from "../settings.ts";
import { createPostgresEngine, type PostgresEngine } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { createPrimary, type Primary, type PrimarySettings, requireReplicated } from "./primary.ts";
import { awaitSchema } from "./schema-lock.ts";
import { requireSuitable } from "./suitable.ts";

/** How long to wait for a PostgreSQL server that is starting. */
const CONNECT_RETRIES_MS = 6000;
const RETRY_DELAY_MS = 500;

const WAITING = "waiting until another process has migrated the database or copied into it";

/**
 * Opens the engine on PostgreSQL, migrating it where needed.
 *
 * @param onWait called with a line for the operator when another process migrates it or copies into
 *   it: the start waits for that.
 * @throws {StartupError} within 10 s, with each host and the reason why it cannot be used.
 */
export async function openPostgresEngine(
  hosts: readonly DatabaseHost[],
  settings: PrimarySettings,
  onWait: (message: string) => void = () => undefined,
): Promise<PostgresEngine> {
  const { schema, migration } = await prepare(hosts, onWait);
  const primary = createPrimary(hosts, { ...settings, schema, schemaVersion: migration.to });
  return createPostgresEngine(primary, settings);
}

/** Migrates the database to the program's schema. @throws {StartupError} */
export async function migratePostgresStore(
  hosts: readonly DatabaseHost[],
): Promise<MigrationReport> {
  return (await prepare(hosts, () => undefined)).migration;
}

/** @returns the schema of the tables and the migration's report. @throws {StartupError} */
async function prepare(hosts: readonly DatabaseHost[], onWait: (message: string) => void) {
  const settings = { connectionsMax: 2, statementTimeoutMs: 0 };
  await using primary = createPrimary(hosts, settings);
  const client = await connectWithRetries(primary);
  try {
    const schema = await requireSuitable(client, primary);
    const migration = await migrate(client);
    await awaitSchema(client, () => onWait(WAITING));
    requireReplicated(client);
    return { schema, migration };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`Cannot migrate the PostgreSQL database: ${reasonOf(error)}.`, error);
  } finally {
    client.release(true);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function connectWithRetries(primary: Primary): Promise<PoolClient> {
  const deadlineMs = performance.now() + CONNECT_RETRIES_MS;
  for (;;) {
    try {
      return await primary.connect();
    } catch (error) {
      // Retries do not help against a rejected certificate.
      const isLasting = error instanceof Error && "isLasting" in error && error.isLasting;
      if (isLasting || performance.now() > deadlineMs) {
        throw new StartupError(`Cannot reach PostgreSQL: ${reasonOf(error)}.`, error);
      }
      await after(RETRY_DELAY_MS);
    }
  }
}
