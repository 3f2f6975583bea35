#!/usr/bin/env node
// Starts Kurs on the Node.js that it needs. A plain `node` in a shell is the machine's own and may
// be too old, so this file is JavaScript that runs on any Node.js since 16: on an old one, it
// restarts itself on the one that was installed with the dependencies.
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { isNewEnough, runOnPinned } from "../scripts/run.js";

/** A clone runs its sources. A package has none: Node.js strips no types under node_modules. */
const isClone = existsSync(new URL("../src/app/main.ts", import.meta.url));

if (!isNewEnough) {
  runOnPinned([fileURLToPath(import.meta.url), ...argv.slice(2)]);
} else {
  keepCompiledCode();
  try {
    await import(isClone ? "../src/app/main.ts" : "../dist/package/main.js");
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "EACCES") throw error;
    console.error(`kurs: A file of the program is missing or closed to this user: ${message}`);
    process.exitCode = 1;
  }
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
