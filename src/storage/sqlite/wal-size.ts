import { closeSync, fdatasync, openSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** A page and its header in the log (sqlite.org/fileformat2.html, section 4). */
const FRAME_BYTES = 4096 + 24;

/** On a disk without room for so many logs it grows as it must. */
const ROOM_LOGS = 32;

const CHUNK = new Uint8Array(1024 * 1024);

/**
 * Lets the write-ahead log have its size before it is written. A sync after a write that made the
 * file longer takes twice as long as one after a write in its middle, which is where SQLite writes
 * once the log has been carried over: without this, the first 4,000 batches after a start took a
 * tenth longer. What follows the last commit in a log is never read (section 4 of the same page),
 * and while this holds the write lock nobody adds to it.
 *
 * @param pages when the log is carried over.
 * @param busyTimeoutMs the connection's own, which it has again afterwards.
 */
export function preallocateWal(
  database: DatabaseSync,
  file: string,
  pages: number,
  busyTimeoutMs: number,
): void {
  const bytes = pages * FRAME_BYTES;
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < ROOM_LOGS * bytes) return;
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    lengthen(`${file}-wal`, bytes);
  } catch {
    // A lock or a limit that is in the way costs that tenth; what needs to write will tell of it.
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

function lengthen(file: string, bytes: number): void {
  const descriptor = openSync(file, "r+");
  try {
    for (let size = statSync(file).size; size < bytes; size += CHUNK.length) {
      writeSync(descriptor, CHUNK, 0, CHUNK.length, size);
    }
  } finally {
    // Beside all else: the first commit waits for the disk, a start does not.
    fdatasync(descriptor, () => closeSync(descriptor));
  }
}
