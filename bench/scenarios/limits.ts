import type { Target } from "../round.ts";
import type { Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { startPostgresKurs } from "../stores/postgres.ts";

/** What limits the reads of every account of a store. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  "no limits": [],
  caps: ["UPDATE api_keys SET units_per_period = 1000000000, units_per_day = 1000000000"],
  grants: [
    "UPDATE plans SET units_per_period = 0",
    `INSERT INTO unit_grants (id, account_id, units, reference, granted_at)
    SELECT id, id, 1000000000, 'bench', created_at FROM accounts`,
  ],
};

export const limits: Scenario = {
  name: "limits",
  summary: "reads of keys with caps and of accounts on granted units, compared with those without",
  async run(bench) {
    const targets: Target[] = [];
    for (const [name, statements] of Object.entries(LIMITS)) {
      targets.push(kursTarget(name, await startFilledKurs(bench, name, { statements })));
    }
    for (const [limit, statements] of Object.entries(LIMITS)) {
      const name = `PostgreSQL: ${limit}`;
      targets.push(kursTarget(name, await startPostgresKurs(bench, name, { statements })));
    }
    return bench.compare({
      connections: [64],
      targets,
      ratios: [
        ["caps", "no limits"],
        ["grants", "no limits"],
        ["PostgreSQL: caps", "PostgreSQL: no limits"],
        ["PostgreSQL: grants", "PostgreSQL: no limits"],
      ],
    });
  },
};
