import { pairName, parsePair } from "../../src/rates/served/rules/symbol.ts";
import { ApiError } from "./api/request.ts";
import { lastCoverage, loadCoverage } from "./coverage.ts";

/** A request does not wait longer for the newest list of pairs, which is large on some services. */
const WAIT_MS_MAX = 2000;

/** `EUR/USD` as the service reads it; undefined when it rejects a symbol, which costs nothing. */
export function pairNameOf(base: string, quote: string): string | undefined {
  const pair = parsePair(base, quote);
  return pair && pairName(pair);
}

/**
 * Says why a request for a pair would be charged and return no rate.
 *
 * @returns undefined when it would return one, or when no list of pairs could be loaded so far.
 */
export async function doubtAbout(name: string): Promise<string | undefined> {
  const { promise: waited, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, WAIT_MS_MAX);
  const newest = await Promise.race([loadCoverage().catch(ignoreFailure), waited]);
  clearTimeout(timer);
  const coverage = newest ?? lastCoverage();
  if (coverage === undefined) return undefined;
  const pair = coverage.pairOf.get(name);
  if (pair === undefined)
    return `There is no rate for ${name}; the request would still cost a unit.`;
  if (pair.suspended) return `${name} is suspended; the request would still cost a unit.`;
  return undefined;
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
  return undefined;
}
