import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";

/** Waits until a file's content is on disk. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Waits until a directory's names are on disk: a power failure could lose a new one before. */
export function syncDirectory(path: string): void {
  // Windows cannot sync a directory, nor open it.
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Error codes of a file system without hard links. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function hasNoLinks(error: unknown): boolean {
  return noLinks.has((error as { code?: string }).code ?? "");
}

/**
 * Gives a complete file its final name, on disk on return.
 *
 * @throws an error with the code EEXIST when the name is taken and must not be replaced.
 */
export function renameDurably(part: string, file: string, mayReplace: boolean): void {
  if (mayReplace) renameSync(part, file);
  else {
    try {
      // Unlike a rename, a link fails when another program has taken the name meanwhile.
      linkSync(part, file);
      unlinkSync(part);
    } catch (error) {
      if (!hasNoLinks(error)) throw error;
      renameSync(part, file);
    }
  }
  syncDirectory(dirname(file));
}

/** Gives a file a second name or, without hard links, copies it; on disk on return. */
export function linkOrCopy(file: string, kept: string): void {
  try {
    linkSync(file, kept);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    copyFileSync(file, kept, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    syncFile(kept);
  }
  syncDirectory(dirname(kept));
}
