import type { Finding } from "../../platform/shared/finding.ts";
import type { StoreSettings } from "../../platform/storage/settings.ts";
import type { FindInContent } from "./store.ts";

/**
 * Examines the configured store without changing it; a server may be running.
 *
 * @param isThorough also checks the indexes of an embedded database.
 */
export async function examineStore(
  { dataDirectory, database }: Pick<StoreSettings, "dataDirectory" | "database">,
  isThorough: boolean,
  findInContent: FindInContent,
): Promise<readonly Finding[]> {
  if (database.engine === "postgres") {
    const { examinePostgres } = await import("./postgres.ts");
    return await examinePostgres(database.hosts, findInContent);
  }
  const { examineSqlite } = await import("./sqlite.ts");
  return await examineSqlite(dataDirectory, isThorough, findInContent);
}
