import autocannon from "autocannon";
import type { Load, LoadSettings } from "./generator.ts";
import { filledRequest, OTHER_EVERY, randomSlots } from "./requests.ts";

/** Prepared requests that a connection repeats: composing each anew would use the whole core. */
const REQUESTS_PER_CONNECTION = 500;

/** autocannon, for machines without wrk. It uses about the whole core that it runs on. */
export function createAutocannon(): Load {
  return async (settings) => {
    const { url, connections, seconds } = settings;
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      setupClient: (client) => client.setRequests(randomRequests(settings)),
    });
    return {
      succeeded: result["2xx"],
      rejected: result.non2xx,
      failed: result.errors,
      requestsPerSecond: (result["2xx"] + result.non2xx) / result.duration,
      p50Ms: result.latency.p50,
      p99Ms: result.latency.p99,
      worstMs: result.latency.max,
    };
  };
}

function randomRequests({ request, counts, distribution }: LoadSettings) {
  const { others = [], ...main } = request;
  return Array.from({ length: REQUESTS_PER_CONNECTION }, (_, index) => {
    const turn = (index + 1) / OTHER_EVERY;
    const other = Number.isInteger(turn) ? others[turn % others.length] : undefined;
    return filledRequest(other ?? main, randomSlots(counts, distribution));
  });
}
