import { rowOf } from "../figures.ts";
import { residentMib } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { type FilledKurs, kursTarget, MILLION, startFilledKurs } from "../stores/kurs.ts";
import { bareTarget } from "../yardsticks/targets.ts";

export const million: Scenario = {
  name: "million",
  summary:
    "metered reads over a million accounts and 100,000 pairs, evenly and by Zipf's law, " +
    "compared with the small store",
  async run(bench) {
    bench.print("filling a store with a million accounts …");
    const large = await startFilledKurs(bench, "million", { counts: MILLION });
    const small = await startFilledKurs(bench, "small");
    const atStart = [await startOf("small store", small), await startOf("a million", large)];
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        await bareTarget(bench),
        kursTarget("small store", small),
        kursTarget("a million", large),
        { ...kursTarget("a million, Zipf", large), distribution: "zipf" },
      ],
      ratios: [
        ["a million", "small store"],
        ["a million, Zipf", "small store"],
      ],
    });
    const title = "first start, and memory before the first request";
    return { tables: [{ title, rows: atStart }, ...tables], failures };
  },
};

async function startOf(name: string, { server: { pid, startMs } }: FilledKurs) {
  return rowOf(name, [{ startMs, rssMib: await residentMib(pid) }]);
}
