import { isUtf8 } from "node:buffer";

/**
 * The lines of a document around one of them, as its place in an evidence file counts them: a line
 * ends with a line feed, and control characters are spaces.
 *
 * @param line from 1.
 * @returns the number and the text of each.
 */
export function linesAround(
  content: Uint8Array,
  line: number,
  around: number,
): readonly (readonly [number: number, text: string])[] {
  // The publishers' documents that are not UTF-8 are all in windows-1251.
  const decoder = new TextDecoder(isUtf8(content) ? "utf-8" : "windows-1251");
  const first = Math.max(line - around, 1);
  const some = decoder
    .decode(content)
    .split("\n")
    .slice(first - 1, line + around);
  return some.map((text, index) => [first + index, text.replaceAll(/\p{Cc}/gu, " ")]);
}

/** @returns the text of a line; "" if the document has no such line. */
export function lineOf(content: Uint8Array, line: number): string {
  return linesAround(content, line, 0)[0]?.[1] ?? "";
}
