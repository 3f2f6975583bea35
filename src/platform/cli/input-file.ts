import { createHash } from "node:crypto";
import type { FileDigest } from "../shared/file-digest.ts";
import { reasonOf } from "../shared/program/system-error.ts";
import { CommandError, type CommandIo } from "./command.ts";
import { progressBar } from "./output.ts";

/** A file, or stdin, that a command reads. Disposing of it ends a read that still waits. */
export interface OpenedFile extends Disposable {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Undefined for stdin. */
  readonly sizeBytes: number | undefined;
}

/** How a command opens files, and shows how much it has read. */
export interface FileUses extends Pick<CommandIo, "showProgress"> {
  /** Opens a file, or stdin for `-`; its size is known for a file only. @throws as Node does. */
  readonly openFile: (path: string) => OpenedFile;
}

const BYTES_PER_STEP = 1024 * 1024;

/** Passes a file's bytes on and shows how much has been read. */
export async function* readWithProgress(
  { bytes, sizeBytes }: OpenedFile,
  showProgress: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  let readBytes = 0;
  let shownBytes = 0;
  for await (const chunk of bytes) {
    yield chunk;
    readBytes += chunk.byteLength;
    if (readBytes - shownBytes < BYTES_PER_STEP) continue;
    shownBytes = readBytes;
    showProgress(progressText(readBytes, sizeBytes));
  }
}

/** Passes a file's bytes on. @returns also its digest, once they were read to their end. */
export function digested(input: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly digest: () => FileDigest | undefined;
} {
  const sha256 = createHash("sha256");
  let digest: FileDigest | undefined;
  const passOn = async function* () {
    let bytes = 0;
    for await (const chunk of input) {
      sha256.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
    digest = { hash: sha256.digest("hex"), bytes };
  };
  return { bytes: passOn(), digest: () => digest };
}

function progressText(readBytes: number, sizeBytes: number | undefined): string {
  const megabytes = `${Math.round(readBytes / 1024 / 1024)} MiB`;
  if (sizeBytes === undefined) return `${megabytes} read`;
  const part = Math.min(readBytes / sizeBytes, 1);
  return `${progressBar(part)} of ${Math.round(sizeBytes / 1024 / 1024)} MiB`;
}

/** Opens a file for some work. @throws {CommandError} it cannot be opened or read. */
export async function withFile<Result>(
  given: string,
  { openFile, showProgress }: FileUses,
  work: (opened: OpenedFile) => Promise<Result>,
): Promise<Result> {
  try {
    using opened = openFile(given);
    return await work(opened);
  } catch (error) {
    const { syscall, path = given } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new CommandError(`cannot read ${path}: ${reasonOf(error)}`);
  } finally {
    showProgress("");
  }
}
