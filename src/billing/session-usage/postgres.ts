import { integerOf, textOf } from "../../storage/columns.ts";
import type { Engine } from "../../storage/engine.ts";
import type { SessionUsage, SessionUsageStore } from "../store.ts";

// One statement, and so one round trip, for all requests that arrive together.
const USAGE_OF_SESSIONS = `
  SELECT r.place, a.id, a.plan, p.units_per_period, coalesce(u.units, 0) AS used_units
  FROM json_array_elements_text($1::json) WITH ORDINALITY AS r (token_hash, place)
  JOIN sessions s ON s.token_hash = r.token_hash AND s.expires_at > $2 AND s.created_at <= $3
  JOIN accounts a ON a.id = s.account_id AND a.suspended_at IS NULL
  LEFT JOIN plans p ON p.name = a.plan
  LEFT JOIN period_usage u ON u.account_id = a.id AND u.period = $4`;

export function createPostgresSessionUsage(engine: Engine): SessionUsageStore {
  return {
    async usageOfSessions({ tokenHashes, now, issuedBy, period }) {
      const hashes = JSON.stringify(tokenHashes);
      const rows = await engine.query(USAGE_OF_SESSIONS, hashes, now, issuedBy, period);
      const found: (SessionUsage | undefined)[] = tokenHashes.map(() => undefined);
      for (const row of rows) {
        const plan = textOf(row, "plan");
        const usage =
          row.units_per_period === null
            ? undefined
            : {
                plan,
                quotaUnits: integerOf(row, "units_per_period"),
                usedUnits: integerOf(row, "used_units"),
              };
        found[integerOf(row, "place") - 1] = { accountId: textOf(row, "id"), usage };
      }
      return found;
    },
  };
}
