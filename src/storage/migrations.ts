import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DIRECTORY = join(import.meta.dirname, "../../migrations");

/** The versions of a schema before and after a migration. */
export interface MigrationReport {
  readonly from: number;
  readonly to: number;
}

/** @returns the content of an engine's numbered files, in order; their count is the version. */
export function migrationsIn(engine: "sqlite" | "postgres"): readonly string[] {
  const directory = join(DIRECTORY, engine);
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readFileSync(join(directory, name), "utf8"));
}
