import { lstatSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandError } from "../../../platform/cli/command.ts";
import { type FileUses, type OpenedFile, withFile } from "../../../platform/cli/input-file.ts";
import { reasonOf } from "../../../platform/shared/program/system-error.ts";

/** A file to write, or stdout for `-`. */
export interface OutputFile {
  /** The option that names it: `--out`. */
  readonly option: string;
  readonly path: string;
}

/**
 * @param read the file that is read, which is not to be replaced either.
 * @throws {CommandError} files of two options are one, or one exists and may not be replaced.
 */
export function requireWritable(
  files: readonly OutputFile[],
  mayReplace: boolean,
  read: string | undefined,
  option = "--document",
): void {
  const named = [...files, ...(read === undefined || read === "-" ? [] : [{ option, path: read }])];
  for (const [index, { option, path }] of files.entries()) {
    const same = named.find((one, other) => other !== index && resolve(one.path) === resolve(path));
    if (same !== undefined) {
      throw new CommandError(`${option} and ${same.option} are both ${path}: name two files`, 2);
    }
    const existing = path === "-" ? undefined : lstatSync(path, { throwIfNoEntry: false });
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
  const written = files.filter(({ path }) => path !== "-");
  const partPath = (path: string) => `${path}.${process.pid}.part`;
  let current = "";
  try {
    for (const { path, text } of written) {
      current = path;
      await writePart(partPath(path), text);
    }
    for (const { path } of written) {
      current = path;
      await rename(partPath(path), path);
    }
  } catch (error) {
    throw writeError(current, error);
  } finally {
    for (const { path } of written) await rm(partPath(path), { force: true });
  }
  for (const { path, text } of files) if (path === "-") await writeOut(text);
}

/** @returns the error to report for one that writing a file threw. */
function writeError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const own = { ENOENT: "its directory does not exist" };
  return new CommandError(`cannot write ${path}: ${reasonOf(error, own)}`);
}

async function writePart(path: string, text: string): Promise<void> {
  await using file = await open(path, "w");
  await file.writeFile(text);
  await file.sync();
}

const MEBIBYTE = 1024 * 1024;

/** The ECB's archive since 1999 has 9 MB, and four thirds of that in an evidence file. */
const MEBIBYTES_MAX = 256;

/** Reads a file, or stdin for `-`. @throws {CommandError} it cannot be read, or is too large. */
export async function readWhole(
  path: string,
  uses: FileUses,
  mebibytesMax = MEBIBYTES_MAX,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  await withFile(path, uses, async (opened) => {
    for await (const chunk of opened.bytes) {
      bytes += chunk.byteLength;
      if (bytes > mebibytesMax * MEBIBYTE) {
        throw new CommandError(`${path} has more than ${mebibytesMax} MiB: it is not read`);
      }
      chunks.push(chunk);
    }
  });
  return Buffer.concat(chunks);
}

/** A file that was read already, as a reader of files takes it. */
export function openedAgain(content: Uint8Array): OpenedFile {
  const bytes = (async function* () {
    yield content;
  })();
  return { bytes, sizeBytes: content.byteLength, [Symbol.dispose]: () => undefined };
}
