import { closeSync, fdatasync, openSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** A page and its header in the WAL (sqlite.org/fileformat2.html, section 4). */
const FRAME_BYTES = 4096 + 24;

/** With less free disk space than this many WALs, none is preallocated. */
const FREE_SPACE_WALS = 32;

const CHUNK = new Uint8Array(1024 * 1024);

/**
 * Preallocates the write-ahead log. A sync takes twice as long after a write that extends the file
 * as after a write inside it, which is where SQLite writes once the WAL was checkpointed: without
 * this, the first 4,000 batches after a start took a tenth longer. SQLite never reads what follows
 * the last commit in a WAL (section 4 of the same page). This function holds the write lock
 * meanwhile, so that no other connection appends to it.
 *
 * @param pages the WAL's size at which SQLite checkpoints it.
 * @param busyTimeoutMs the connection's own, restored afterwards.
 */
export function preallocateWal(
  database: DatabaseSync,
  file: string,
  pages: number,
  busyTimeoutMs: number,
): void {
  const bytes = pages * FRAME_BYTES;
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < FREE_SPACE_WALS * bytes) return;
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    extendFile(`${file}-wal`, bytes);
  } catch {
    // On a lock or a limit, batches stay a tenth slower. The next write reports a lasting problem.
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

function extendFile(file: string, bytes: number): void {
  const descriptor = openSync(file, "r+");
  try {
    for (let size = statSync(file).size; size < bytes; size += CHUNK.length) {
      writeSync(descriptor, CHUNK, 0, CHUNK.length, size);
    }
  } finally {
    // Asynchronous: the first commit waits for the disk, the startup does not.
    fdatasync(descriptor, () => closeSync(descriptor));
  }
}
