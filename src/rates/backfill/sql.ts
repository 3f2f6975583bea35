import { type Tables, textOf } from "../../platform/storage/columns.ts";
import type { Engine } from "../../platform/storage/engine.ts";
import type { BackfillStore } from "./backfill.ts";

export const backfillTables: Tables = {
  backfilled_ranges: { key: "source, first_date, last_date", others: "completed_at" },
};

const COMPLETED = `
  SELECT first_date, last_date FROM backfilled_ranges WHERE source = $1 ORDER BY first_date`;

const COMPLETE = `
  INSERT INTO backfilled_ranges (source, first_date, last_date, completed_at)
  VALUES ($1, $2, $3, $4) ON CONFLICT (source, first_date, last_date) DO NOTHING`;

const FORGET = `
  DELETE FROM backfilled_ranges WHERE source = $1 AND first_date >= $2 AND last_date <= $3`;

export function backfillStore(engine: Engine): BackfillStore {
  return {
    async completedRanges(source) {
      const rows = await engine.query(COMPLETED, source);
      return rows.map((row) => ({ from: textOf(row, "first_date"), to: textOf(row, "last_date") }));
    },

    async complete(source, { from, to }, now) {
      await engine.query(COMPLETE, source, from, to, now);
    },

    async forget(source, { from, to }) {
      await engine.query(FORGET, source, from, to);
    },
  };
}
