import { compare } from "../comparison.ts";
import { usageRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { bareTarget } from "../yardsticks/targets.ts";

export const usage: Scenario = {
  name: "usage",
  summary: "GET /v1/account/usage, compared with bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const targets = [await bareTarget(bench), kursTarget("usage", kurs, usageRequest, 0)];
    return compare(bench, { connections: [64], targets });
  },
};
