import { readProgramFile } from "./program-files.ts";

/** What the program's package.json says: its version, and the SPDX identifier of its licence. */
export const { version, license } = JSON.parse(readProgramFile("package.json").toString()) as {
  readonly version: string;
  readonly license: string;
};
