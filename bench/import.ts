// A million lines through `kurs rates import`: alone, then beside a live server under load. Prints
// lines a second, the import's peak memory, and the reads' p99 with and without it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAccounts, sumOfUnits } from "./accounts.ts";
import { createLoad, restRead } from "./load.ts";
import { startKurs } from "./servers.ts";

const LINES = 1_000_000;
const CONNECTIONS = 64;

await using cleanup = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
cleanup.defer(() => rm(directory, { recursive: true }));

const file = join(directory, "rates.csv");
await writeLines(file);
const alone = await runImport(join(directory, "alone"));
console.log(`alone    ${describe(alone)}`);

const dataDirectory = join(directory, "data");
const kurs = cleanup.use(await startKurs(dataDirectory));
const accounts = await openAccounts(kurs.url, 100);
const load = await createLoad({
  requests: accounts.map(({ apiKey }) => restRead(apiKey)),
  connections: CONNECTIONS,
  directory,
});
await load.run(kurs.url, 2);
const before = await sumOfUnits(kurs.url, accounts);
const without = await load.run(kurs.url, 8);
let importing = true;
const beside = runImport(dataDirectory).finally(() => {
  importing = false;
});
const during = await load.run(kurs.url, 8);
const overlapped = importing;
const charged = (await sumOfUnits(kurs.url, accounts)) - before;
console.log(
  `beside   ${describe(await beside)}${overlapped ? "" : " (ended before the load did)"}`,
);
console.log(`reads without it: ${without.requestsPerSecond} a second, p99 ${without.p99Ms} ms`);
console.log(`reads beside it:  ${during.requestsPerSecond} a second, p99 ${during.p99Ms} ms`);
console.log(`p99 ${(during.p99Ms / without.p99Ms).toFixed(2)} times that without`);
const surplus = charged - without.answers - during.answers;
const exact = surplus >= 0 && surplus <= 2 * CONNECTIONS && during.refused === 0;
console.log(`charges ${exact ? "exact" : "WRONG"}, refused ${during.refused}`);
process.exitCode = exact ? 0 : 1;

/** 10,000 pairs over and over, each time a second newer. */
async function writeLines(path: string): Promise<void> {
  const out = createWriteStream(path);
  out.write("base,quote,rate,as_of\n");
  const start = Date.parse("2026-03-14T00:00:00Z");
  for (let line = 0; line < LINES; line += 1) {
    const pair = line % 10_000;
    const asOf = new Date(start + Math.floor(line / 10_000) * 1000).toISOString();
    const text = `X${String(pair).padStart(4, "0")},USD,1.${String(line).padStart(6, "0")},${asOf}\n`;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

async function runImport(data: string) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ["src/main.ts", "rates", "import", file, "--json"], {
    cwd: join(import.meta.dirname, ".."),
    env: { DATA_DIR: data, RATE_SOURCES: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let peakKib = 0;
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peakKib = Math.max(peakKib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 200);
  let output = "";
  child.stdout.on("data", (text) => {
    output += String(text);
  });
  await once(child, "close");
  clearInterval(watch);
  const seconds = (performance.now() - startedMs) / 1000;
  return { seconds, peakMib: peakKib / 1024, output: output.trim() };
}

function describe({ seconds, peakMib, output }: Awaited<ReturnType<typeof runImport>>): string {
  const speed = Math.round(LINES / seconds).toLocaleString("en");
  return `${speed} lines a second, peak ${Math.round(peakMib)} MiB, ${output}`;
}
