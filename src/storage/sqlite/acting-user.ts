import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StartupError } from "../../shared/start-error.ts";

/**
 * Makes root act as the owner of a directory, or of its nearest existing parent, until disposed.
 * The owner of a directory decides where the names in it lead: through a link, or through a
 * database's journal, which names a file that SQLite then deletes (sqlite.org/atomiccommit.html,
 * section 5.5). Root must reach through such a name only what the owner may access, and new files
 * must belong to the owner, or the service could not use them. Does nothing for other users and in
 * root's own directories.
 *
 * Only for synchronous work: the effective user is that of the whole process.
 *
 * @throws {StartupError} when root may not act as that user, or the user cannot reach it.
 */
export function actAsOwnerOf(directory: string): Disposable {
  if (process.getuid?.() !== 0) return { [Symbol.dispose]: () => undefined };
  const undo = undoOf();
  try {
    process.seteuid?.(0);
    const { path, stats } = nearestOf(resolve(directory));
    if (stats.uid === 0) process.setegid?.(process.getgid?.() ?? 0);
    else become(stats, path);
    return { [Symbol.dispose]: undo };
  } catch (error) {
    undo();
    throw error;
  }
}

/** @returns a function that restores the process's current effective user and groups. */
function undoOf(): () => void {
  const [uid = 0, gid = 0] = [process.geteuid?.(), process.getegid?.()];
  const groups = process.getgroups?.() ?? [];
  return () => {
    if (process.geteuid?.() === uid && process.getegid?.() === gid) return;
    process.seteuid?.(0);
    process.setegid?.(gid);
    process.setgroups?.(groups);
    process.seteuid?.(uid);
  };
}

function nearestOf(path: string): { readonly path: string; readonly stats: Stats } {
  try {
    const link = lstatSync(path);
    // A link's owner decides where it leads, and need not own the target.
    const isOthers = link.isSymbolicLink() && link.uid !== 0;
    return { path, stats: isOthers ? link : statSync(path) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOENT", "ENOTDIR"].includes(code)) throw error;
    return nearestOf(dirname(path));
  }
}

function become({ uid, gid }: Stats, path: string): void {
  try {
    joinGroupsOf(uid, gid);
    process.setegid?.(gid);
    process.seteuid?.(uid);
  } catch (error) {
    throw new StartupError(
      `${path} belongs to user ${uid}, and root may not act as that user here: run Kurs as user ` +
        `${uid}.`,
      error,
    );
  }
  try {
    statSync(`${path}/.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") return;
    throw new StartupError(
      `${path} belongs to user ${uid}, which cannot enter it: give that user the right to enter ` +
        "the directories above it (a systemd unit needs a user of its own, not DynamicUser).",
      error,
    );
  }
}

/** @types/node 26.6 does not declare it. */
const { initgroups } = process as { initgroups?: (user: number, extraGroup: number) => void };

/** A user whom only systemd or a container defines has no name and no other groups. */
function joinGroupsOf(uid: number, gid: number): void {
  try {
    initgroups?.(uid, gid);
  } catch {
    process.setgroups?.([gid]);
  }
}
