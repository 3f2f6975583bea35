import { execFileSync } from "node:child_process";
import { createAutocannon } from "./autocannon.ts";
import type { Distribution, LoadRequest, SlotCounts } from "./requests.ts";
import { createWrk } from "./wrk.ts";

/** The responses to one round of load. */
export interface LoadResult {
  /** Responses with a status under 400. */
  readonly succeeded: number;
  /** Responses with a status of 400 or more. */
  readonly rejected: number;
  /** Requests whose connection failed. */
  readonly failed: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

export interface LoadSettings {
  readonly url: string;
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  /** Uniform by default. */
  readonly distribution?: Distribution;
  readonly connections: number;
  readonly seconds: number;
}

/** A closed loop: each connection sends its next request as soon as it has the last response. */
export type Load = (settings: LoadSettings) => Promise<LoadResult>;

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
