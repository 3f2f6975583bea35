import type { Engine } from "../platform/storage/engine.ts";

export { backUpBeforeMigration } from "./backups/before-migration.ts";

import { cleanupStore, cleanupTables } from "./cleanup/sql.ts";
import { trustedTimeStore, trustedTimeTables } from "./cleanup/trusted-time-sql.ts";

/** The statements on the operation of servers over an engine, in a group for each noun. */
export const operationGroups = (engine: Engine) => ({
  cleanup: cleanupStore(engine),
  trustedTime: trustedTimeStore(engine),
});

export const operationTables = { ...cleanupTables, ...trustedTimeTables };
