// Builds the console when it is missing or older than its sources, so that `npm start` and
// `npm test` each work alone on a fresh clone.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const console_ = join(root, "console");

/** The console's sources outside its own folder. */
const OTHERS = ["package-lock.json", "src/cli/csv.ts", "src/pages/paths.ts"];

if (modifiedMs(join(console_, "dist/index.html")) < newestSourceMs()) await build();

async function build() {
  const vite = await import("vite").catch(() => undefined);
  if (vite === undefined) {
    console.error("The console is not built: that needs the development dependencies (`npm ci`).");
    return;
  }
  console.error("Building the console …");
  await vite.build({ root: console_, logLevel: "warn" });
}

function newestSourceMs() {
  const entries = readdirSync(console_, { recursive: true, withFileTypes: true });
  const own = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(console_, "dist")));
  return Math.max(...[...own, ...OTHERS.map((path) => join(root, path))].map(modifiedMs));
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
