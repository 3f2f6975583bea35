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
  /** Sends requests over `connections` for `seconds`. */
  run(url: string, seconds: number): Promise<LoadResult>;
}

const execute = promisify(execFile);

/** One request, as it is sent again and again. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface LoadSettings {
  /** Of which one is picked at random each time. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly directory: string;
}

/** wrk where the machine has it, since it takes least of the cores; otherwise autocannon. */
export async function createLoad(settings: LoadSettings): Promise<Load> {
  return hasWrk() ? createWrk(settings) : createAutocannon(settings);
}

/** A read of a rate over REST. */
export function restRead(apiKey: string): LoadRequest {
  const headers = { authorization: `ApiKey ${apiKey}` };
  return { method: "GET", path: "/v1/rates/EUR/USD", headers };
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

async function createWrk({ requests, connections, directory }: LoadSettings): Promise<Load> {
  const script = join(directory, `load-${requests[0]?.path.replaceAll("/", "-")}.lua`);
  await writeFile(script, luaOf(requests));
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
function luaOf(requests: readonly LoadRequest[]): string {
  const formats = requests.map(({ method, path, headers, body }) => {
    const pairs = Object.entries(headers).map(([name, value]) => `["${name}"]=${luaText(value)}`);
    const parts = [luaText(method), luaText(path), `{${pairs.join(",")}}`];
    return `wrk.format(${[...parts, body === undefined ? "nil" : luaText(body)].join(", ")})`;
  });
  return `
local requests
function init(args)
  requests = {
    ${formats.join(",\n    ")}
  }
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

/** JSON's escapes are Lua's, as far as these texts have any. */
function luaText(text: string): string {
  return JSON.stringify(text);
}

function createAutocannon({ requests, connections }: LoadSettings): Load {
  return {
    name: "autocannon",
    async run(url, seconds) {
      const load = { url, connections, duration: seconds, requests: [...requests] };
      const result = await autocannon(load);
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
