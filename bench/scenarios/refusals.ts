import { hold } from "../comparison.ts";
import { API_KEY, type LoadRequest, restRead } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { readsOf, startFilledKurs } from "../stores/kurs.ts";
import { bareContestant } from "../yardsticks/targets.ts";

const unknownKey: LoadRequest = {
  ...restRead,
  headers: { authorization: `ApiKey ${API_KEY.replace("{account}", "f".repeat(64))}` },
};
const badSymbol: LoadRequest = { ...restRead, path: "/v1/rates/X/USD" };
const unsupportedPair: LoadRequest = { ...restRead, path: "/v1/rates/X{pair}/NONE" };

export const refusals: Scenario = {
  name: "refusals",
  summary: "answers of 401, 400, 404 and 429, each beside bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const spent = await startFilledKurs(bench, "spent", kurs.counts, { PLAN_FREE_UNITS: "0" });
    const free = { unitsCharged: kurs.unitsCharged, unitsAnAnswer: 0 } as const;
    return hold(bench, {
      connections: [64],
      contestants: [
        await bareContestant(bench),
        { ...readsOf("401 unknown key", kurs, unknownKey), status: 401, charges: free },
        { ...readsOf("400 bad symbol", kurs, badSymbol), status: 400, charges: free },
        { ...readsOf("404 unsupported pair", kurs, unsupportedPair), status: 404 },
        {
          ...readsOf("429 quota exceeded", spent),
          status: 429,
          charges: { ...free, unitsCharged: spent.unitsCharged },
        },
      ],
    });
  },
};
