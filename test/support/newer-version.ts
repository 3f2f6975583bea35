import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { knownSchema } from "../../src/platform/storage/migrations.ts";
import { ROOT } from "../architecture/tree.ts";
import { type TemporaryDirectory, temporaryDirectory } from "./process.ts";

type CommandLine = typeof import("./command-line.ts");

interface NewerVersion extends TemporaryDirectory {
  /** Its main file. */
  readonly main: string;
  /** Runs one of its commands in this process. */
  readonly kurs: CommandLine["kurs"];
}

/** Copies the program and adds the next migration for each engine. */
export async function newerVersion(): Promise<NewerVersion> {
  const directory = await temporaryDirectory();
  const inCopy = (name: string) => join(directory.path, name);
  for (const name of ["src", "migrations", "snapshot", "test/support", "package.json"]) {
    cpSync(join(ROOT, name), inCopy(name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), inCopy("node_modules"));
  for (const engine of ["sqlite", "postgres"] as const) {
    const version = String(knownSchema(engine) + 1).padStart(4, "0");
    const file = inCopy(`migrations/${engine}/${version}-next.sql`);
    writeFileSync(file, "CREATE TABLE next (id INTEGER);");
  }
  const { kurs }: CommandLine = await import(inCopy("test/support/command-line.ts"));
  return { ...directory, main: inCopy("src/app/main.ts"), kurs };
}
