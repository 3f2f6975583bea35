import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";
import { StartupError } from "../shared/program/start-error.ts";

type EngineName = "sqlite" | "postgres";

/** The versions of a schema before and after a migration. */
export interface MigrationReport {
  readonly from: number;
  readonly to: number;
}

/** What to set to use another store. */
const elsewhere: Record<EngineName, string> = {
  sqlite: "DATA_DIR to another directory",
  postgres: "DATABASE_URL to another database",
};

/** @returns an engine's numbered files, in order. Only a migration reads them. */
export function migrationsIn(engine: EngineName) {
  const directory = `migrations/${engine}`;
  return programFilesIn(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({
      /** Of the schema after it. */
      version: Number.parseInt(name, 10),
      readSql: () => readProgramFile(`${directory}/${name}`).toString(),
    }));
}

/** The version of the schema that this program uses. */
export function knownSchema(engine: EngineName): number {
  return migrationsIn(engine).at(-1)?.version ?? 0;
}

/** Whether a store has the schema of a program from before the first release. */
export function isUnreleased(engine: EngineName, schema: number): boolean {
  return schema > 0 && schema < (migrationsIn(engine)[0]?.version ?? 0);
}

/** @throws {StartupError} for a store from before the first release, which nothing migrates. */
export function rejectUnreleased(engine: EngineName, store: string, schema: number): void {
  if (!isUnreleased(engine, schema)) return;
  throw new StartupError(
    `${store} was written by a Kurs from before its first release (its schema is ${schema}), and ` +
      "this program cannot migrate it: export what you need with that program, and set " +
      `${elsewhere[engine]}.`,
  );
}

/**
 * Checks that this program can use or migrate a store.
 *
 * @param store for example "The database /var/lib/kurs/kurs.db".
 * @param advice what to do about a store of a newer program.
 * @throws {StartupError} for one of a newer program, or from before the first release.
 */
export function requireKnownSchema(
  engine: EngineName,
  store: string,
  schema: number,
  advice = `start that newer program, or set ${elsewhere[engine]}`,
): void {
  rejectUnreleased(engine, store, schema);
  const known = knownSchema(engine);
  if (schema <= known) return;
  throw new StartupError(
    `${store} was written by a newer Kurs (its schema is ${schema}, this program ` +
      `knows ${known}): ${advice}.`,
  );
}
