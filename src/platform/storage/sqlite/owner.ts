import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StartupError } from "../../shared/program/start-error.ts";

/**
 * Rejects root where a path, or its nearest existing parent, belongs to another user. The owner of
 * a directory decides where the names in it lead: through a link, or through a database's journal,
 * which names a file that SQLite then deletes (sqlite.org/atomiccommit.html, section 5.5); and the
 * service could not use files that belong to root. The system itself rejects other users.
 *
 * @throws {StartupError}
 */
export function requireOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { found, stats } = findNearest(resolve(path));
  if (stats.uid === 0) return;
  throw new StartupError(
    `${found} belongs to user ${stats.uid}, and root does not act there: run this as that user ` +
      `(sudo -u '#${stats.uid}' kurs …).`,
  );
}

function findNearest(path: string): { readonly found: string; readonly stats: Stats } {
  try {
    const link = lstatSync(path);
    // A link's owner decides where it leads, and need not own the target.
    const isOthers = link.isSymbolicLink() && link.uid !== 0;
    return { found: path, stats: isOthers ? link : statSync(path) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOENT", "ENOTDIR"].includes(code) || path === dirname(path)) throw error;
    return findNearest(dirname(path));
  }
}
