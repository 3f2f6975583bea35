import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import {
  bareTarget,
  floorTarget,
  plainTarget,
  staticFastifyTarget,
} from "../yardsticks/targets.ts";

export const spread: Scenario = {
  name: "spread",
  summary:
    "metered reads over 100 accounts, compared with bare node:http, the same system calls, and others",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    return bench.compare({
      connections: [64, 256],
      targets: [
        await bareTarget(bench),
        await staticFastifyTarget(bench),
        await floorTarget(bench),
        kursTarget("metered read", kurs),
        await plainTarget(bench),
      ],
      ratios: [
        ["metered read", "the same system calls"],
        ["metered read", "Fastify + node:sqlite"],
      ],
    });
  },
};
