#!/usr/bin/env node
// Starts Kurs on the Node.js that it needs. A plain `node` in a shell is the machine's own and may
// be too old, so this file is JavaScript that runs on any Node.js since 16: on an old one, it
// restarts itself on the one that was installed with the dependencies.
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { argv, env, execArgv, execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { isNewEnough, runOnPinned } from "../scripts/run.js";
import { YOUNG_GENERATION_FLAG } from "../scripts/young-generation.js";

const [command, subcommand] = argv.slice(2);
const args = [fileURLToPath(import.meta.url), ...argv.slice(2)];

/** Whether it allocates enough to fill a young generation. A server may run for months. */
const allocatesMuch = command === "serve" || (command === "rates" && subcommand === "import");

/** A clone runs its sources. A package has none: Node.js strips no types under node_modules. */
const isClone = existsSync(new URL("../src/main.ts", import.meta.url));

if (!isNewEnough) {
  runOnPinned(allocatesMuch ? [YOUNG_GENERATION_FLAG, ...args] : args);
} else {
  if (allocatesMuch) limitYoungGeneration();
  keepCompiledCode();
  await import(isClone ? "../src/main.ts" : "../dist/package/main.js");
}

/**
 * Replaces this process by one with the flag, which V8 takes only at the start of a process; that
 * takes 35 ms and keeps the process id. Does nothing where an operator chose the size, where a
 * parent has a channel to this process, which would be lost, and on Windows, where a process cannot
 * be replaced.
 */
function limitYoungGeneration() {
  const isChosen = /semi[-_]space/.test([...execArgv, env.NODE_OPTIONS].join(" "));
  if (isChosen || process.connected || process.platform === "win32") return;
  process.execve?.(execPath, [execPath, YOUNG_GENERATION_FLAG, ...execArgv, ...args], env);
}

/**
 * Caches compiled code between runs: a command starts in 0.2 s instead of 0.3. The cache is in this
 * installation, and used only while no other user may write there, who could make this user execute
 * anything. Node's own default is a shared directory that any user may create first.
 */
function keepCompiledCode() {
  const place = isClone ? "../node_modules/.kurs-compiled" : "../.compiled";
  const directory = fileURLToPath(new URL(place, import.meta.url));
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
