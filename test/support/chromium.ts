import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, "node_modules/.cache");
const FOLDER = join(CACHE, "chromium");

const UNPACK =
  'import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath());';

/**
 * Unpacks the Chromium that npm installs, once per installation: 2 s.
 *
 * The package itself unpacks into the system's temporary folder, and takes a file that another
 * process still writes, or that a killed one left behind, for a whole one.
 *
 * @returns the path of the program.
 */
export async function unpackChromium(): Promise<string> {
  const path = join(FOLDER, "chromium");
  if (existsSync(path)) return path;
  await mkdir(CACHE, { recursive: true });
  const unpacked = await mkdtemp(`${FOLDER}-`);
  try {
    const env = { ...process.env, TMPDIR: unpacked };
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", UNPACK], {
      cwd: ROOT,
      env,
    });
    await rename(unpacked, FOLDER);
  } catch (error) {
    await rm(unpacked, { recursive: true });
    // Another process was faster: a folder with files is not replaced.
    if (!existsSync(path)) throw error;
  }
  return path;
}
