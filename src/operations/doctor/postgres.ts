import type { PoolClient } from "pg";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { knownSchema, rejectUnreleased } from "../../platform/storage/migrations.ts";
import { createPostgresEngine } from "../../platform/storage/postgres/engine.ts";
import { readVersion } from "../../platform/storage/postgres/migrate.ts";
import { createPrimary, type Primary } from "../../platform/storage/postgres/primary.ts";
import { requireSuitable } from "../../platform/storage/postgres/suitable.ts";
import { commandTimeouts, type DatabaseHost } from "../../platform/storage/settings.ts";
import { checkSchema, type FindInContent, findUnsafeSettings } from "./store.ts";

/** Summing up millions of rows takes seconds. */
const STATEMENT_TIMEOUT_MS = 60_000;

const ABOUT = `
  SELECT current_setting('server_version') AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`;

/** Examines a PostgreSQL database without writing to it. */
export async function examinePostgres(
  hosts: readonly DatabaseHost[],
  findInContent: FindInContent,
): Promise<readonly Finding[]> {
  const { warning, problem } = findingsOf("database");
  const settings = { ...commandTimeouts, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  try {
    await using primary = createPrimary(hosts, settings);
    const { schema, version, nowMs } = await readAbout(await primary.connect(), primary);
    if (schema === 0) {
      return [
        warning("there are no tables in the PostgreSQL database. The first start creates them."),
      ];
    }
    rejectUnreleased("postgres", "The PostgreSQL database", schema);
    const known = knownSchema("postgres");
    const names = hosts.map(({ name }) => name).join(",");
    const engine = createPostgresEngine(primary, settings);
    return [
      checkSchema(`PostgreSQL ${version} at ${names}`, schema, known),
      ...(await findUnsafeSettings(engine)),
      ...(schema === known ? await findInContent(engine, nowMs) : []),
    ];
  } catch (error) {
    if (error instanceof StartupError) return [problem(error.message)];
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!(cause instanceof Error) || cause instanceof TypeError) throw error;
    return [problem(`PostgreSQL cannot be used: ${cause.message}`)];
  }
}

async function readAbout(client: PoolClient, primary: Primary) {
  try {
    await requireSuitable(client, primary);
    const { rows } = await client.query<{ version: string; now_ms: number }>(ABOUT);
    return { schema: await readVersion(client), version: rows[0]?.version, nowMs: rows[0]?.now_ms };
  } finally {
    client.release();
  }
}
