import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";
import type { StoredContent } from "../../served/history.ts";

const compress = promisify(zstdCompress);

/** Prepares a document's bytes for the store; compressing 1 MB of JSON takes some 5 ms. */
export async function packContent(content: Uint8Array): Promise<StoredContent> {
  const compressed = await compress(content);
  return { hash: hashContent(content), bytes: content.byteLength, compressed };
}

/** @throws the system's error when the stored bytes are damaged. */
export function unpackContent(compressed: Uint8Array): Uint8Array {
  return zstdDecompressSync(compressed);
}

/** SHA-256 in hexadecimal. */
export function hashContent(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
