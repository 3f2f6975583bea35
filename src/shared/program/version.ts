import { readProgramFile } from "./program-files.ts";

/** The program's version, from its package.json. */
export const version: string = (
  JSON.parse(readProgramFile("package.json").toString()) as { version: string }
).version;
