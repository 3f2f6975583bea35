import { hold } from "../comparison.ts";
import type { Scenario } from "../scenario.ts";
import { readsOf, startFilledKurs } from "../stores/kurs.ts";
import { bareContestant } from "../yardsticks/targets.ts";

export const hot: Scenario = {
  name: "hot",
  summary: "all metered reads on one account, beside bare node:http and reads over all accounts",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const one = { ...kurs, counts: { ...kurs.counts, accounts: 1 } };
    return hold(bench, {
      connections: [64, 256],
      contestants: [
        await bareContestant(bench),
        readsOf("spread", kurs),
        readsOf("one hot account", one),
      ],
      compared: [["one hot account", "spread"]],
    });
  },
};
