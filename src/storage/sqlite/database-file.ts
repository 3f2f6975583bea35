import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartupError } from "../../shared/program/start-error.ts";
import { explained } from "./errors.ts";

/** The database's file name in the data directory. */
export const FILE_NAME = "kurs.db";

/** @throws {StartupError} when a data directory has no database. */
export function requireDatabase(dataDirectory: string): void {
  const file = join(resolve(dataDirectory), FILE_NAME);
  try {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
  } catch (error) {
    throw explained(error, dataDirectory, file);
  }
  throw new StartupError(
    `There is no database at ${file}; set DATA_DIR to the server's data directory.`,
  );
}
