import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../../shared/store.ts";
import {
  isCorruption,
  resultCodeOf,
  SQLITE_BUSY,
  SQLITE_CONSTRAINT,
  SQLITE_FULL,
} from "../errors.ts";

/**
 * Waiting for a lock blocks the event loop. After one wait timed out, later attempts wait this long
 * until the lock is free: otherwise the last of 8 clients would get its 503 after 8 s.
 */
const RETRY_WAIT_MS = 20;

/**
 * Whether a database can be used, by its last use.
 *
 * @param checkFiles throws while the files are missing or replaced.
 */
export function createDatabaseHealth(database: DatabaseSync, checkFiles: () => void) {
  const waitMs = Number(database.prepare("PRAGMA busy_timeout").get()?.timeout);
  const setBusyTimeout = (timeoutMs: number) => database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  let damage: Error | undefined;
  let isFailing = false;
  return {
    /** Whether the last attempt failed because of the database. */
    get isFailing() {
      return isFailing;
    },

    /** Call this before each use. @throws while the database must not be used. */
    assertUsable() {
      // Further writes to a damaged file may destroy data that a rescue would find.
      if (damage !== undefined) throw new StoreUnavailable(damage);
      try {
        checkFiles();
      } catch (error) {
        throw new StoreUnavailable(error);
      }
    },

    /** Records a commit that succeeded. */
    recordSuccess() {
      isFailing = false;
      setBusyTimeout(waitMs);
    },

    /** Records an error of a use, or of its COMMIT. @returns the error to throw instead. */
    recordError(error: unknown, isCommitting = false): unknown {
      if (isCorruption(error)) {
        const advice =
          "the database is damaged and no longer used: stop the server, keep a copy of " +
          "kurs.db and kurs.db-wal, restore a backup in their place and start again";
        damage ??= new Error(advice, { cause: error });
        isFailing = true;
        return new StoreUnavailable(damage, isCommitting);
      }
      const reported = storeError(error, isCommitting);
      if (reported instanceof StoreUnavailable) isFailing = true;
      if (resultCodeOf(error) === SQLITE_BUSY) setBusyTimeout(Math.min(waitMs, RETRY_WAIT_MS));
      return reported;
    },
  };
}

/** Wraps a failure of the database itself; returns a bug of this program as it is. */
function storeError(error: unknown, isCommitting: boolean): unknown {
  const code = resultCodeOf(error);
  if (code === undefined || code === SQLITE_CONSTRAINT) return error;
  // Without its lock or its space, a commit has not written its last frame. After a failed sync, a
  // crash may leave all of them in the WAL, and the next start would apply them.
  const isUndone = code === SQLITE_BUSY || code === SQLITE_FULL;
  return new StoreUnavailable(error, isCommitting && !isUndone);
}
