import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Load, LoadResult, LoadSettings } from "./load.ts";
import { filled, partsOf, SLOTS, type SlotName } from "./requests.ts";

const execute = promisify(execFile);

/** wrk with one thread, told by a script what to send. */
export function createWrk(directory: string): Load {
  return async (settings) => {
    const script = join(directory, `${randomUUID()}.lua`);
    await writeFile(script, scriptOf(settings));
    const { connections, seconds, url } = settings;
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, url];
    const { stdout } = await execute("wrk", args);
    return JSON.parse(stdout.slice(stdout.lastIndexOf("{"))) as LoadResult;
  };
}

/** Nothing of a request is put together each time but its slots: the load should cost little. */
function scriptOf(settings: LoadSettings): string {
  const parts = partsOf(bytesOf(settings)).map((part, at) => {
    return at % 2 === 0 ? luaText(part) : luaDigits(part as SlotName, settings);
  });
  return `
local random, format = math.random, string.format
math.randomseed(os.time())
function request()
  return ${parts.join(" .. ")}
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"answers":%d,"refused":%d,"broken":%d,"requestsPerSecond":%.1f,' ..
    '"p50Ms":%.3f,"p99Ms":%.3f,"worstMs":%.3f}',
    summary.requests - errors.status, errors.status,
    errors.connect + errors.read + errors.write,
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
`;
}

/** The request as it goes over the wire, its slots still in it. */
function bytesOf({ url, request }: LoadSettings): string {
  const { method, path, headers, body } = request;
  const lengths = body === undefined ? {} : { "content-length": String(lengthOf(body)) };
  const all = { host: new URL(url).host, ...headers, ...lengths };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body ?? ""].join("\r\n");
}

function lengthOf(body: string): number {
  return Buffer.byteLength(filled(body, { account: 0, pair: 0 }));
}

function luaDigits(name: SlotName, { counts }: LoadSettings): string {
  const { digits, base } = SLOTS[name];
  return `format("%0${digits}${base === 16 ? "x" : "d"}", random(0, ${counts[`${name}s`] - 1}))`;
}

/** JSON's escapes are Lua's, as far as these texts have any. */
function luaText(text: string): string {
  return JSON.stringify(text);
}
