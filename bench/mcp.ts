// tools/call of get_rate beside the same read over REST, in turns in one run, and the memory of the
// server over many calls. Fails when a charge is missing or memory grows.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openAccounts } from "./accounts.ts";
import { createLoad, type LoadRequest, type LoadResult, restRead } from "./load.ts";
import { residentMiB } from "./processes.ts";
import { medianOf, meteredRound, TABLE_HEAD, tableLine, wordsOf } from "./rounds.ts";
import { startKurs } from "./servers.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    calls: { type: "string", default: "200000" },
  },
});
const seconds = Number.parseInt(values.seconds, 10);
const rounds = Number.parseInt(values.rounds, 10);
const connections = Number.parseInt(values.connections, 10);
const callsWanted = Number.parseInt(values.calls, 10);

/** Memory that differs by less is the collector's mood, not a leak. */
const GROWTH_MAX = 1.25;

await using cleanup = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
cleanup.defer(() => rm(directory, { recursive: true }));
const kurs = cleanup.use(await startKurs(join(directory, "data")));

/** The same read, as a client of either era asks for it. */
function toolCall(apiKey: string, era: "2025" | "2026"): LoadRequest {
  const params = { name: "get_rate", arguments: { base: "EUR", quote: "USD" } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const headers = {
    authorization: `ApiKey ${apiKey}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  if (era === "2025") {
    const version = { "mcp-protocol-version": "2025-11-25" };
    const body = JSON.stringify({ ...message, params });
    return { method: "POST", path: "/v1/mcp", headers: { ...headers, ...version }, body };
  }
  const named = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "get_rate",
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ ...message, params: { ...params, _meta } });
  return { method: "POST", path: "/mcp", headers: { ...headers, ...named }, body };
}

const accounts = await openAccounts(kurs.url, 100);
const loadOf = (requestOf: (apiKey: string) => LoadRequest) =>
  createLoad({
    requests: accounts.map(({ apiKey }) => requestOf(apiKey)),
    connections,
    directory,
  });
const ways = [
  { name: "REST", load: await loadOf(restRead), results: [] as LoadResult[] },
  {
    name: "MCP 2025-11-25",
    load: await loadOf((apiKey) => toolCall(apiKey, "2025")),
    results: [] as LoadResult[],
  },
  {
    name: "MCP 2026-07-28",
    load: await loadOf((apiKey) => toolCall(apiKey, "2026")),
    results: [] as LoadResult[],
  },
];

for (const { load } of ways) await load.run(kurs.url, 2);

let wrong = 0;
let calls = 0;
const memoryMiB: number[] = [];
for (let round = 0; round < rounds || calls < callsWanted; round += 1) {
  for (const { name, load, results } of ways) {
    const metered = await meteredRound(load, kurs.url, { accounts, seconds, connections });
    results.push(metered.result);
    if (!metered.isExact) wrong += 1;
    if (name !== "REST") calls += metered.result.answers;
    console.log(`round ${round + 1}, ${name}: ${wordsOf(metered)}`);
  }
  memoryMiB.push(await residentMiB(kurs.pid));
}

const rate = (results: readonly LoadResult[]) =>
  medianOf(results, (result) => result.requestsPerSecond);
const [rest, ...mcp] = ways;
const ratios = mcp.map(({ name, results }) => {
  return `${name} ${(rate(results) / rate(rest?.results ?? [])).toFixed(3)}`;
});
const growth = (memoryMiB.at(-1) ?? 0) / (memoryMiB[0] ?? 1);

console.log(`
${rest?.load.name}, ${connections} connections, ${accounts.length} accounts, ${rounds} x ${seconds} s, medians
${TABLE_HEAD}
${ways.map(({ name, results }) => tableLine(name, results)).join("\n")}
ratio to REST: ${ratios.join(", ")}; rounds with a missing or surplus charge: ${wrong}
memory over ${calls} calls, MiB after each round: ${memoryMiB.map((mib) => mib.toFixed(0)).join(", ")}`);
process.exitCode = wrong === 0 && growth <= GROWTH_MAX ? 0 : 1;
