import type { Distribution, LoadRequest, SlotCounts } from "./requests.ts";

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
