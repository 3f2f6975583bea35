import { join } from "node:path";
import { usageRequest } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Scenario } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { kursTarget, smallCounts, startFilledKurs } from "../stores/kurs.ts";
import { postgresUnits, startFilledPostgres } from "../stores/postgres.ts";
import { bareTarget } from "../yardsticks/targets.ts";

export const usage: Scenario = {
  name: "usage",
  summary: "GET /v1/account/usage on both engines, compared with bare node:http",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const database = await startFilledPostgres(bench);
    const environment = { DATABASE_URL: database.url() };
    const node = bench.cleanup.use(
      await startKurs(bench, join(bench.directory, "node"), environment),
    );
    const onPostgres: Target = {
      name: "usage, PostgreSQL",
      servers: [node],
      request: usageRequest,
      counts: smallCounts(bench),
      charges: { unitsCharged: postgresUnits(database), unitsPerResponse: 0 },
    };
    const targets = [
      await bareTarget(bench),
      kursTarget("usage, SQLite", kurs, usageRequest, 0),
      onPostgres,
    ];
    return bench.compare({ connections: [64], targets });
  },
};
