// Builds the console and the documentation site when they are missing or older than their sources,
// so that `npm start` and `npm test` each work alone on a fresh clone.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What builds write into the folders of sources. */
const WRITTEN = /^(?:dist|\.cache)(?:\W|$)/;

const consoleSources = [
  "console",
  "package-lock.json",
  "src/platform/cli/csv.ts",
  "src/platform/pages/paths.ts",
];

/**
 * The site's reference is made from src/, too; but then each change of the program would cost the
 * next start the 2 s of this build. `npm run guide` builds it in any case.
 */
const guideSources = [
  ...["guide", "docs", "package-lock.json", "console/src"],
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["client", "examples", "snapshot"].map((folder) => `${folder}/README.md`),
];

await Promise.all([
  isOld("console/dist/index.html", consoleSources) && build("console", buildConsole),
  isOld("guide/dist/index.html", guideSources) && build("documentation site", buildGuide),
]);

/**
 * @param {string} name
 * @param {() => Promise<void>} run
 */
async function build(name, run) {
  try {
    import.meta.resolve("vite");
  } catch {
    const missing = "that needs the development dependencies (`npm ci`)";
    console.error(`The ${name} is not built: ${missing}.`);
    return;
  }
  console.error(`Building the ${name} …`);
  await run();
}

async function buildConsole() {
  const { build } = await import("vite");
  await build({ root: join(root, "console"), logLevel: "warn" });
}

async function buildGuide() {
  await import("../guide/build.ts");
}

/**
 * @param {string} made what the build writes
 * @param {readonly string[]} sources files, and folders with all that is in them
 */
function isOld(made, sources) {
  return modifiedMs(made) < Math.max(...sources.flatMap(filesIn).map(modifiedMs));
}

/**
 * @param {string} path of a file or a folder
 * @returns {readonly string[]}
 */
function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = /** @type {string[]} */ (readdirSync(join(root, path), { recursive: true }));
  return names.filter((name) => !WRITTEN.test(name)).map((name) => join(path, name));
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
