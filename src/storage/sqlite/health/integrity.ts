import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** How many reports of damage are asked for: one is enough to refuse, a few to tell. */
const REPORTS_MAX = 5;

/**
 * What is wrong with a database as a file: its pages, indexes and constraints.
 *
 * @param how `quick_check` leaves out whether indexes and tables agree; of 293 MB it takes 0.4 s,
 *   `integrity_check` 1.3 s.
 * @returns nothing for a whole one.
 */
export function damageOf(
  database: DatabaseSync,
  how: "quick_check" | "integrity_check",
): readonly string[] {
  const reports = database.prepare(`PRAGMA ${how}(${REPORTS_MAX})`).all();
  const texts = reports.flatMap((row) => String(row[how]).split("\n"));
  // A report of several pages has a line for each, and before them which database it is.
  if (texts.length !== 1 || texts[0] !== "ok") return texts.filter((text) => !/^\*{3}/.test(text));
  return isCutShort(database) ? ["its last page is cut short"] : [];
}

/**
 * Whether a file ends within a page, which SQLite fills up with zeros. One that has a log may: what
 * was carried over in part when the disk was full is in the log yet.
 */
function isCutShort(database: DatabaseSync): boolean {
  const file = database.location();
  if (file === null || sizeOf(`${file}-wal`) > 0) return false;
  return sizeOf(file) % Number(database.prepare("PRAGMA page_size").get()?.page_size) !== 0;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
