import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";

/** The versions of a schema before and after a migration. */
export interface MigrationReport {
  readonly from: number;
  readonly to: number;
}

/** @returns the content of an engine's numbered files, in order; their count is the version. */
export function migrationsIn(engine: "sqlite" | "postgres"): readonly string[] {
  const directory = `migrations/${engine}`;
  return programFilesIn(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readProgramFile(`${directory}/${name}`).toString());
}
