import assert from "node:assert/strict";
import { test } from "node:test";
import { tables } from "../../../src/app/command-store.ts";
import { pagesOf } from "../../../src/platform/shared/pages.ts";
import type { Engine, Row } from "../../../src/platform/storage/engine.ts";
import type { BatchStore } from "../../../src/reads/metering/store.ts";
import type { Store } from "../../support/stores.ts";

type TestEngine = Engine & BatchStore;

/** A new, migrated database; disposing it closes everything it opened and removes it. */
export interface TestDatabase extends AsyncDisposable {
  /** Opens a store as another node would. */
  openStore(): Store;
  /** Opens the store's engine on its own connection. */
  openEngine(): TestEngine;
  /** Removes a plan that accounts use, without checking foreign keys. */
  losePlan(name: string): Promise<void>;
  /** Runs a statement without checking foreign keys. */
  withoutForeignKeys(sql: string): Promise<void>;
  /** Sets the units of each key of an account on each day. */
  setDailyUnits(accountId: string, units: number): Promise<void>;
}

export type CreateDatabase = () => Promise<TestDatabase>;

/**
 * What a test does with a database of its own: with a node's store, an engine on another connection,
 * and another node's store.
 */
type Run = (
  store: Store,
  engine: TestEngine,
  other: Store,
  database: TestDatabase,
) => Promise<void>;

export type StoreTest = (title: string, run: Run) => void;

export const storeTestOn =
  (createDatabase: CreateDatabase): StoreTest =>
  (title, run) =>
    void test(title, async () => {
      await using database = await createDatabase();
      const { openStore, openEngine } = database;
      // Opens only what the test takes.
      const opens = [openStore, openEngine, openStore, () => database].slice(0, run.length);
      await run(...(opens.map((open) => open()) as unknown as Parameters<Run>));
    });

/** Uses two nodes in turn, at once. */
export const onTwoNodes = <Result>(
  [here, there]: readonly [Store, Store],
  count: number,
  use: (store: Store, index: number) => Promise<Result>,
) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => use(index % 2 === 0 ? here : there, index)),
  );

/** All rows of a list, read in pages of a size. */
export async function inPages<Row extends Cursor, Cursor>(
  start: Cursor,
  read: (after: Cursor, limit: number) => Promise<readonly Row[]>,
  limit: number,
): Promise<Row[]> {
  const pages = pagesOf(
    start,
    async (...next) => [...(await read(...next))],
    (row) => row,
    limit,
  );
  const all = await Array.fromAsync(pages);
  assert.ok(all.every(({ length }) => length <= limit));
  return all.flat();
}

/** One field of each item. */
export const valuesOf = <Item, Key extends keyof Item>(items: readonly Item[], key: Key) =>
  items.map((item) => item[key]);

const textOf = (row: Row) => JSON.stringify(row);

/** All rows of a database by table, to assert that nothing changed. */
export async function contentsOf(engine: Engine): Promise<Record<string, Row[]>> {
  const contents: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const rows = await engine.query(`SELECT * FROM ${name}`);
    // Without ORDER BY the order of rows is undefined.
    contents[name] = rows.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  return contents;
}
