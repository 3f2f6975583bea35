import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import autocannon from "autocannon";

/** What a round of load saw. */
export interface LoadResult {
  readonly answers: number;
  readonly refused: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Load {
  readonly name: string;
  /** Reads the path with keys picked at random, over `connections`, for `seconds`. */
  run(url: string, seconds: number): Promise<LoadResult>;
}

const execute = promisify(execFile);

/** wrk where the machine has it, since it takes least of the cores; otherwise autocannon. */
export async function createLoad(settings: {
  readonly path: string;
  readonly apiKeys: readonly string[];
  readonly connections: number;
  readonly directory: string;
}): Promise<Load> {
  return hasWrk() ? createWrk(settings) : createAutocannon(settings);
}

function hasWrk(): boolean {
  try {
    execFileSync("wrk", ["-v"], { stdio: "ignore" });
    return true;
  } catch (error) {
    // `wrk -v` itself ends with 1.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function createWrk(settings: Parameters<typeof createLoad>[0]): Promise<Load> {
  const { path, apiKeys, connections, directory } = settings;
  const script = join(directory, "read.lua");
  await writeFile(script, luaOf(path, apiKeys));
  return {
    name: "wrk",
    async run(url, seconds) {
      const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, url];
      const { stdout } = await execute("wrk", args);
      const json = stdout.slice(stdout.lastIndexOf("{"));
      return JSON.parse(json) as LoadResult;
    },
  };
}

/** Requests are formatted once, at the start: the load should cost as little as it can. */
function luaOf(path: string, apiKeys: readonly string[]): string {
  const keys = apiKeys.map((key) => `"${key}"`).join(",");
  return `
local keys = {${keys}}
local requests = {}
function init(args)
  for i, key in ipairs(keys) do
    requests[i] = wrk.format("GET", "${path}", {Authorization = "ApiKey " .. key})
  end
end
function request()
  return requests[math.random(#requests)]
end
function done(summary, latency, all)
  io.write(string.format(
    '{"answers":%d,"refused":%d,"requestsPerSecond":%.1f,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f}',
    summary.requests - summary.errors.status, summary.errors.status,
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
`;
}

function createAutocannon(settings: Parameters<typeof createLoad>[0]): Load {
  const { path, apiKeys, connections } = settings;
  const requests = apiKeys.map((key) => ({ path, headers: { authorization: `ApiKey ${key}` } }));
  return {
    name: "autocannon",
    async run(url, seconds) {
      const result = await autocannon({ url, connections, duration: seconds, requests });
      return {
        answers: result["2xx"],
        refused: result.non2xx,
        requestsPerSecond: result.requests.average,
        p50Ms: result.latency.p50,
        p99Ms: result.latency.p99,
        maxMs: result.latency.max,
      };
    },
  };
}
