import { CommandError } from "../../../platform/cli/command.ts";
import {
  digested,
  type FileUses,
  readWithProgress,
  withFile,
} from "../../../platform/cli/input-file.ts";
import { LINE_FEED, withLineFeeds } from "../../../platform/shared/text/line-feeds.ts";
import {
  ANY_TIME,
  dateStatedBy,
  isDateOf,
  parseQuotation,
} from "../../../rates/served/rules/rate.ts";
import { pairName } from "../../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
import type { RateLine, RateLineReader } from "../../../rates/sources/source.ts";
import type { StoredDocument } from "../observations.ts";

/** More of a line is not shown. */
const LINE_BYTES_MAX = 1024;

/** A line of an imported file. */
export interface ImportedLine {
  /** Empty if the file has no such line. */
  readonly text: string;
  /** Whether an import reads the figure from this line. */
  readonly statesFigure: boolean;
}

/** A figure, and the line from 1 that should state it. */
interface Stated {
  readonly line: number;
  readonly figure: Pick<SourcedRate, "base" | "quote" | "rate" | "asOf" | "date">;
}

/**
 * Checks that a file is the one that was imported, and reads a line of it as an import does.
 *
 * @throws {CommandError} it is another file, or cannot be read.
 */
export async function readImportedLine(
  path: string,
  imported: StoredDocument,
  stated: Stated,
  uses: FileUses & { readonly readRateFile: RateLineReader },
): Promise<ImportedLine> {
  if (imported.hash === undefined) {
    const why = "the import did not read its file to the end, so its SHA-256 is not known";
    throw new CommandError(`${why}: import the whole file again`);
  }
  return await withFile(path, uses, async (opened) => {
    const { bytes, digest } = digested(readWithProgress(opened, uses.showProgress));
    const line = await readLine(bytes, stated, uses.readRateFile);
    const hash = digest()?.hash;
    if (hash === imported.hash) return line;
    const digests = `its SHA-256 is ${hash}, that of the import ${imported.hash}`;
    throw new CommandError(`${path} is not the imported file: ${digests}`);
  });
}

/**
 * Reads a line of bytes as an import does: to the end, also where the reader stops earlier.
 */
export async function readLine(
  input: AsyncIterable<Uint8Array>,
  stated: Stated,
  readRateFile: RateLineReader,
): Promise<ImportedLine> {
  const kept: Uint8Array[] = [];
  const chunks = keepLine(withLineFeeds(input), stated.line, kept);
  // Without `return`, so that the reader does not close the file.
  const unclosed = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
  let statesFigure = false;
  for await (const lines of readRateFile(unclosed)) {
    statesFigure ||= lines.some((line) => states(line, stated));
  }
  while ((await chunks.next()).done !== true);
  return { text: new TextDecoder().decode(Buffer.concat(kept)).trim(), statesFigure };
}

/** Passes bytes on, and keeps the beginning of one line of them. */
async function* keepLine(
  input: AsyncIterable<Uint8Array>,
  wanted: number,
  kept: Uint8Array[],
): AsyncGenerator<Uint8Array, void> {
  let [line, keptBytes] = [1, 0];
  for await (const chunk of input) {
    for (let start = 0; line <= wanted && start < chunk.length; ) {
      const feed = chunk.indexOf(LINE_FEED, start);
      const end = feed === -1 ? chunk.length : feed;
      if (line === wanted) {
        const rest = LINE_BYTES_MAX - keptBytes;
        const part = Uint8Array.from(chunk.subarray(start, Math.min(end, start + rest)));
        kept.push(part);
        keptBytes += part.length;
      }
      if (feed !== -1) line += 1;
      start = end + 1;
    }
    yield chunk;
  }
}

function states(entry: RateLine, { line, figure }: Stated): boolean {
  if (entry.line !== line || "reason" in entry) return false;
  // Of a date alone, the import's option stated the time.
  const asOf = isDateOf(entry.asOf, figure.asOf) ? figure.asOf : entry.asOf;
  const read = parseQuotation({ ...entry, asOf }, ANY_TIME);
  if ("reason" in read || pairName(read) !== pairName(figure)) return false;
  const isOfDate = figure.date === undefined || figure.date === dateStatedBy(entry);
  return isOfDate && read.rate === figure.rate && read.asOf === figure.asOf;
}
