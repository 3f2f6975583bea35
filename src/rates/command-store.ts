import type { Engine } from "../platform/storage/engine.ts";
import { ownerStore } from "./series/owner-sql.ts";
import { seriesReads } from "./series/sql.ts";

/** The statements on series, which only commands use. */
export const seriesGroups = (engine: Engine) => ({
  series: { ...seriesReads(engine), ...ownerStore(engine) },
});
