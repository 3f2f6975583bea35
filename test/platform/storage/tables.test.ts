import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { administer } from "../../../harness/postgres.ts";
import { tables } from "../../../src/app/command-store.ts";
import { listColumns } from "../../../src/platform/storage/copy/tables.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { newPostgresDatabase } from "../../support/postgres-databases.ts";

/** `table.column` of everything that a copy contains. */
const copied = tables
  .flatMap((table) => listColumns(table).map((column) => `${table.name}.${column}`))
  .sort();

/**
 * Without what only a batch of reads uses: the epochs, the units and quota of the last batch, and
 * counters that it can count anew.
 */
const POSTGRES_COLUMNS = `
  SELECT table_name || '.' || column_name AS name FROM information_schema.columns
  WHERE table_schema = current_schema()
    AND table_name NOT IN ('schema_migrations', 'read_epochs', 'capped_usage')
    AND (table_name <> 'period_usage' OR column_name NOT IN ('granted', 'quota'))
  ORDER BY table_name || '.' || column_name COLLATE "C"`;

/** Without the internal numbers, the tables by them (two views show the units), and the id. */
const SQLITE_COLUMNS = `
  SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
  WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite_%' 
    AND t.name NOT IN ('charged_units', 'usable_keys', 'database_id') AND c.name <> 'number'
  ORDER BY 1`;

const POSTGRES_REFERENCES = `
  SELECT DISTINCT conrelid::regclass::text AS of, confrelid::regclass::text AS "to"
  FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`;

const SQLITE_REFERENCES = `
  SELECT DISTINCT t.name AS "of", f."table" AS "to"
  FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
  WHERE t.type = 'table' AND t.name <> 'charged_units'`;

const namesOf = (rows: unknown[]) => rows.map((row) => (row as { name: string }).name).sort();

/** Asserts that each table comes after those that it refers to. */
function assertOrder(references: unknown[]): void {
  assert.ok(references.length >= 5);
  const order = tables.map(({ name }) => name);
  for (const { of, to } of references as { of: string; to: string }[]) {
    assert.ok(order.indexOf(to) < order.indexOf(of), `${of} comes before ${to}`);
  }
}

suite("a copy contains", () => {
  test("every column of PostgreSQL's schema, in an order that satisfies its foreign keys", async () => {
    await using database = await newPostgresDatabase();
    assert.deepEqual(namesOf(await administer(database.url, POSTGRES_COLUMNS)), copied);
    assertOrder(await administer(database.url, POSTGRES_REFERENCES));
  });

  test("every column of SQLite's schema, in an order that satisfies its foreign keys", async () => {
    await using database = await createSqliteDatabase();
    database.openStore();
    const other = database.openDatabase();
    assert.deepEqual(namesOf(other.prepare(SQLITE_COLUMNS).all()), copied);
    assertOrder(other.prepare(SQLITE_REFERENCES).all());
  });
});
