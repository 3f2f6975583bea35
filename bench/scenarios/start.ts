import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Figures, rowOf } from "../figures.ts";
import { residentMib } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { type RunningServer, startKurs, startYardstick } from "../servers.ts";
import { fillStoreOf, MILLION, smallCounts } from "../stores/kurs.ts";
import { BARE } from "../yardsticks/targets.ts";

/** A start has finished its background work by then. */
const SETTLE_MS = 1000;

export const start: Scenario = {
  name: "start",
  summary:
    "time until the server listens, and memory while idle: a small store, a million accounts",
  async run(bench) {
    const [small, large] = [join(bench.directory, "small"), join(bench.directory, "million")];
    await fillStoreOf(bench, small, smallCounts(bench));
    bench.print("filling a store with a million accounts …");
    await fillStoreOf(bench, large, MILLION);
    const starts = [
      { name: BARE, run: () => startYardstick("bare", bench.directory), rounds: [] as Figures[] },
      { name: "small store", run: () => startKurs(bench, small), rounds: [] as Figures[] },
      { name: "a million", run: () => startKurs(bench, large), rounds: [] as Figures[] },
    ];
    for (let round = 0; round < bench.options.rounds; round += 1) {
      for (const { run, rounds } of starts) rounds.push(await measureStart(run));
    }
    const rows = starts.map(({ name, rounds }) => rowOf(name, rounds));
    const title = `${bench.options.rounds} starts: medians`;
    return { tables: [{ title, rows, notes: [] }], failures: [] };
  },
};

async function measureStart(run: () => Promise<RunningServer>): Promise<Figures> {
  await using server = await run();
  await sleep(SETTLE_MS);
  return { startMs: server.startMs, rssMib: await residentMib(server.pid) };
}
