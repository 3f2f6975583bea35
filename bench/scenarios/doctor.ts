import { join } from "node:path";
import { measureCommand } from "../commands.ts";
import { type Figures, rowOf } from "../figures.ts";
import type { Scenario } from "../scenario.ts";
import { fillStoreOf, MILLION, smallCounts } from "../stores/kurs.ts";

export const doctor: Scenario = {
  name: "doctor",
  summary: "kurs doctor on a small store and on a million accounts",
  async run(bench) {
    const stores = [
      { name: "small store", counts: smallCounts(bench), rounds: [] as Figures[] },
      { name: "a million accounts", counts: MILLION, rounds: [] as Figures[] },
    ].map((store) => ({ ...store, directory: join(bench.directory, store.name) }));
    for (const { name, directory, counts } of stores) {
      bench.print(`filling: ${name} …`);
      await fillStoreOf(bench, directory, counts);
    }
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      for (const { directory, rounds } of stores) {
        rounds.push(await measureCommand(bench, ["doctor"], directory, undefined));
      }
    }
    const rows = stores.map(({ name, rounds }) => rowOf(name, rounds));
    const title = `${bench.options.rounds} examinations: medians`;
    return { tables: [{ title, rows, notes: [] }], failures: [] };
  },
};
