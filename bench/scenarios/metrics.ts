import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";

export const metrics: Scenario = {
  name: "metrics",
  summary: "the cost of metrics for a metered read",
  async run(bench) {
    const without = await startFilledKurs(bench, "without");
    const environment = { METRICS_PORT: "0" };
    const counting = await startFilledKurs(bench, "counting", { environment });
    return bench.compare({
      connections: [64, 256],
      targets: [kursTarget("reads", without), kursTarget("with METRICS_PORT", counting)],
    });
  },
};
