import { readRateFile } from "../../../../src/rates/import/files/read-rate-file.ts";
import type { RateLine } from "../../../../src/rates/sources/source.ts";

export const AS_OF = "2026-03-13T15:00:00Z";

/** Yields a file in chunks of these sizes in turn, from one buffer that is overwritten. */
async function* inChunks(file: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(Math.max(...sizes));
  for (let start = 0, index = 0; start < file.length; index += 1) {
    const chunk = file.subarray(start, start + (sizes[index % sizes.length] ?? 1));
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
    buffer.fill(0x2c);
    start += chunk.length;
  }
}

/** @returns every line that a reader gives for a file, in chunks of the given sizes. */
export async function linesOf(file: string | Uint8Array, sizes = [65_536]): Promise<RateLine[]> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const lines: RateLine[] = [];
  for await (const bunch of readRateFile(inChunks(bytes, sizes))) lines.push(...bunch);
  return lines;
}

/** A parsed line, as a reader gives it. */
export function rateLine(
  line: number,
  base: string,
  quote: string,
  rate: string,
  asOf = AS_OF,
): RateLine {
  return { line, base, quote, rate, asOf };
}
