import { join } from "node:path";
import { measureCommand } from "../commands.ts";
import { measureInTurn } from "../comparison.ts";
import type { Scenario } from "../scenario.ts";
import { fillStoreOf, MILLION, smallCounts } from "../stores/kurs.ts";

export const doctor: Scenario = {
  name: "doctor",
  summary: "kurs doctor on a small store and on a million accounts",
  async run(bench) {
    const [small, large] = [join(bench.directory, "small"), join(bench.directory, "million")];
    await fillStoreOf(bench, small, smallCounts(bench));
    bench.print("filling a store with a million accounts …");
    await fillStoreOf(bench, large, MILLION);
    const rows = await measureInTurn(bench, {
      "small store": () => measureCommand(bench, ["doctor"], small),
      "a million accounts": () => measureCommand(bench, ["doctor"], large),
    });
    const title = `${bench.options.rounds} examinations: medians`;
    return { tables: [{ title, rows }], failures: [] };
  },
};
