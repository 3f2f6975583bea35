import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { knownSchema } from "../../src/storage/migrations.ts";
import { ROOT } from "../architecture/tree.ts";
import { type TemporaryDirectory, temporaryDirectory } from "./process.ts";

/** Copies the program and adds the next migration for each engine. @returns its main file. */
export async function newerVersion(): Promise<TemporaryDirectory & { readonly main: string }> {
  const directory = await temporaryDirectory();
  const inCopy = (name: string) => join(directory.path, name);
  for (const name of ["src", "migrations", "snapshot", "package.json"]) {
    cpSync(join(ROOT, name), inCopy(name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), inCopy("node_modules"));
  for (const engine of ["sqlite", "postgres"] as const) {
    const version = String(knownSchema(engine) + 1).padStart(4, "0");
    const file = inCopy(`migrations/${engine}/${version}-next.sql`);
    writeFileSync(file, "CREATE TABLE next (id INTEGER);");
  }
  return { ...directory, main: inCopy("src/main.ts") };
}
