import { csvLine } from "../../src/platform/cli/csv.ts";
import { DAY_MS } from "../../src/platform/shared/clock.ts";
import type { ApiKey } from "./api/keys.ts";
import type { DailyUsage } from "./api/usage.ts";

/** At most this many series, each with its own colour; the least used keys share the last one. */
const SERIES_MAX = 8;

interface Series {
  readonly name: string;
  /** The number of its colour, from 1. */
  readonly colour: number;
  /** Units per day, for each day of the range. */
  readonly units: readonly number[];
  readonly total: number;
}

/** A key's units; its colour is that of its series. */
export interface KeyUnits extends Series {
  readonly id: string;
  /** Undefined for a key that was created since the keys were listed. */
  readonly prefix: string | undefined;
}

/** The units of a range of days by key, the key with the most units first. */
export interface DailyUnits {
  /** UTC days in order, as `2026-11-21`. */
  readonly days: readonly string[];
  readonly keys: readonly KeyUnits[];
  /** The keys as the chart shows them. */
  readonly series: readonly Series[];
  readonly total: number;
}

/** Fills in the days without reads, names the keys and merges those beyond the colours. */
export function dailyUnits(
  rows: DailyUsage["days"],
  apiKeys: readonly ApiKey[],
  dayCount: number,
): DailyUnits {
  const days = lastDays(dayCount);
  const known = new Map(apiKeys.map((key) => [key.id, key]));
  const byKey = new Map<string, Map<string, number>>();
  for (const { date, api_key_id, units } of rows) {
    const unitsOf = byKey.get(api_key_id) ?? new Map<string, number>();
    byKey.set(api_key_id, unitsOf.set(date, units));
  }
  const ranked = [...byKey]
    .map(([id, unitsOf]) => {
      const units = days.map((day) => unitsOf.get(day) ?? 0);
      const { name = id, key_prefix: prefix } = known.get(id) ?? {};
      return { id, name, prefix, units, total: sum(units) };
    })
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total);
  const keys = ranked.map((key, index) => ({ ...key, colour: Math.min(index + 1, SERIES_MAX) }));
  return { days, keys, series: gathered(keys), total: sum(keys.map(({ total }) => total)) };
}

/** The units of one key alone. */
export function ofKey({ days, keys }: DailyUnits, id: string): DailyUnits {
  const own = keys.filter((key) => key.id === id);
  return { days, keys: own, series: own, total: sum(own.map(({ total }) => total)) };
}

/** The units of each day and key as CSV, without the days on which a key read nothing. */
export function csvOf({ days, keys }: DailyUnits): string {
  const rows = days.flatMap((day, index) =>
    keys
      .map((key) => [day, key.id, key.name, key.units[index] ?? 0] as const)
      .filter(([, , , units]) => units > 0),
  );
  return [["date", "api_key_id", "name", "units"], ...rows].map(csvLine).join("");
}

function gathered(keys: readonly KeyUnits[]): readonly Series[] {
  if (keys.length <= SERIES_MAX) return keys;
  const rest = keys.slice(SERIES_MAX - 1);
  const units = rest[0]?.units.map((_, day) => sum(rest.map((key) => key.units[day] ?? 0))) ?? [];
  const name = `${rest.length} other keys`;
  const other = { name, units, total: sum(units), colour: SERIES_MAX };
  return [...keys.slice(0, SERIES_MAX - 1), other];
}

/** The UTC days that end with today. */
function lastDays(count: number): string[] {
  const today = Math.floor(Date.now() / DAY_MS);
  return Array.from({ length: count }, (_, index) =>
    new Date((today - count + 1 + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
