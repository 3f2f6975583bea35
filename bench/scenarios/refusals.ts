import { API_KEY, type LoadRequest, restRead } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { bareTarget } from "../yardsticks/targets.ts";

const unknownKey: LoadRequest = {
  ...restRead,
  headers: { authorization: `ApiKey ${API_KEY.replace("{account}", "f".repeat(64))}` },
};
const invalidSymbol: LoadRequest = { ...restRead, path: "/v1/rates/X/USD" };
const unsupportedPair: LoadRequest = { ...restRead, path: "/v1/rates/X{pair}/NONE" };

export const refusals: Scenario = {
  name: "refusals",
  summary: "responses of 401, 400, 404 and 429, compared with bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const environment = { PLAN_FREE_UNITS: "0" };
    const exhausted = await startFilledKurs(bench, "exhausted", { environment });
    return bench.compare({
      connections: [64],
      targets: [
        await bareTarget(bench),
        { ...kursTarget("401 unknown key", kurs, unknownKey, 0), status: 401 },
        { ...kursTarget("400 invalid symbol", kurs, invalidSymbol, 0), status: 400 },
        { ...kursTarget("404 unsupported pair", kurs, unsupportedPair), status: 404 },
        { ...kursTarget("429 quota exceeded", exhausted, restRead, 0), status: 429 },
      ],
    });
  },
};
