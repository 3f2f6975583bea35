import { type BenchAccount, sumOfUnits } from "./accounts.ts";
import type { Load, LoadResult } from "./load.ts";

/** A round of reads, beside the units that were charged for it. */
export interface MeteredRound {
  readonly result: LoadResult;
  readonly charged: number;
  /** What was in flight when the load stopped: charged, and its answer not waited for. */
  readonly surplus: number;
  /** Whether every answer was charged, and nothing but what was in flight besides. */
  readonly isExact: boolean;
}

export async function meteredRound(
  load: Load,
  url: string,
  settings: {
    readonly accounts: readonly BenchAccount[];
    readonly seconds: number;
    readonly connections: number;
  },
): Promise<MeteredRound> {
  const { accounts, seconds, connections } = settings;
  const before = await sumOfUnits(url, accounts);
  const result = await load.run(url, seconds);
  const charged = (await sumOfUnits(url, accounts)) - before;
  const surplus = charged - result.answers;
  const isExact = surplus >= 0 && surplus <= connections && result.refused === 0;
  return { result, charged, surplus, isExact };
}

/** A round in words. */
export function wordsOf({ result, charged, surplus, isExact }: MeteredRound): string {
  return (
    `answers ${result.answers}, units charged ${charged}, ` +
    `in flight at the end ${surplus}, refused ${result.refused}: ${isExact ? "exact" : "WRONG"}`
  );
}

export function medianOf(
  results: readonly LoadResult[],
  figure: (result: LoadResult) => number,
): number {
  return results.map(figure).sort((left, right) => left - right)[results.length >> 1] ?? 0;
}

export const TABLE_HEAD = `${" ".repeat(18)}requests/s   p50 ms   p99 ms   max ms`;

/** A line of a table of medians. */
export function tableLine(name: string, results: readonly LoadResult[]): string {
  const column = (figure: (result: LoadResult) => number, places: number, width: number) =>
    medianOf(results, figure).toFixed(places).padStart(width);
  return [
    name.padEnd(18),
    column((result) => result.requestsPerSecond, 0, 10),
    column((result) => result.p50Ms, 2, 9),
    column((result) => result.p99Ms, 2, 9),
    column((result) => result.maxMs, 0, 9),
  ].join("");
}
