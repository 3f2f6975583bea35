import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Watches that a database's files are still those that were opened. SQLite does not: a file that
 * was deleted or replaced takes commits as before, and all of them are gone with the process.
 *
 * @returns a check that throws while a file is not in its place. It looks at the directory alone,
 *   whose time moves with every name in it (2 µs), and at the files only when that has changed.
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
          "set the database right and start again",
      );
    }
    checkedMs = changedMs;
  };
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
