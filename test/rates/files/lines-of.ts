import { readRateFile } from "../../../src/rates/files/read-rate-file.ts";
import type { RateLine } from "../../../src/rates/source.ts";

export const AS_OF = "2026-03-13T15:00:00Z";

/** Gives a file in chunks of these sizes, over and over, from one buffer that is filled anew. */
async function* inChunks(file: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(Math.max(...sizes));
  for (let start = 0, turn = 0; start < file.length; turn += 1) {
    const chunk = file.subarray(start, start + (sizes[turn % sizes.length] ?? 1));
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
    buffer.fill(0x2c);
    start += chunk.length;
  }
}

/** @returns every line that a reader makes of a file, in chunks of the given sizes. */
export async function linesOf(file: string | Uint8Array, sizes = [65_536]): Promise<RateLine[]> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const lines: RateLine[] = [];
  for await (const bunch of readRateFile(inChunks(bytes, sizes))) lines.push(...bunch);
  return lines;
}

/** A line that was read, as a reader gives it. */
export function rateLine(
  line: number,
  base: string,
  quote: string,
  rate: string,
  asOf = AS_OF,
): RateLine {
  return { line, base, quote, rate, asOf };
}
