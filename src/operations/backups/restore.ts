import { basename } from "node:path";
import { writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { StoreSettings } from "../../platform/storage/settings.ts";
import type { RestoreReport } from "../../platform/storage/sqlite/backup/report.ts";

/** Replaces the embedded database with a backup, and records that. @throws {StartupError} */
export async function restoreBackup(
  { dataDirectory }: StoreSettings,
  file: string,
  { reviveKeys, origin }: { readonly reviveKeys: boolean; readonly origin: Origin },
): Promise<RestoreReport> {
  const { restoreSqlite } = await import("../../platform/storage/sqlite/backup/restore.ts");
  return restoreSqlite(dataDirectory, file, {
    now: origin.at,
    reviveKeys,
    eventOf: (action, about) =>
      writeEvent(action, origin, {
        details: action === "store.restored" ? { file: basename(file), ...about } : about,
      }),
  });
}
