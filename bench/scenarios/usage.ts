import { usageRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { startPostgresKurs } from "../stores/postgres.ts";
import { bareTarget } from "../yardsticks/targets.ts";

export const usage: Scenario = {
  name: "usage",
  summary: "GET /v1/account/usage on both engines, compared with bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const onPostgres = await startPostgresKurs(bench, "postgres");
    const targets = [
      await bareTarget(bench),
      kursTarget("usage, SQLite", kurs, usageRequest, 0),
      kursTarget("usage, PostgreSQL", onPostgres, usageRequest, 0),
    ];
    return bench.compare({ connections: [64], targets });
  },
};
