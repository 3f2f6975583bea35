import { createHash } from "node:crypto";
import type { FileDigest } from "../shared/file-digest.ts";
import { CommandError } from "./command.ts";
import { progressBar } from "./output.ts";

/** A file, or stdin, that a command reads. Disposing of it ends a read that still waits. */
export interface OpenedFile extends Disposable {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Undefined for stdin. */
  readonly sizeBytes: number | undefined;
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

/** @returns the error to report for one that opening or reading a file threw. */
export function fileError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new CommandError(`cannot read ${path}: ${reasons.get(code ?? "") ?? code}`);
}

const reasons = new Map([
  ["ENOENT", "no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission is denied"],
]);
