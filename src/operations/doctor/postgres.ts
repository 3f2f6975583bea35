import { mailStore } from "../../customers/mail/sql.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { knownSchema, rejectUnreleased } from "../../platform/storage/migrations.ts";
import { createPostgresEngine, UNSAFE_SETTINGS } from "../../platform/storage/postgres/engine.ts";
import { versionOf } from "../../platform/storage/postgres/migrate.ts";
import { createPrimary } from "../../platform/storage/postgres/primary.ts";
import { requireSuitable } from "../../platform/storage/postgres/suitable.ts";
import type { DatabaseHost } from "../../platform/storage/settings.ts";
import { sourceStore } from "../../rates/sources/sql.ts";
import type { Examination } from "./facts.ts";
import { readUsageTotals, type UnitStatements } from "./sql.ts";

/** Summing up millions of rows takes seconds. */
const STATEMENT_TIMEOUT_MS = 60_000;

const ABOUT = `
  SELECT current_setting('server_version') AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`;

// A join of the two counts would need an index that the daily ones lack: for 300,000 accounts it
// took minutes.
const UNITS: UnitStatements = {
  compare: `
    SELECT count(*) FILTER (WHERE difference <> 0) AS disagreeing,
      CAST(coalesce(sum(by_period), 0) AS bigint) AS units
    FROM (
      SELECT sum(units - by_day) AS difference, sum(units) AS by_period FROM (
        SELECT account_id, period, units, 0 AS by_day FROM period_usage
        UNION ALL SELECT account_id, substr(day, 1, 7), 0, units FROM daily_usage
      ) AS charges
      GROUP BY account_id, period
    ) AS accounts`,
  newestDay: "SELECT max(day) AS newest_day FROM daily_usage",
};

/** Examines a PostgreSQL database without writing to it. */
export async function examinePostgres(hosts: readonly DatabaseHost[]): Promise<Examination> {
  const settings = { connectionsMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  try {
    await using primary = createPrimary(hosts, settings);
    const client = await primary.connect();
    const { schema, about, unsafeSettings } = await (async () => {
      try {
        await requireSuitable(client, primary);
        const { rows } = await client.query<{ version: string; now_ms: number }>(ABOUT);
        const { rows: unsafe } = await client.query<{ setting: string }>(UNSAFE_SETTINGS);
        const unsafeSettings = unsafe.map(({ setting }) => setting);
        return { schema: await versionOf(client), about: rows[0], unsafeSettings };
      } finally {
        client.release();
      }
    })();
    if (schema === 0) return { kind: "missing", what: "no tables in the PostgreSQL database" };
    rejectUnreleased("postgres", "The PostgreSQL database", schema);
    const known = knownSchema("postgres");
    const isReadable = schema === known;
    const engine = isReadable ? createPostgresEngine(primary, settings) : undefined;
    const names = hosts.map(({ name }) => name).join(",");
    return {
      kind: "examined",
      facts: {
        engine: `PostgreSQL ${about?.version} at ${names}`,
        schema,
        knownSchema: known,
        pageCheck: undefined,
        damage: [],
        wrongKeys: undefined,
        totals: engine && (await readUsageTotals(engine, UNITS)),
        databaseNowMs: about?.now_ms,
        unsafeSettings,
      },
      sources: engine && (await sourceStore(engine).list()),
      pairsBehind: engine && (await sourceStore(engine).pairsBehind()),
      mails: engine && (await mailStore(engine).list({ withDelivered: false })),
    };
  } catch (error) {
    if (error instanceof StartupError) return { kind: "failed", reason: error.message };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!(cause instanceof Error) || cause instanceof TypeError) throw error;
    return { kind: "failed", reason: `PostgreSQL cannot be used: ${cause.message}` };
  }
}
