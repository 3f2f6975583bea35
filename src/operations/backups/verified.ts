import { createHash } from "node:crypto";
import { createReadStream, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { timestamp } from "../../platform/shared/instant.ts";
import { StartupError } from "../../platform/shared/program/start-error.ts";
import { isDirectory } from "../../platform/storage/sqlite/private-files.ts";
import { renameDurably, syncFile } from "./durable-files.ts";
import { takenAtOf } from "./names.ts";

// A file in a directory of backups records the last backup that was verified.

const RECORD_NAME = "verified.json";

const FILE_MODE = 0o600;

/** The backup that was verified last. */
export interface VerifiedBackup {
  /** Its name in the directory. */
  readonly file: string;
  /** When it was taken: RFC 3339, UTC. */
  readonly takenAt: string;
  /** Whether its file is not the one that was verified: nothing is known about it. */
  readonly isChanged: boolean;
}

interface VerifiedRecord {
  readonly file: string;
  readonly taken_at: string;
  readonly verified_at: string;
  readonly size_bytes: number;
  readonly modified_at: string;
  readonly sha256: string;
}

/** Records that a backup was verified, on disk on return, unless it is not named after its time. */
export async function recordVerified(file: string, verifiedAt: string): Promise<void> {
  const [directory, name] = [dirname(file), basename(file)];
  const takenAt = takenAtOf(name);
  if (takenAt === undefined) return;
  const seen = { ...readSizeAndTime(file), sha256: await digestFile(file) };
  const content: VerifiedRecord = {
    file: name,
    taken_at: takenAt,
    verified_at: verifiedAt,
    ...seen,
  };
  const record = join(directory, RECORD_NAME);
  const part = `${record}.${process.pid}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(content)}\n`, { mode: FILE_MODE, flag: "wx" });
    syncFile(part);
    if (isDirectory(record)) rmSync(record, { recursive: true });
    renameDurably(part, record, true);
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * Reads the record. A change of the file is known by its size and time or, for the price of reading
 * it, by its SHA-256: 293 MB take 0.3 s.
 *
 * @returns undefined if no backup of the directory was verified, or the file is gone.
 * @throws {StartupError} when the record cannot be read or is not one.
 */
export async function readVerified(
  directory: string,
  { readsContent = false } = {},
): Promise<VerifiedBackup | undefined> {
  const record = join(directory, RECORD_NAME);
  try {
    const { file, taken_at: takenAt, ...seen } = recordIn(await readFile(record, "utf8"));
    const path = join(directory, file);
    const { size_bytes: size, modified_at: time } = readSizeAndTime(path);
    const isSame =
      size === seen.size_bytes &&
      time === seen.modified_at &&
      (!readsContent || (await digestFile(path)) === seen.sha256);
    return { file, takenAt, isChanged: !isSame };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const advice = "kurs backup verify writes a new one";
    throw new StartupError(`${record} cannot be read (${message}): ${advice}.`, error);
  }
}

/**
 * Removes the record of a backup whose file is not the one that was verified, or a record that
 * cannot be read: both prove nothing.
 */
export async function forgetChanged(directory: string): Promise<void> {
  const isProof = await readVerified(directory, { readsContent: true }).then(
    (verified) => verified?.isChanged === false,
    () => false,
  );
  if (isProof) return;
  rmSync(join(directory, RECORD_NAME), { recursive: true, force: true });
}

function recordIn(text: string): VerifiedRecord {
  const record = JSON.parse(text) as Partial<VerifiedRecord>;
  if (typeof record.file !== "string" || typeof record.sha256 !== "string") {
    throw new Error("it is not the record of a verified backup");
  }
  return record as VerifiedRecord;
}

function readSizeAndTime(path: string) {
  const { size, mtimeMs } = statSync(path);
  return { size_bytes: size, modified_at: timestamp(Math.floor(mtimeMs)) };
}

async function digestFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const bytes of createReadStream(path)) digest.update(bytes as Buffer);
  return digest.digest("hex");
}
