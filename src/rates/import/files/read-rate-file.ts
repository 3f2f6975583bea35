import { readEcbXml } from "../../sources/publishers/europe/ecb-xml.ts";
import type { RateLine, RateLineReader } from "../../sources/source.ts";
import { readCsv } from "./csv.ts";
import { readNdjson } from "./ndjson.ts";

/** At most about this many blank bytes are buffered before the first byte that is not blank. */
const BLANK_BYTES_MAX = 65_536;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const BLANKS = new Set([0x09, 0x0a, 0x0d, 0x20]);

const READERS = new Map<number, RateLineReader>([
  [0x3c, readEcbXml], // <
  [0x7b, readNdjson], // {
]);

/**
 * Reads a rate file in the format given by its first byte: `<` for the ECB's XML, `{` for
 * newline-delimited JSON, anything else for CSV.
 *
 * @returns its lines in order and in batches, invalid ones with their reason; an empty file gives
 *   one reason. Only the input's own errors are thrown.
 */
export async function* readRateFile(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly RateLine[], void, undefined> {
  const chunks = input[Symbol.asyncIterator]();
  try {
    const start = await readStart(chunks);
    if (start === undefined) {
      yield [{ line: 1, reason: "the file is empty" }];
      return;
    }
    const read = READERS.get(start.firstByte) ?? readCsv;
    yield* read(followedBy(start.chunks, chunks));
  } finally {
    await chunks.return?.();
  }
}

interface FileStart {
  readonly chunks: readonly Uint8Array[];
  /** The first byte that is not blank, or a blank one after too many of them. */
  readonly firstByte: number;
}

/** @returns undefined for a file that is blank to its end. */
async function readStart(chunks: AsyncIterator<Uint8Array>): Promise<FileStart | undefined> {
  const held: Uint8Array[] = [];
  let position = 0;
  while (true) {
    const { done, value: chunk } = await chunks.next();
    if (done) return undefined;
    // A copy, because a producer may reuse its buffer for the next chunk.
    held.push(new Uint8Array(chunk));
    for (const byte of chunk) {
      const isBlank = BLANKS.has(byte) || byte === BYTE_ORDER_MARK[position];
      position += 1;
      if (!isBlank || position > BLANK_BYTES_MAX) return { chunks: held, firstByte: byte };
    }
  }
}

async function* followedBy(
  start: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* start;
  while (true) {
    const { done, value: chunk } = await rest.next();
    if (done) return;
    yield chunk;
  }
}
