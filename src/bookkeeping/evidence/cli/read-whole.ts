import { CommandError } from "../../../platform/cli/command.ts";
import { type FileUses, type OpenedFile, withFile } from "../../../platform/cli/input-file.ts";

const MEBIBYTE = 1024 * 1024;

/** The ECB's archive since 1999 has 9 MB, and four thirds of that in an evidence file. */
const MEBIBYTES_MAX = 256;

/** Reads a file, or stdin for `-`. @throws {CommandError} it cannot be read, or is too large. */
export async function readWhole(
  path: string,
  uses: FileUses,
  mebibytesMax = MEBIBYTES_MAX,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  await withFile(path, uses, async (opened) => {
    for await (const chunk of opened.bytes) {
      bytes += chunk.byteLength;
      if (bytes > mebibytesMax * MEBIBYTE) {
        throw new CommandError(`${path} has more than ${mebibytesMax} MiB: it is not read`);
      }
      chunks.push(chunk);
    }
  });
  return Buffer.concat(chunks);
}

/** A file that was read already, as a reader of files takes it. */
export function openedAgain(content: Uint8Array): OpenedFile {
  const bytes = (async function* () {
    yield content;
  })();
  return { bytes, sizeBytes: content.byteLength, [Symbol.dispose]: () => undefined };
}
