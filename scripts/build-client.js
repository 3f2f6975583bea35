// Builds the package @kurs/client into client/dist/: three modules, and the types of each source file.
import { spawnSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const client = join(root, "client");
const directory = join(client, "dist");

await rm(directory, { recursive: true, force: true });
// One after the other: together they would share further modules.
for (const name of ["index", "tally", "verify"]) {
  const input = { [name]: `src/${name}.ts` };
  await using build = await rolldown({ cwd: client, input, platform: "neutral", logLevel: "warn" });
  // Readable in a debugger: minified it would save 1.3 kB of 5.2 kB.
  await build.write({ dir: directory, format: "esm", comments: { legal: true, jsdoc: false } });
}
await cp(join(root, "LICENSE"), join(directory, "LICENSE"));

const compiler = join(root, "node_modules/typescript/bin/tsc");
const options = ["--project", client, "--noEmit", "false", "--emitDeclarationOnly"];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
process.exitCode = status ?? 1;
