import { type Tables, textOf } from "../../platform/storage/columns.ts";
import type { Engine } from "../../platform/storage/engine.ts";
import type { BackfillCommand, BackfillStore } from "./store.ts";

export const backfillTables: Tables = {
  backfilled_ranges: {
    key: "source, asked_from, asked_to, first_date, last_date",
    others: "completed_at",
  },
};

const COMPLETED = `
  SELECT first_date, last_date FROM backfilled_ranges
  WHERE source = $1 AND asked_from = $2 AND asked_to = $3 ORDER BY first_date`;

const COMPLETE = `
  INSERT INTO backfilled_ranges
    (source, asked_from, asked_to, first_date, last_date, completed_at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

const FORGET = `
  DELETE FROM backfilled_ranges WHERE source = $1 AND asked_from = $2 AND asked_to = $3`;

export function backfillStore(engine: Engine): BackfillStore {
  const keyOf = ({ source, asked }: BackfillCommand) => [source, asked.from, asked.to] as const;
  return {
    async completedRanges(command) {
      const rows = await engine.query(COMPLETED, ...keyOf(command));
      return rows.map((row) => ({ from: textOf(row, "first_date"), to: textOf(row, "last_date") }));
    },

    async complete(command, { from, to }, now) {
      await engine.query(COMPLETE, ...keyOf(command), from, to, now);
    },

    async forget(command) {
      await engine.query(FORGET, ...keyOf(command));
    },
  };
}
