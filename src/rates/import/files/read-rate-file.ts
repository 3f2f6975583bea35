import { sourceOfNumber } from "../../../platform/shared/decimal.ts";
import { repeatedKeyIn } from "../../../platform/shared/text/json-keys.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { readEcbXml } from "../../sources/publishers/europe/ecb-xml.ts";
import type { RateLine, RateLineReader } from "../../sources/source.ts";
import { readCsv } from "./csv.ts";
import { readTextLines } from "./text-lines.ts";

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

/**
 * Reads rates as newline-delimited JSON: one object per line with the strings `base`, `quote` and
 * `as_of`, and `rate` as a string or a number. Other members are ignored.
 */
async function* readNdjson(
  input: Parameters<RateLineReader>[0],
): AsyncGenerator<readonly RateLine[], void, undefined> {
  for await (const lines of readTextLines(input)) {
    yield lines.map((line) => ("reason" in line ? line : rateLineOf(line.line, line.text)));
  }
}

function rateLineOf(line: number, text: string): RateLine {
  const members = parseObject(text);
  if (members === undefined) return { line, reason: "the line is not a JSON object" };

  // As many quotes before colons as members: no key is there twice.
  const key =
    text.match(/"\s*:/g)?.length === Object.keys(members).length ? undefined : repeatedKeyIn(text);
  if (key !== undefined) return { line, reason: `the line states ${quoted(key)} twice` };

  const { base, quote, rate, as_of: asOf } = members;
  if (
    typeof base === "string" &&
    typeof quote === "string" &&
    typeof rate === "string" &&
    typeof asOf === "string"
  ) {
    return { line, base, quote, rate, asOf };
  }
  const problems = [
    problemOf("base", base, "a string"),
    problemOf("quote", quote, "a string"),
    problemOf("rate", rate, "a string or a number"),
    problemOf("as_of", asOf, "a string"),
  ];
  return { line, reason: problems.filter((problem) => problem !== undefined).join("; ") };
}

function problemOf(member: string, value: unknown, wanted: string): string | undefined {
  if (typeof value === "string") return undefined;
  return value === undefined ? `${member} is missing` : `${member} must be ${wanted}`;
}

/** The members of a JSON object, `rate` as it is written in the text: `1.10`, `1e-7`. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const members = value as Record<string, unknown>;
    // Parsed a second time only for a number: with a reviver, a million lines take 2.8 s
    // instead of 1.0 s.
    if (typeof members.rate === "number") members.rate = JSON.parse(text, sourceOfNumber).rate;
    return members;
  } catch {
    return undefined; // not JSON, or nested deeper than the stack allows
  }
}
