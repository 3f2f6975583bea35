import { bookkeepingGroups } from "../bookkeeping/store.ts";
import { customerTables, mailTables } from "../customers/store.ts";
import { operationTables } from "../operations/store.ts";
import { auditTables } from "../platform/audit/sql.ts";
import type { Table } from "../platform/storage/columns.ts";
import { seriesGroups } from "../rates/command-store.ts";
import { tablesOfRates } from "../rates/store.ts";
import { createStore, type openEngine } from "./store.ts";

/** Joins the store of a command: a server's, and what only commands read. */
export function createCommandStore(opened: Awaited<ReturnType<typeof openEngine>>) {
  const store = createStore(opened);
  const { history, ...reads } = bookkeepingGroups(opened.engine);
  return {
    ...store,
    ...seriesGroups(opened.engine),
    ...reads,
    history: { ...store.history, ...history },
  };
}

export type CommandStore = ReturnType<typeof createCommandStore>;

/** Every table, each after those that it references. A test compares them with the schemas. */
export const tables: readonly Table[] = Object.entries({
  ...customerTables,
  ...tablesOfRates,
  ...mailTables,
  ...auditTables,
  ...operationTables,
}).map(([name, columns]) => ({ name, ...columns }));
