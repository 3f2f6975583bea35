import type { PoolClient } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import { counted } from "../../shared/text/counted.ts";
import type { Table } from "../columns.ts";
import { commit, connectWithRetries } from "../postgres/commit.ts";
import { migratePostgresStore } from "../postgres/open.ts";
import { createPrimary } from "../postgres/primary.ts";
import { useSchemaAlone } from "../postgres/schema-lock.ts";
import { commandTimeouts, type DatabaseHost } from "../settings.ts";
import type { CopySource } from "./from-sqlite.ts";
import { listColumns, type TableTotals, totalsQuery } from "./tables.ts";

/** A statement may have 65,535 parameters (the protocol's Bind message counts them in 16 bits). */
const MAX_ROWS_PER_STATEMENT = 1000;

/** The totals of each table, which were compared after the copy. */
export type CopyReport = ReadonlyMap<string, TableTotals>;

/**
 * Copies everything from a source into an empty PostgreSQL database in one transaction: stores all
 * of it, with counts and sums compared, or nothing. A node that starts meanwhile waits.
 *
 * @throws {StartupError} when the database is in use or not empty, or the sums differ.
 */
export async function copyToPostgres(
  source: CopySource,
  hosts: readonly DatabaseHost[],
  onProgress: (table: string, copied: number, total: number) => void,
): Promise<CopyReport> {
  await migratePostgresStore(hosts);
  await using primary = createPrimary(hosts, commandTimeouts);
  const client = await connectWithRetries(primary);
  try {
    await client.query("BEGIN");
    await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await useSchemaAlone(
      client,
      (addresses) =>
        `Nodes or commands use the PostgreSQL database (from ${addresses}): stop them, and copy ` +
        "into a new one.",
    );
    await requireEmpty(client, source.tables);
    const total = source.tables.reduce((sum, table) => sum + source.totals(table).rows, 0);
    let copied = 0;
    for (const table of source.tables) {
      for (const rows of source.rows(table, MAX_ROWS_PER_STATEMENT)) {
        await client.query(composeInsert(table, rows.length), rows.flat());
        copied += rows.length;
        onProgress(table.name, copied, total);
      }
    }
    const report = await compare(client, source);
    await commit(client, primary);
    return report;
  } catch (error) {
    if (error instanceof StartupError || error instanceof StoreUnavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The copy failed: ${reason}. Nothing was stored.`, error);
  } finally {
    // Without a COMMIT the server rolls everything back.
    client.release(true);
  }
}

async function requireEmpty(client: PoolClient, tables: readonly Table[]): Promise<void> {
  for (const table of tables.filter(({ isFilled = false }) => !isFilled)) {
    const { rows } = await readTableTotals(client, table);
    if (rows > 0) {
      throw new StartupError(
        `The database is not empty: ${table.name} has ${counted(rows, "row")}. ` +
          "Copy into a new one.",
      );
    }
  }
}

function composeInsert(table: Table, rows: number): string {
  const columns = listColumns(table);
  const values = Array.from({ length: rows }, (_, row) => {
    const places = columns.map((_column, index) => `$${row * columns.length + index + 1}`);
    return `(${places.join(", ")})`;
  });
  const updates = table.others.split(", ").map((column) => `${column} = excluded.${column}`);
  return (
    `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES ${values.join(", ")} ` +
    `ON CONFLICT (${table.key}) DO UPDATE SET ${updates.join(", ")}`
  );
}

async function compare(client: PoolClient, source: CopySource): Promise<CopyReport> {
  const report = new Map<string, TableTotals>();
  for (const table of source.tables) {
    const [expected, actual] = [source.totals(table), await readTableTotals(client, table)];
    if (expected.rows !== actual.rows || expected.units !== actual.units) {
      const format = ({ rows, units }: TableTotals) =>
        `${counted(rows, "row")} with ${counted(units, "unit")}`;
      throw new StartupError(
        `The copy of ${table.name} differs: ${format(expected)} became ${format(actual)}. ` +
          "Nothing was stored.",
      );
    }
    report.set(table.name, actual);
  }
  return report;
}

async function readTableTotals(client: PoolClient, table: Table): Promise<TableTotals> {
  const { rows } = await client.query(totalsQuery(table));
  return { rows: Number(rows[0]?.rows), units: Number(rows[0]?.units) };
}
