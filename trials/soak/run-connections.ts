import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { openConnection } from "../../test/support/client.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { openWire, plainRead, type Wire } from "../../test/support/raw-connection.ts";
import { openFiles, residentMib } from "../../test/support/resources.ts";

// Measures the memory of thousands of idle connections, the reads meanwhile, and the behaviour
// without free file descriptors (Linux, with prlimit).
// node trials/soak/run-connections.ts --connections 10000

const { values } = parseArgs({ options: { connections: { type: "string", default: "10000" } } });
const wanted = Number(values.connections);
const OPENED_AT_ONCE = 200;
const READS = 2000;

await using directory = await temporaryDirectory();
const env = { PLAN_FREE_UNITS: "1000000", MAX_CONNECTIONS: String(wanted + 10) };
await using server = await serve({ dataDirectory: directory.path, env });
const { pid } = server.program;
const { apiKey } = await server.newCustomer("ada@example.org");

console.log(`reads alone: ${await timesOfReads()}`);
using idle = new DisposableStack();
for (const [what, request] of [
  ["that have sent nothing", ""],
  ["that have read once", plainRead(apiKey)],
  ["that node:http serves", "GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n"],
] as const) {
  const before = residentMib(pid);
  const wires = await openMany(request);
  const grown = residentMib(pid) - before;
  const each = ((grown * 1024) / wires.length).toFixed(1);
  console.log(`${wires.length} connections ${what}: ${grown.toFixed(0)} MiB, ${each} KiB each`);
  console.log(`  reads meanwhile: ${await timesOfReads()}`);
  for (const { socket } of wires) socket.destroy();
  while (openFiles(pid) > 100) await new Promise((resolve) => setTimeout(resolve, 20));
}

const files = openFiles(pid) + 50;
execFileSync("prlimit", ["--pid", String(pid), `--nofile=${files}:${files}`]);
const burst = await Promise.all(Array.from({ length: 500 }, () => openWire(server.url)));
await new Promise((resolve) => setTimeout(resolve, 500));
const closed = burst.filter((wire) => wire.isOver()).length;
console.log(
  `with ${files} files: of 500 connections ${closed} were closed; still running: ${server.program.isRunning}`,
);
for (const { socket } of burst) socket.destroy();
console.log(`  reads after them: ${await timesOfReads()}`);

async function openMany(request: string): Promise<Wire[]> {
  const wires: Wire[] = [];
  while (wires.length < wanted) {
    const count = Math.min(OPENED_AT_ONCE, wanted - wires.length);
    const opened = await Promise.all(Array.from({ length: count }, () => openWire(server.url)));
    for (const wire of opened) wires.push(idle.use(wire));
    if (request === "") continue;
    for (const wire of opened) wire.send(request);
    for (const wire of opened) await wire.answer();
  }
  return wires;
}

async function timesOfReads(): Promise<string> {
  using connection = openConnection(server.url);
  const tookMs: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const sentMs = performance.now();
    const { status, text } = await connection.readRate("EUR/USD", apiKey);
    if (status !== 200) throw new Error(text);
    tookMs.push(performance.now() - sentMs);
  }
  tookMs.sort((one, other) => one - other);
  const at = (part: number) => tookMs[Math.floor((READS - 1) * part)]?.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`;
}
