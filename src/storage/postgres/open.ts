import { setTimeout as after } from "node:timers/promises";
import type { PoolClient } from "pg";
import { StartupError } from "../../shared/start-error.ts";
import type { MigrationReport } from "../migrations.ts";
import type { DatabaseHost } from "../settings.ts";
import { createPostgresEngine, type PostgresEngine } from "./engine.ts";
import { migrate } from "./migrate.ts";
import { createPrimary, type Primary, type PrimarySettings } from "./primary.ts";
import { requireSuitable } from "./suitable.ts";

/** A server that starts beside us is waited for so long. */
const START_PATIENCE_MS = 6000;
const START_RETRY_MS = 500;

/**
 * Opens the engine on PostgreSQL, migrating it where needed.
 *
 * @throws {StartupError} within 10 s, which says where it was tried and why it did not work.
 */
export async function openPostgresEngine(
  hosts: readonly DatabaseHost[],
  settings: PrimarySettings,
): Promise<PostgresEngine> {
  const { schema } = await prepare(hosts);
  const primary = createPrimary(hosts, { ...settings, schema });
  return createPostgresEngine(primary, settings);
}

/** Brings the database up to the program's schema. @throws {StartupError} */
export async function migratePostgresStore(
  hosts: readonly DatabaseHost[],
): Promise<MigrationReport> {
  return (await prepare(hosts)).migration;
}

/** @returns the schema of the tables, and what was done to them. @throws {StartupError} */
async function prepare(hosts: readonly DatabaseHost[]) {
  const settings = { connectionsMax: 2, statementTimeoutMs: 0 };
  await using primary = createPrimary(hosts, settings);
  const client = await connectPatiently(primary);
  try {
    const schema = await requireSuitable(client, primary);
    return { schema, migration: await migrate(client) };
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

async function connectPatiently(primary: Primary): Promise<PoolClient> {
  const patientUntilMs = performance.now() + START_PATIENCE_MS;
  for (;;) {
    try {
      return await primary.connect();
    } catch (error) {
      // A certificate that is rejected stays rejected.
      const isLasting = error instanceof Error && "isLasting" in error && error.isLasting;
      if (isLasting || performance.now() > patientUntilMs) {
        throw new StartupError(`Cannot reach PostgreSQL: ${reasonOf(error)}.`, error);
      }
      await after(START_RETRY_MS);
    }
  }
}
