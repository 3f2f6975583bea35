// The metered read beside a bare node:http server, in turns in one run. Prints a table of medians
// and the ratio, and fails when a charge is missing: see docs/performance.md for how to read it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openAccounts } from "./accounts.ts";
import { createLoad, type LoadResult, restRead } from "./load.ts";
import { medianOf, meteredRound, TABLE_HEAD, tableLine, wordsOf } from "./rounds.ts";
import { startBare, startKurs } from "./servers.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
    accounts: { type: "string", default: "100" },
  },
});
const seconds = Number.parseInt(values.seconds, 10);
const rounds = Number.parseInt(values.rounds, 10);
const connections = Number.parseInt(values.connections, 10);

await using cleanup = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
cleanup.defer(() => rm(directory, { recursive: true }));

const bare = cleanup.use(await startBare(directory));
const kurs = cleanup.use(await startKurs(join(directory, "data")));

const accounts = await openAccounts(kurs.url, Number.parseInt(values.accounts, 10));
const load = await createLoad({
  requests: accounts.map(({ apiKey }) => restRead(apiKey)),
  connections,
  directory,
});

// One short round each, that is not counted, lets both compile their hot paths.
await load.run(bare.url, 2);
await load.run(kurs.url, 2);

const bareRounds: LoadResult[] = [];
const kursRounds: LoadResult[] = [];
let missing = 0;
for (let round = 0; round < rounds; round += 1) {
  bareRounds.push(await load.run(bare.url, seconds));
  const metered = await meteredRound(load, kurs.url, { accounts, seconds, connections });
  kursRounds.push(metered.result);
  if (!metered.isExact) missing += 1;
  console.log(`round ${round + 1}: ${wordsOf(metered)}`);
}

const ratio =
  medianOf(kursRounds, (result) => result.requestsPerSecond) /
  medianOf(bareRounds, (result) => result.requestsPerSecond);

console.log(`
${load.name}, ${connections} connections, ${accounts.length} accounts, ${rounds} x ${seconds} s, medians
${TABLE_HEAD}
${tableLine("bare node:http", bareRounds)}
${tableLine("metered read", kursRounds)}
ratio ${ratio.toFixed(3)}; rounds with a missing or surplus charge: ${missing}`);
process.exitCode = missing === 0 ? 0 : 1;
