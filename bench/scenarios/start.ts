import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { measureInTurn } from "../comparison.ts";
import type { Figures } from "../figures.ts";
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
    const rows = await measureInTurn(bench, {
      [BARE]: () => measureStart(startYardstick("bare", bench.directory)),
      "small store": () => measureStart(startKurs(bench, small)),
      "a million": () => measureStart(startKurs(bench, large)),
    });
    const title = `${bench.options.rounds} starts: medians`;
    return { tables: [{ title, rows }], failures: [] };
  },
};

async function measureStart(starting: Promise<RunningServer>): Promise<Figures> {
  await using server = await starting;
  await sleep(SETTLE_MS);
  return { startMs: server.startMs, rssMib: await residentMib(server.pid) };
}
