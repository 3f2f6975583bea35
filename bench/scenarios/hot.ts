import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { bareTarget } from "../yardsticks/targets.ts";

export const hot: Scenario = {
  name: "hot",
  summary: "metered reads on one account, compared with bare node:http and reads over all accounts",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const one = { ...kurs, counts: { ...kurs.counts, accounts: 1 } };
    return bench.compare({
      connections: [64, 256],
      targets: [
        await bareTarget(bench),
        kursTarget("spread", kurs),
        kursTarget("one hot account", one),
      ],
      ratios: [["one hot account", "spread"]],
    });
  },
};
