import type { Engine } from "../platform/storage/engine.ts";
import { exportReads } from "./export/sql.ts";
import { observationReads } from "./provenance/observations-sql.ts";

/** What bookkeeping reads over an engine; only commands do. */
export const bookkeepingGroups = (engine: Engine) => ({
  history: observationReads(engine),
  exports: exportReads(engine),
});
