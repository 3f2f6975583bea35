// Runs a file of this project with the dependencies installed and on the Node.js that it needs:
// `node scripts/run.js FILE ARGUMENTS…`, so that each script of package.json works alone on a fresh
// clone. Without a file it only installs. A plain `node` in a shell is the machine's own and may be
// too old for TypeScript, so this file is JavaScript that runs on any Node.js since 16.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { argv, execPath, versions } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_MAJOR = 26;
const NOT_AVAILABLE = 1;
const STOP_WITH_PARENT = new URL("stop-with-parent.js", import.meta.url).href;

/** Whether this is a Node.js that Kurs runs on. */
export const isNewEnough = Number.parseInt(versions.node, 10) >= NEEDED_MAJOR;

if (argv[1] === fileURLToPath(import.meta.url)) {
  argv.splice(1, 1);
  if (!isNewEnough) {
    if (argv.length > 1) runOnPinned(argv.slice(1));
    else installIfMissing();
  } else {
    installIfMissing();
    if (argv.length > 1) await import(new URL(`../${argv[1]}`, import.meta.url).href);
  }
}

/**
 * Runs a file on the Node.js that is installed with the dependencies.
 * @param {readonly string[]} args the file and its arguments
 */
export function runOnPinned(args) {
  installIfMissing();
  const node = pinnedNode();
  if (node === undefined) {
    const here = `${process.platform}-${process.arch}, Node.js ${versions.node}`;
    console.error(`Kurs needs Node.js ${NEEDED_MAJOR}: install it and run this again (${here}).`);
    process.exitCode = NOT_AVAILABLE;
    return;
  }
  const child = spawn(node, ["--import", STOP_WITH_PARENT, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    // In a process group of its own: a terminal sends its signals to the whole group, so a Ctrl-C
    // would arrive twice, and the second one ends a server at once.
    detached: process.platform !== "win32",
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? NOT_AVAILABLE : 128);
  });
}

/**
 * @returns the path of the pinned runtime, if there is one for this platform: in this directory's
 *   node_modules or, where npm installed it beside this package, in one above.
 */
function pinnedNode() {
  const program = process.platform === "win32" ? "bin/node.exe" : "bin/node";
  const names = runtimeNames();
  const places = createRequire(import.meta.url).resolve.paths("node-runtime") ?? [];
  return places
    .flatMap((place) => names.map((name) => join(place, name, program)))
    .find((path) => existsSync(path));
}

/** The names under which npm has the runtime for this platform. */
function runtimeNames() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  return ["node", "node-bin"].map((kind) => `${kind}-${platform}-${process.arch}`);
}

/**
 * Installs with npm when the dependencies are missing or older than the lock file. Exits when that
 * fails: nothing works without them.
 */
function installIfMissing() {
  if (modifiedMs("node_modules/.package-lock.json") >= modifiedMs("package-lock.json")) return;
  console.error("Installing the dependencies, once …");
  const npm = process.env.npm_execpath;
  const ci = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = canInstall()
    ? ci
    : ["exec", "--yes", `--package=${pinned()}`, "--", "npm", ...ci];
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

/**
 * Whether npm on this Node.js installs all optional packages: it skips the build's native parts,
 * which declare that they need a newer one. The pinned Node.js then runs npm.
 */
function canInstall() {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19) || pinned() === undefined;
}

/** @returns the package of the pinned runtime for this platform, with its version. */
function pinned() {
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const name = runtimeNames().find((one) => optionalDependencies[one] !== undefined);
  return name === undefined ? undefined : `${name}@${optionalDependencies[name]}`;
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
