import type { PlanStore } from "../../application/ports.ts";
import { integerOf, textOf } from "./columns.ts";
import type { Engine } from "./engine.ts";

const LIST_PLANS = "SELECT name, units_per_period FROM plans ORDER BY units_per_period, name";

const SET_PLAN = `
  INSERT INTO plans (name, units_per_period) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET units_per_period = excluded.units_per_period`;

export function planStore(engine: Engine): PlanStore {
  return {
    async listPlans() {
      const rows = await engine.query(LIST_PLANS);
      return rows.map((row) => ({
        name: textOf(row, "name"),
        unitsPerPeriod: integerOf(row, "units_per_period"),
      }));
    },

    async setPlan({ name, unitsPerPeriod }) {
      await engine.query(SET_PLAN, name, unitsPerPeriod);
    },
  };
}
