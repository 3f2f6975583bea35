import { type CommandStore, createCommandStore } from "../../src/app/command-store.ts";
import { openEngine, openPostgres, openSqlite } from "../../src/app/store.ts";

/** A store with every group, as commands open it. */
export type Store = CommandStore;

export const openStore = async (...given: Parameters<typeof openEngine>): Promise<Store> =>
  createCommandStore(await openEngine(...given));

export const openSqliteStore = (...given: Parameters<typeof openSqlite>): Store =>
  createCommandStore(openSqlite(...given));

export const openPostgresStore = async (
  ...given: Parameters<typeof openPostgres>
): Promise<Store> => createCommandStore(await openPostgres(...given));
