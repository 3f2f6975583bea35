import { counted } from "../../../platform/shared/text/counted.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** The state of a data directory. */
export interface DirectoryFacts {
  readonly path: string;
  /** Whether this user may write to it; for root, whether its owner may. */
  readonly isWritable: boolean;
  readonly isWritableByOthers: boolean;
  readonly freeBytes: number;
  /** How many files and directories can be made there. */
  readonly freeInodes: number;
  readonly databaseBytes: number;
  readonly logBytes: number;
  /** Files that every user of this machine can read, and should not. */
  readonly readableByOthers: readonly string[];
  /** Files of the database to which the same user may not write. */
  readonly notWritable: readonly string[];
  /** The database has a second name: opening it by that name would damage it. */
  readonly hasSecondName: boolean;
}

const MIB = 1024 * 1024;

/** Less is soon used up: a WAL grows to at least 16 MiB. */
const FREE_LEAST_BYTES = 100 * MIB;
const FREE_AMPLE_BYTES = 1024 * MIB;

/** A start makes three files, a backup with its verification nine, and each mail may be one. */
const FREE_LEAST_INODES = 50;

/** SQLite checkpoints the WAL at 16 MiB; it grows beyond that during a long read. */
const LARGE_WAL_BYTES = 512 * MIB;

export function checkDirectory(path: string, facts: DirectoryFacts | "no directory"): Finding[] {
  if (facts === "no directory") {
    const { problem } = findingsOf("files");
    return [problem(`${path} is not a directory: set DATA_DIR to one.`)];
  }
  return [...checkSpace(facts), ...checkRights(facts)];
}

function checkSpace(facts: DirectoryFacts): Finding[] {
  const { path, freeBytes, freeInodes, databaseBytes, logBytes } = facts;
  const { ok, warning, problem } = findingsOf("disk");
  const free = `${mebibytes(freeBytes)} free at ${path}`;
  const used = `database ${mebibytes(databaseBytes)}, WAL ${mebibytes(logBytes)}`;
  const found: Finding[] = [];
  if (freeBytes < FREE_LEAST_BYTES) {
    found.push(problem(`${free}: on a full disk reads get 503 and backups fail. Make room.`));
  } else if (freeBytes < Math.max(FREE_AMPLE_BYTES, databaseBytes)) {
    found.push(warning(`${free} (${used}): make room soon; a restore needs the database's size.`));
  } else found.push(ok(`${free}; ${used}`));
  if (freeInodes < FREE_LEAST_INODES) {
    const left = `${counted(freeInodes, "inode")} free at ${path}`;
    found.push(problem(`${left}: without one, no file can be made. Remove files (df -i).`));
  }
  if (logBytes > LARGE_WAL_BYTES) {
    found.push(
      warning(
        `the WAL has grown to ${mebibytes(logBytes)} during a long read, such as a backup. ` +
          "SQLite will reuse the space; a restart of the server shrinks the WAL.",
      ),
    );
  }
  return found;
}

function checkRights(facts: DirectoryFacts): Finding[] {
  const { ok, warning, problem } = findingsOf("files");
  const { path, isWritable, notWritable, readableByOthers, hasSecondName } = facts;
  const found: Finding[] = [];
  for (const place of isWritable ? notWritable : [path, ...notWritable]) {
    found.push(problem(`the server's user may not write to ${place}: chown it to that user.`));
  }
  if (facts.isWritableByOthers) {
    found.push(warning(`every user of this machine may write to ${path}: chmod 700 ${path}`));
  }
  if (readableByOthers.length > 0) {
    found.push(
      warning(
        `every user of this machine can read ${readableByOthers.join(", ")}: chmod 700 ${path}`,
      ),
    );
  }
  if (hasSecondName) {
    found.push(
      warning(
        "the database has a second name, left by an interrupted restore: remove the newest " +
          `${path}/kurs.db.replaced-… that ls -i shows with the number of kurs.db.`,
      ),
    );
  }
  return found.length > 0 ? found : [ok("writable by this user, not readable by others")];
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
