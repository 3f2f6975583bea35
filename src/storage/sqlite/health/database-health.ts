import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../../shared/store.ts";
import { isCorruption, resultCodeOf, SQLITE_BUSY, SQLITE_CONSTRAINT } from "../errors.ts";

/**
 * A lock is waited for with the event loop. Once that was in vain, nobody waits for long until it
 * is free again: of 8 clients the last would get its 503 after 8 s.
 */
const WAIT_IN_VAIN_MS = 20;

/** Whether a database can be used, as far as its last use has shown. */
export interface DatabaseHealth {
  /** Whether the last attempt failed by the database's fault. */
  readonly isFailing: boolean;
  /** To be called before each use. @throws while the database must not be used. */
  check(): void;
  /** Notes that the database has kept what it was given. */
  recover(): void;
  /** Notes what a use has thrown. @returns what is to be thrown instead. */
  note(error: unknown): unknown;
}

/**
 * @param checkFiles throws while the files are not in their places.
 */
export function createCondition(database: DatabaseSync, checkFiles: () => void): DatabaseHealth {
  const waitMs = Number(database.prepare("PRAGMA busy_timeout").get()?.timeout);
  const waitFor = (milliseconds: number) => database.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  let damage: Error | undefined;
  let isFailing = false;
  return {
    get isFailing() {
      return isFailing;
    },

    check() {
      // What writes on into a damaged file may destroy what a rescue would find.
      if (damage !== undefined) throw new StoreUnavailable(damage);
      try {
        checkFiles();
      } catch (error) {
        throw new StoreUnavailable(error);
      }
    },

    recover() {
      isFailing = false;
      waitFor(waitMs);
    },

    note(error) {
      if (isCorruption(error)) {
        const advice =
          "the database is damaged and not used any further: stop the server, keep a copy of " +
          "kurs.db and kurs.db-wal, restore a backup in their place and start again";
        damage ??= new Error(advice, { cause: error });
        isFailing = true;
        return new StoreUnavailable(damage);
      }
      const told = storeError(error);
      if (told instanceof StoreUnavailable) isFailing = true;
      if (resultCodeOf(error) === SQLITE_BUSY) waitFor(Math.min(waitMs, WAIT_IN_VAIN_MS));
      return told;
    },
  };
}

/** What the database itself could not do is the store's failure; the rest is this program's. */
function storeError(error: unknown): unknown {
  const code = resultCodeOf(error);
  const isDatabaseError = code !== undefined && code !== SQLITE_CONSTRAINT;
  return isDatabaseError ? new StoreUnavailable(error) : error;
}
