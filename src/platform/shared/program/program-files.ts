import { readdirSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { getAsset, getAssetKeys, isSea } from "node:sea";
import { StartupError } from "./start-error.ts";

/**
 * The directory that contains the program's files: a clone's or an installed package's. The single
 * executable contains them itself.
 */
function rootDirectory(): string {
  if (root !== undefined) return root;
  const packageJson = findPackageJSON(import.meta.url);
  if (packageJson === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  root = dirname(packageJson);
  return root;
}

let root: string | undefined;

/**
 * Reads a file that ships with the program.
 *
 * @param path from the root of the package, with slashes: `snapshot/rates.json`.
 * @throws {StartupError} when this user may not read it; the system's error when there is none.
 */
export function readProgramFile(path: string): Buffer {
  if (isSea()) return Buffer.from(getAsset(path));
  try {
    return readFileSync(join(rootDirectory(), path));
  } catch (error) {
    throw unreadable(error, path);
  }
}

/** Without it, a reader of the message would look for the error in the data directory. */
function unreadable(error: unknown, path: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== "EACCES") return error;
  const file = join(rootDirectory(), path);
  return new StartupError(
    `Cannot read ${file}, which is part of the program: permission is denied; let this user read ` +
      "the whole installation.",
    error,
  );
}

/** The directories that were listed: they do not change while the program runs. */
const listed = new Map<string, readonly string[]>();

/**
 * Lists the files of a directory that ships with the program, and of those in it.
 *
 * @param directory from the root of the package, with slashes: `console/dist`.
 * @returns their paths from that directory, with slashes; none if there is no such directory.
 * @throws {StartupError} when this user may not read it.
 */
export function programFilesIn(directory: string): readonly string[] {
  const files = listed.get(directory) ?? listFiles(directory);
  listed.set(directory, files);
  return files;
}

function listFiles(directory: string): readonly string[] {
  if (isSea()) {
    return getAssetKeys().flatMap((key) =>
      key.startsWith(`${directory}/`) ? [key.slice(directory.length + 1)] : [],
    );
  }
  const path = join(rootDirectory(), directory);
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(path.length + 1)
          .replaceAll("\\", "/"),
      );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(error, directory);
  }
}
