import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Load, LoadResult, LoadSettings } from "./generator.ts";
import {
  type LoadRequest,
  OTHER_EVERY,
  partsOf,
  RANK_STEP,
  rawRequest,
  SLOTS,
  type SlotName,
  TIMES,
} from "./requests.ts";

const execute = promisify(execFile);

/** wrk with one thread, and a Lua script that composes the requests. */
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

/** Only the slots are filled in anew for each request, to keep the generator cheap. */
function scriptOf(settings: LoadSettings): string {
  const { request } = settings;
  const others = (request.others ?? []).map((other) => functionOf(other, settings));
  return `
local random, floor, format = math.random, math.floor, string.format
math.randomseed(os.time())
local main = ${functionOf(request, settings)}
local others, turn = { ${others.join(", ")} }, 0
${others.length === 0 ? "request = main" : MIXED_REQUEST}
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"succeeded":%d,"rejected":%d,"failed":%d,"requestsPerSecond":%.1f,' ..
    '"p50Ms":%.3f,"p99Ms":%.3f,"worstMs":%.3f}',
    summary.requests - errors.status, errors.status,
    errors.connect + errors.read + errors.write,
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
`;
}

const MIXED_REQUEST = `function request()
  turn = turn + 1
  if turn % ${OTHER_EVERY} > 0 then return main() end
  return others[turn / ${OTHER_EVERY} % #others + 1]()
end`;

/** A function of Lua that returns the bytes of a request. */
function functionOf(request: LoadRequest, settings: LoadSettings): string {
  const parts = partsOf(rawRequest(settings.url, request)).map((part, at) => {
    if (at % 2 === 0) return luaText(part);
    return part === "time" ? LUA_TIME : luaDigits(part as SlotName, settings);
  });
  return `function() return ${parts.join(" .. ")} end`;
}

const LUA_TIME = `os.date("!%a, %d %b %Y %H:%M:%S GMT", random(${TIMES.from}, ${TIMES.to}))`;

function luaDigits(name: SlotName, { counts, distribution }: LoadSettings): string {
  const { digits, base } = SLOTS[name];
  const count = counts[`${name}s`];
  const isRanked = name === "account" && distribution === "zipf";
  const picked = isRanked
    ? `floor(${count + 1} ^ random()) * ${RANK_STEP} % ${count}`
    : `random(0, ${count - 1})`;
  return `format("%0${digits}${base === 16 ? "x" : "d"}", ${picked})`;
}

/** These texts contain only escapes that JSON and Lua share. */
function luaText(text: string): string {
  return JSON.stringify(text);
}
