import { parseArgs } from "node:util";
import { fuzz } from "./run.ts";
import { engines } from "./target.ts";

// Run by hand: npm run fuzz -- --requests 1000000 --seed 7 --engine postgres

const PROGRESS_EVERY = 50_000;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    engine: { type: "string", default: "sqlite" },
    only: { type: "string" },
  },
});
const engine = engines.find((name) => name === values.engine);
if (engine === undefined) throw new Error(`--engine: want ${engines.join(" or ")}`);
const [seed, requests] = [Number(values.seed), Number(values.requests)];

const startMs = performance.now();
const seconds = () => (performance.now() - startMs) / 1000;
console.log(`seed ${seed}, ${requests} requests, ${engine}`);
const { counts, findings, unitsCharged } = await fuzz({
  seed,
  requests,
  engine,
  ...(values.only === undefined ? {} : { only: Number(values.only) }),
  onProgress(sent) {
    if (sent % PROGRESS_EVERY === 0) console.log(`${sent} sent after ${seconds().toFixed(0)} s`);
  },
});

for (const [operation, statuses] of [...counts].sort()) {
  const figures = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  console.log(`${operation.padEnd(42)} ${figures.join("  ")}`);
}
const rate = Math.round(requests / seconds());
console.log(`${seconds().toFixed(1)} s, ${rate} a second; ${unitsCharged} units, all reported`);
for (const { fault, index, operation, mutations, bytes } of findings) {
  console.log(`\nFOUND in ${operation}: ${fault}`);
  console.log(`  changes: ${mutations.join(", ") || "none"}`);
  console.log(`  repeat: npm run fuzz -- --seed ${seed} --engine ${engine} --only ${index}`);
  console.log(`  sent: ${JSON.stringify(bytes.slice(0, 4000))}`);
}
console.log(findings.length === 0 ? "nothing found" : `${findings.length} found`);
process.exitCode = findings.length === 0 ? 0 : 1;
