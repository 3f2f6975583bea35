import { hold } from "../comparison.ts";
import type { Scenario } from "../scenario.ts";
import { readsOf, smallCounts, startFilledKurs } from "../stores/kurs.ts";

export const metrics: Scenario = {
  name: "metrics",
  summary: "what counting for Prometheus costs a metered read",
  async run(bench) {
    const without = await startFilledKurs(bench, "without");
    const environment = { METRICS_PORT: "0" };
    const counting = await startFilledKurs(bench, "counting", smallCounts(bench), environment);
    return hold(bench, {
      connections: [64, 256],
      contestants: [readsOf("reads", without), readsOf("with METRICS_PORT", counting)],
    });
  },
};
