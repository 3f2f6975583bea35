import type { StoreSettings } from "../storage/settings.ts";
import type { Examination } from "./facts.ts";

/** Examines the configured store without changing it. */
export async function examineStore(
  { dataDirectory, database }: StoreSettings,
  isThorough: boolean,
): Promise<Examination> {
  if (database.engine === "postgres") {
    const { examinePostgres } = await import("./postgres.ts");
    return await examinePostgres(database.hosts);
  }
  const { examineSqlite } = await import("./sqlite.ts");
  return await examineSqlite(dataDirectory, isThorough);
}
