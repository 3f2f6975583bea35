import { isAscii, isUtf8 } from "node:buffer";

/**
 * Decodes parts of a publisher's document. Control characters become spaces, but for line feeds.
 *
 * @param charset of the publisher, for a document that is not in UTF-8.
 */
export function createTextDecoder(content: Uint8Array, charset = "utf-8") {
  const decoder = new TextDecoder(isUtf8(content) ? "utf-8" : charset);
  const part = (start?: number, end?: number) => content.subarray(start, end);
  return {
    decode: (start?: number, end?: number): string =>
      decoder.decode(part(start, end)).replaceAll(/(?!\n)\p{Cc}/gu, " "),
    /** How many characters a part has. */
    count: (start: number, end: number): number =>
      isAscii(part(start, end)) ? end - start : decoder.decode(part(start, end)).length,
  };
}
