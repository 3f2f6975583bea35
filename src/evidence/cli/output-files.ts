import { lstatSync, type Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandError } from "../../cli/command.ts";

/** A file to write, or stdout for `-`. */
export interface OutputFile {
  /** The option that names it: `--out`. */
  readonly option: string;
  readonly path: string;
}

/**
 * @param document the file that is read, which is not to be replaced either.
 * @throws {CommandError} files of two options are one, or one exists and may not be replaced.
 */
export function requireWritable(
  files: readonly OutputFile[],
  mayReplace: boolean,
  document: string | undefined,
): void {
  const read = document === undefined || document === "-" ? [] : [document];
  const named = [...files, ...read.map((path) => ({ option: "--document", path }))];
  for (const [index, { option, path }] of files.entries()) {
    const same = named.find((one, other) => other !== index && resolve(one.path) === resolve(path));
    if (same !== undefined) {
      throw new CommandError(`${option} and ${same.option} are both ${path}: name two files`, 2);
    }
    const existing = path === "-" ? undefined : statsOf(path);
    if (existing === undefined) continue;
    if (!existing.isFile() && !existing.isSymbolicLink()) {
      throw new CommandError(`${option}: ${path} is no file: name a new one`, 2);
    }
    if (!mayReplace) throw new CommandError(`${path} exists: pass --force to replace it`);
  }
}

/**
 * Writes files beside their places, and moves them there when all are on the disk: a failure leaves
 * no half-written file.
 *
 * @param writeOut writes to stdout, for `-`.
 * @throws {CommandError} one cannot be written.
 */
export async function writeFiles(
  files: readonly (OutputFile & { readonly text: string })[],
  writeOut: (text: string) => Promise<void>,
): Promise<void> {
  const written: { readonly part: string; readonly path: string }[] = [];
  try {
    for (const { path, text } of files) {
      if (path === "-") continue;
      const part = `${path}.${process.pid}.part`;
      written.push({ part, path });
      await writePart(part, text);
    }
    for (const { part, path } of written) await rename(part, path);
  } catch (error) {
    throw writeError(written.at(-1)?.path ?? "", error);
  } finally {
    for (const { part } of written) await rm(part, { force: true });
  }
  for (const { path, text } of files) if (path === "-") await writeOut(text);
}

/** @returns undefined for a path without a file. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw writeError(path, error);
  }
}

/** @returns the error to report for one that writing a file threw. */
function writeError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new CommandError(`cannot write ${path}: ${reasons.get(code ?? "") ?? code}`);
}

async function writePart(path: string, text: string): Promise<void> {
  await using file = await open(path, "w");
  await file.writeFile(text);
  await file.sync();
}

const reasons = new Map([
  ["ENOENT", "its directory does not exist"],
  ["ENOSPC", "the disk is full"],
  ["EACCES", "permission is denied"],
  ["EROFS", "the file system is read-only"],
]);
