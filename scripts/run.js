// Runs a file of this project with the dependencies installed and on the Node.js that it needs:
// `node scripts/run.js FILE ARGUMENTS…`, so that each script of package.json works alone on a fresh
// clone. Without a file it only installs. With `--all` before the file it also installs what the
// checks, tests and benchmarks need (test/package.json), which is half of all. A plain `node` in a
// shell is the machine's own and may be too old for TypeScript, so this file is JavaScript that runs
// on any Node.js since 16.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { argv, execPath, versions } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_MAJOR = 26;
const NOT_AVAILABLE = 1;
/** npm writes it as the last step of an installation: the list of what is installed. */
const INSTALLED = "node_modules/.package-lock.json";
/** There while npm installs: left by an interrupted installation. */
const UNFINISHED = "node_modules/.kurs-unfinished";
const STOP_WITH_PARENT = new URL("stop-with-parent.js", import.meta.url).href;

/** Whether this is a Node.js that Kurs runs on. */
export const isNewEnough = Number.parseInt(versions.node, 10) >= NEEDED_MAJOR;

if (argv[1] === fileURLToPath(import.meta.url)) {
  argv.splice(1, 1);
  const withTests = argv[1] === "--all";
  if (withTests) argv.splice(1, 1);
  installIfMissing(withTests);
  if (argv.length > 1) {
    if (isNewEnough) await import(new URL(`../${argv[1]}`, import.meta.url).href);
    else runOnPinned(argv.slice(1));
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
  // Since Node.js 22.15 the new process takes the place of this one, which needs 45 MiB.
  if (process.platform !== "win32") process.execve?.(node, [node, ...args], process.env);
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
 * Installs with npm what is missing or older than the lock file. Exits when that fails: nothing works
 * without it.
 * @param {boolean} withTests whether what the checks, tests and benchmarks need is needed, too
 */
function installIfMissing(withTests = false) {
  const isWhole = modifiedMs(INSTALLED) >= modifiedMs("package-lock.json") && !isThere(UNFINISHED);
  // What was installed for tests stays.
  const isAll = withTests || hasAll();
  if (isWhole && (!isAll || hasAll())) return;
  console.error(
    `Installing ${isAll ? "all dependencies, those of the tests too" : "the dependencies"}, once …`,
  );
  const status = runNpm([
    // To a whole installation npm adds, so that a server that runs from it finds its files.
    ...(isWhole ? ["install", "--no-save"] : ["ci"]),
    ...(isAll ? [] : ["--workspaces=false"]),
  ]);
  if (status !== 0) {
    console.error("The installation failed. Run `npm ci` to see why.");
    process.exit(1);
  }
}

/** Whether what is installed includes what the checks, tests and benchmarks need. */
function hasAll() {
  return (
    isThere(INSTALLED) &&
    readFileSync(`${root}/${INSTALLED}`, "utf8").includes('"node_modules/kurs-tests"')
  );
}

/**
 * Installs. An interrupted installation leaves a mark, so that the next run repeats it.
 * @param {readonly string[]} command
 * @returns npm's exit code, null after a signal
 */
function runNpm(command) {
  mkdirSync(`${root}/node_modules`, { recursive: true });
  writeFileSync(`${root}/${UNFINISHED}`, "");
  const npm = process.env.npm_execpath;
  const install = [...command, "--no-audit", "--no-fund", "--loglevel=error"];
  const options = canInstall()
    ? install
    : ["exec", "--yes", `--package=${pinned()}`, "--", "npm", ...install];
  // stdout belongs to the program, whose output another one may read.
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const spawning = { cwd: root, stdio: ["ignore", 2, 2] };
  const { status } =
    npm === undefined
      ? spawnSync("npm", options, { ...spawning, shell: process.platform === "win32" })
      : spawnSync(execPath, [npm, ...options], spawning);
  // After a failure npm leaves what was there, or nothing.
  if (status !== null) rmSync(`${root}/${UNFINISHED}`, { force: true });
  return status;
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
function isThere(path) {
  return existsSync(`${root}/${path}`);
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
