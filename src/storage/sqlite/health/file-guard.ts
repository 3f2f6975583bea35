import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Checks that the database's files are still the ones that were opened (same inode). SQLite does
 * not: it keeps committing to a deleted or replaced file, and these commits are lost when the
 * process ends.
 *
 * @returns a check that throws while a file is missing or replaced. It only reads the directory,
 *   whose modification time changes with every name in it (2 µs), and the files when that has
 *   changed.
 */
export function createFileIdentityCheck(database: string): () => void {
  const directory = dirname(database);
  const opened = [database, `${database}-wal`].map((file) => ({ file, stats: statsOf(file) }));
  let checkedMs = Number.NaN;
  return () => {
    const changedMs = statsOf(directory)?.mtimeMs ?? Number.NaN;
    if (changedMs === checkedMs) return;
    for (const { file, stats } of opened) {
      const present = statsOf(file);
      if (present?.ino === stats?.ino && present?.dev === stats?.dev) continue;
      throw new Error(
        `${file} was removed or replaced while it was in use: put it back, or stop the server, ` +
          "put the right database in its place and start again",
      );
    }
    checkedMs = changedMs;
  };
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
