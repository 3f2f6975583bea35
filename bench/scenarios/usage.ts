import { hold } from "../comparison.ts";
import { usageRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { readsOf, startFilledKurs } from "../stores/kurs.ts";
import { bareContestant } from "../yardsticks/targets.ts";

export const usage: Scenario = {
  name: "usage",
  summary: "GET /v1/account/usage beside bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const charges = { unitsCharged: kurs.unitsCharged, unitsAnAnswer: 0 } as const;
    const looks = { ...readsOf("usage", kurs, usageRequest), charges };
    return hold(bench, { connections: [64], contestants: [await bareContestant(bench), looks] });
  },
};
