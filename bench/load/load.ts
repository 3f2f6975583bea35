import { execFileSync } from "node:child_process";
import { createAutocannon } from "./autocannon.ts";
import type { LoadRequest, SlotCounts } from "./requests.ts";
import { createWrk } from "./wrk.ts";

/** What a round of load saw. */
export interface LoadResult {
  /** With a status under 400. */
  readonly answers: number;
  /** With a status of 400 or more. */
  readonly refused: number;
  /** Requests whose connection failed. */
  readonly broken: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

export interface LoadSettings {
  readonly url: string;
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  readonly connections: number;
  readonly seconds: number;
}

/** Sends a request over and over on all connections, each as soon as the last was answered. */
export type Load = (settings: LoadSettings) => Promise<LoadResult>;

export const GENERATORS = ["wrk", "autocannon"] as const;

export type GeneratorName = (typeof GENERATORS)[number];

/** wrk where the machine has it, since it takes least of the cores; otherwise autocannon. */
export function usualGenerator(): GeneratorName {
  try {
    execFileSync("wrk", ["-v"], { stdio: "ignore" });
    return "wrk";
  } catch (error) {
    // `wrk -v` itself ends with 1.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "autocannon" : "wrk";
  }
}

/** @param directory where the generator may put files of its own. */
export function createLoad(generator: GeneratorName, directory: string): Load {
  return generator === "wrk" ? createWrk(directory) : createAutocannon();
}
