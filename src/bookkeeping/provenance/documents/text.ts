import { isUtf8 } from "node:buffer";

/**
 * Decodes parts of a publisher's document. Control characters become spaces, but for line feeds.
 *
 * @param charset of the publisher, for a document that is not in UTF-8.
 */
export function createTextDecoder(content: Uint8Array, charset = "utf-8") {
  const decoder = new TextDecoder(isUtf8(content) ? "utf-8" : charset);
  return (start?: number, end?: number): string =>
    decoder.decode(content.subarray(start, end)).replaceAll(/(?!\n)\p{Cc}/gu, " ");
}
