import { execFileSync } from "node:child_process";
import { createAutocannon } from "./autocannon.ts";
import type { Load } from "./generator.ts";
import { createWrk } from "./wrk.ts";

export const GENERATORS = ["wrk", "autocannon"] as const;

export type GeneratorName = (typeof GENERATORS)[number];

/** wrk if it is installed, because it needs the least processor time; otherwise autocannon. */
export function defaultGenerator(): GeneratorName {
  try {
    execFileSync("wrk", ["-v"], { stdio: "ignore" });
    return "wrk";
  } catch (error) {
    // `wrk -v` itself exits with 1.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "autocannon" : "wrk";
  }
}

/** @param directory for files of the generator. */
export function createLoad(generator: GeneratorName, directory: string): Load {
  return generator === "wrk" ? createWrk(directory) : createAutocannon();
}
