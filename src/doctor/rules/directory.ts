import { type Finding, findingsOf } from "./finding.ts";

/** What was found of a data directory, in bytes. */
export interface DirectoryFacts {
  readonly path: string;
  /** For this user; for root, for the directory's owner. */
  readonly isWritable: boolean;
  readonly isWritableByOthers: boolean;
  readonly freeBytes: number;
  readonly databaseBytes: number;
  readonly logBytes: number;
  /** Files that users of this machine can read who should not. */
  readonly readableByOthers: readonly string[];
  /** Files of the database that the same user may not write to. */
  readonly notWritable: readonly string[];
  /** The database has a second name: whoever opened it by that one would damage it. */
  readonly hasSecondName: boolean;
}

const MIB = 1024 * 1024;

/** Less is soon written: a log grows to 16 MiB at the least. */
const FREE_LEAST_BYTES = 100 * MIB;
const FREE_AMPLE_BYTES = 1024 * MIB;

/** The log is carried over at 16 MiB; it grows beyond while something reads for long. */
const LOG_AMPLE_BYTES = 512 * MIB;

export function checkDirectory(facts: DirectoryFacts): Finding[] {
  return [...judgeSpace(facts), ...judgeRights(facts)];
}

function judgeSpace({ path, freeBytes, databaseBytes, logBytes }: DirectoryFacts): Finding[] {
  const { ok, warning, problem } = findingsOf("disk");
  const told = `${mebibytes(freeBytes)} free at ${path}`;
  const used = `database ${mebibytes(databaseBytes)}, log ${mebibytes(logBytes)}`;
  const found: Finding[] = [];
  if (freeBytes < FREE_LEAST_BYTES) {
    found.push(problem(`${told}: reads are refused when it is full. Make room.`));
  } else if (freeBytes < Math.max(FREE_AMPLE_BYTES, databaseBytes)) {
    found.push(warning(`${told} (${used}): make room soon; a restore needs the database's size.`));
  } else found.push(ok(`${told}; ${used}`));
  if (logBytes > LOG_AMPLE_BYTES) {
    found.push(
      warning(
        `the log has grown to ${mebibytes(logBytes)}: something has read for long, such as a ` +
          "backup. It is used again; a restart of the server makes it small.",
      ),
    );
  }
  return found;
}

function judgeRights(facts: DirectoryFacts): Finding[] {
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
        "the database has a second name, left by a restore that was cut off: remove the newest " +
          `${path}/kurs.db.replaced-… that ls -i shows with the number of kurs.db.`,
      ),
    );
  }
  return found.length > 0 ? found : [ok("writable for this user, not readable for others")];
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
