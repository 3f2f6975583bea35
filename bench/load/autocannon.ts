import autocannon from "autocannon";
import type { Load, LoadSettings } from "./load.ts";
import { filledRequest } from "./requests.ts";

/** Requests that a connection sends in turn; putting them together each time takes the core. */
const REQUESTS_A_CONNECTION = 500;

/** autocannon, for machines without wrk. It takes about the core that it runs on. */
export function createAutocannon(): Load {
  return async (settings) => {
    const { url, connections, seconds } = settings;
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      setupClient: (client) => client.setRequests(picked(settings)),
    });
    return {
      answers: result["2xx"],
      refused: result.non2xx,
      broken: result.errors,
      requestsPerSecond: (result["2xx"] + result.non2xx) / result.duration,
      p50Ms: result.latency.p50,
      p99Ms: result.latency.p99,
      worstMs: result.latency.max,
    };
  };
}

function picked({ request, counts }: LoadSettings) {
  const at = (count: number) => Math.floor(Math.random() * count);
  return Array.from({ length: REQUESTS_A_CONNECTION }, () =>
    filledRequest(request, { account: at(counts.accounts), pair: at(counts.pairs) }),
  );
}
