import { isUtf8 } from "node:buffer";
import {
  CARRIAGE_RETURN,
  LINE_FEED,
  withLineFeeds,
} from "../../../platform/shared/text/line-feeds.ts";

/** A line of text with its number in the file, counted from 1, or why it could not be read. */
export type TextLine = ReadTextLine | { readonly line: number; readonly reason: string };

export interface ReadTextLine {
  readonly line: number;
  readonly text: string;
  /** The file ends without the line's CR or LF: more of the line may be missing. */
  readonly isUnfinished?: true;
}

/** A rate takes about 50 bytes. A longer line than this is skipped, not kept in memory. */
const LINE_BYTES_MAX = 65_536;

/**
 * Splits UTF-8 text into lines that end with LF, CRLF or CR, and leaves out blank ones.
 *
 * @returns the lines in batches; memory use is constant for any length of the input or of a line.
 */
export async function* readTextLines(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly TextLine[], void, undefined> {
  const splitter = new LineSplitter();
  for await (const chunk of withLineFeeds(input)) {
    for (let start = 0; start < chunk.length; start += LINE_BYTES_MAX) {
      const lines = splitter.push(chunk.subarray(start, start + LINE_BYTES_MAX));
      if (lines.length > 0) yield lines;
    }
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

/**
 * Cuts bytes at line feeds and decodes only whole lines. In UTF-8 a line feed is never part of
 * another character, so no character is cut, and bytes that are not UTF-8 invalidate only their own
 * line.
 */
class LineSplitter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #lineNumber = 1;
  #unfinished: Uint8Array[] = [];
  #unfinishedBytes = 0;

  /** Takes up to {@link LINE_BYTES_MAX} bytes and returns the lines that end in them. */
  push(bytes: Uint8Array): TextLine[] {
    const lines: TextLine[] = [];
    let rest = bytes;
    if (this.#unfinishedBytes > 0) {
      const end = rest.indexOf(LINE_FEED);
      if (end === -1) {
        this.#keep(rest);
        return lines;
      }
      this.#keep(rest.subarray(0, end));
      this.#finishLine(lines);
      rest = rest.subarray(end + 1);
    }
    const end = rest.lastIndexOf(LINE_FEED);
    if (end !== -1) this.#addLines(rest.subarray(0, end), lines);
    this.#keep(rest.subarray(end + 1));
    return lines;
  }

  /** Returns the last line if no line feed follows it. */
  end(): TextLine[] {
    const lines: TextLine[] = [];
    const endsWithReturn = this.#unfinished.at(-1)?.at(-1) === CARRIAGE_RETURN;
    if (this.#unfinishedBytes > 0) this.#finishLine(lines);
    if (endsWithReturn) return lines;
    return lines.map((line) => ("text" in line ? { ...line, isUnfinished: true } : line));
  }

  #keep(bytes: Uint8Array): void {
    this.#unfinishedBytes += bytes.length;
    if (this.#unfinishedBytes > LINE_BYTES_MAX) this.#unfinished = [];
    // A copy, because a producer may reuse its buffer for the next chunk.
    else if (bytes.length > 0) this.#unfinished.push(new Uint8Array(bytes));
  }

  #finishLine(lines: TextLine[]): void {
    if (this.#unfinishedBytes > LINE_BYTES_MAX) {
      const reason = `the line is longer than ${LINE_BYTES_MAX} bytes`;
      lines.push({ line: this.#lineNumber++, reason });
    } else {
      this.#addLines(Buffer.concat(this.#unfinished), lines);
    }
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
  }

  #addLines(bytes: Uint8Array, lines: TextLine[]): void {
    if (isUtf8(bytes)) {
      for (const text of this.#decoder.decode(bytes).split("\n")) this.#addText(text, lines);
      return;
    }
    let start = 0;
    while (start <= bytes.length) {
      const found = bytes.indexOf(LINE_FEED, start);
      const end = found === -1 ? bytes.length : found;
      const line = bytes.subarray(start, end);
      if (isUtf8(line)) this.#addText(this.#decoder.decode(line), lines);
      else lines.push({ line: this.#lineNumber++, reason: "the line is not valid UTF-8" });
      start = end + 1;
    }
  }

  #addText(text: string, lines: TextLine[]): void {
    const line = this.#lineNumber++;
    const start = line === 1 && text.startsWith("\uFEFF") ? 1 : 0;
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const content = text.slice(start, end);
    if (content.trim() !== "") lines.push({ line, text: content });
  }
}
