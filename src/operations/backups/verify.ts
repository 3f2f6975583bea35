import { rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findInCustomers } from "../../customers/findings.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { reasonOf } from "../../platform/shared/program/system-error.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { requireOwner } from "../../platform/storage/sqlite/owner.ts";
import { makePrivateDirectory } from "../../platform/storage/sqlite/private-files.ts";
import { examineStore } from "../doctor/examine-store.ts";
import { removeLeftovers } from "./kept.ts";
import type { BackupNote, DatabaseTotals } from "./report.ts";
import { restoreSqlite } from "./restore.ts";
import { recordVerified } from "./verified.ts";

/** A backup that was restored and examined. */
export interface Verification {
  readonly file: string;
  readonly sizeBytes: number;
  /** Undefined for a copy that kurs backup did not make. */
  readonly note: BackupNote | undefined;
  /** The backup's schema. */
  readonly schema: number;
  /** The totals of the restored database. */
  readonly totals: DatabaseTotals;
  /** What is wrong with it, in sentences; empty if nothing is. */
  readonly problems: readonly string[];
}

/**
 * Restores a backup into a scratch directory beside it, examines the restored database thoroughly
 * and compares its totals with those that the backup recorded. A success is recorded beside the
 * backup. The scratch directory needs the size of the database, and is removed.
 *
 * @throws {StartupError} when the file is not a backup, or cannot be restored at all.
 */
export async function verifyBackup(file: string, clock: Clock): Promise<Verification> {
  const directory = dirname(resolve(file));
  const scratch = join(directory, `.verifying-${process.pid}`);
  const now = timestamp(clock.nowMs());
  makeScratch(directory, scratch, clock.nowMs());
  try {
    const { note, schema, ...totals } = restoreSqlite(scratch, file, { now, reviveKeys: false });
    const { accounts, activeKeys, units } = totals;
    const restored = { accounts, activeKeys, units };
    const found = await examineStore(
      { dataDirectory: scratch, database: { engine: "sqlite" } },
      true,
      (engine) => findInCustomers(engine, "sqlite", true),
    );
    const problems = [
      ...(note !== undefined && note.takenAt > now ? [clockProblem(note.takenAt, now)] : []),
      ...found.filter(({ level }) => level === "problem").map(({ text }) => text),
      ...(note === undefined ? [] : differences(note.totals, restored)),
    ];
    if (problems.length === 0) await recordVerified(resolve(file), timestamp(clock.nowMs()));
    return { file, sizeBytes: statSync(file).size, note, schema, totals: restored, problems };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function makeScratch(directory: string, scratch: string, nowMs: number): void {
  requireOwner(directory);
  try {
    removeLeftovers(directory, nowMs);
    rmSync(scratch, { recursive: true, force: true });
    makePrivateDirectory(scratch);
  } catch (error) {
    throw new StartupError(
      `Cannot restore the backup beside itself: ${reasonOf(error)}. Copy it to a directory that ` +
        "you may write to, and verify the copy.",
      error,
    );
  }
}

const clockProblem = (takenAt: string, now: string) =>
  `it was taken at ${takenAt}, and it is ${now} here: check this machine's clock`;

function differences(noted: DatabaseTotals, restored: DatabaseTotals): readonly string[] {
  const names = { accounts: "account", activeKeys: "active key", units: "unit" } as const;
  return (Object.keys(names) as (keyof typeof names)[])
    .filter((name) => noted[name] !== restored[name])
    .map((name) => `${counted(noted[name], names[name])} recorded, and ${restored[name]} restored`);
}
