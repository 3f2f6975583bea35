import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../architecture/tree.ts";
import { type TemporaryDirectory, temporaryDirectory } from "./process.ts";

/** Copies the program and adds a migration for each engine. @returns the copy's main file. */
export async function newerVersion(): Promise<TemporaryDirectory & { readonly main: string }> {
  const directory = await temporaryDirectory();
  const inCopy = (name: string) => join(directory.path, name);
  for (const name of ["src", "migrations", "snapshot", "package.json"]) {
    cpSync(join(ROOT, name), inCopy(name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), inCopy("node_modules"));
  for (const engine of ["sqlite", "postgres"]) {
    writeFileSync(inCopy(`migrations/${engine}/9999-next.sql`), "CREATE TABLE next (id INTEGER);");
  }
  return { ...directory, main: inCopy("src/main.ts") };
}
