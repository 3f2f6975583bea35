import { CommandError } from "../../cli/command.ts";
import { digested, fileError, type OpenedFile, readWithProgress } from "../../cli/input-file.ts";
import type { StoredDocument } from "../observations.ts";

const LINE_FEED = 0x0a;

/** More of a line is not shown. */
const LINE_BYTES_MAX = 1024;

/**
 * Checks that a file is the one that was imported, and reads a line of it.
 *
 * @param line from 1.
 * @throws {CommandError} it is another file, or cannot be read.
 */
export async function readImportedLine(
  path: string,
  imported: StoredDocument,
  line: number,
  uses: {
    readonly openFile: (path: string) => OpenedFile;
    readonly showProgress: (text: string) => void;
  },
): Promise<string> {
  if (imported.hash === undefined) {
    const why = "the import did not read its file to the end, so its SHA-256 is not known";
    throw new CommandError(`${why}: no file can be compared with it`);
  }
  try {
    const { bytes, digest } = digested(readWithProgress(uses.openFile(path), uses.showProgress));
    const text = await lineOf(bytes, line);
    const hash = digest()?.hash;
    if (hash === imported.hash) return text;
    const digests = `its SHA-256 is ${hash}, that of the import ${imported.hash}`;
    throw new CommandError(`${path} is not the imported file: ${digests}`);
  } catch (error) {
    throw fileError(path, error);
  } finally {
    uses.showProgress("");
  }
}

/** Reads to the end, and keeps one line. */
async function lineOf(input: AsyncIterable<Uint8Array>, wanted: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let keptBytes = 0;
  let line = 1;
  for await (const chunk of input) {
    let start = 0;
    while (line <= wanted && start < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, start);
      const end = feed === -1 ? chunk.length : feed;
      if (line === wanted) {
        const part = Uint8Array.from(
          chunk.subarray(start, Math.min(end, start + LINE_BYTES_MAX - keptBytes)),
        );
        parts.push(part);
        keptBytes += part.length;
      }
      if (feed !== -1) line += 1;
      start = end + 1;
    }
  }
  return new TextDecoder().decode(Buffer.concat(parts)).trim();
}
