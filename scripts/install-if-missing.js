// Installs the dependencies when they are missing or older than the lock file, so that `npm start`
// and the other scripts each work alone on a fresh clone. Runs on any Node.js since 16; a script
// that begins with this file runs its next command on the Node.js that it installed.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (modifiedMs("node_modules/.package-lock.json") < modifiedMs("package-lock.json")) install();

/** Installs with npm and exits when that fails: nothing works without the dependencies. */
function install() {
  console.error("Installing the dependencies, once …");
  const npm = process.env.npm_execpath;
  const options = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  // stdout belongs to the program, whose output another one may read.
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const spawning = { cwd: root, stdio: ["ignore", 2, 2] };
  const { status } =
    npm === undefined
      ? spawnSync("npm", options, { ...spawning, shell: process.platform === "win32" })
      : spawnSync(process.execPath, [npm, ...options], spawning);
  if (status !== 0) {
    console.error("The installation failed. Run `npm ci` to see why.");
    process.exit(1);
  }
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
