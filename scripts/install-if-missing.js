// Installs the dependencies when they are missing or older than the lock file, so that `npm start`
// and `npm test` each work alone on a fresh clone. Runs on any Node.js of the machine.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { argv, execPath } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Installs with npm and exits when that fails: nothing works without the dependencies. */
export function installIfMissing() {
  const wanted = modifiedMs("package-lock.json");
  if (modifiedMs("node_modules/.package-lock.json") >= wanted) return;
  console.error("Installing the dependencies, once …");
  const npm = process.env.npm_execpath;
  const options = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  // stdout belongs to the program, whose output another one may read.
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const spawning = { cwd: root, stdio: ["ignore", 2, 2] };
  const { status } =
    npm === undefined
      ? spawnSync("npm", options, { ...spawning, shell: process.platform === "win32" })
      : spawnSync(execPath, [npm, ...options], spawning);
  if (status !== 0) {
    console.error("The installation failed. Run `npm ci` to see why.");
    process.exit(1);
  }
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (argv[1] === fileURLToPath(import.meta.url)) installIfMissing();
