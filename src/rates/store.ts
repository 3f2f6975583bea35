import type { Engine } from "../platform/storage/engine.ts";
import { backfillStore, backfillTables } from "./backfill/sql.ts";
import { coverageStore } from "./coverage/sql.ts";
import { contradictionStore, contradictionTables } from "./served/contradictions-sql.ts";
import { figureStore, figureTables } from "./served/figures-sql.ts";
import { historyStore, historyTables } from "./served/history-sql.ts";
import { signingKeyStore } from "./served/signing-keys-sql.ts";
import { rateStore, rateTables } from "./served/sql.ts";
import { sourceStore, sourceTables } from "./sources/sql.ts";

/** The statements on rates over an engine, in a group for each noun. */
export function rateGroups(engine: Engine) {
  return {
    rates: rateStore(engine),
    contradictions: contradictionStore(engine),
    coverage: coverageStore(engine),
    history: historyStore(engine),
    figures: figureStore(engine),
    sources: sourceStore(engine),
    backfills: backfillStore(engine),
    signingKeys: signingKeyStore(engine),
  };
}

/** Each after those that it references. */
export const tablesOfRates = {
  ...historyTables,
  ...figureTables,
  ...rateTables,
  ...contradictionTables,
  ...sourceTables,
  ...backfillTables,
};
