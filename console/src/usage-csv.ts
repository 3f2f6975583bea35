import { csvLine } from "../../src/platform/cli/csv.ts";
import type { DailyUnits } from "./daily-units.ts";

/** The units of each day and key as CSV, without the days on which a key read nothing. */
export function csvOf({ days, keys }: DailyUnits): string {
  const rows = days.flatMap((day, index) =>
    keys
      .map((key) => [day, key.id, key.name, key.units[index] ?? 0] as const)
      .filter(([, , , units]) => units > 0),
  );
  return [["date", "api_key_id", "name", "units"], ...rows].map(csvLine).join("");
}
