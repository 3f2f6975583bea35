import type { ApiKey, DailyUsage } from "./api.ts";

/** At most this many series, each with its own colour; the least used keys share the last one. */
const SERIES_MAX = 8;

const DAY_MS = 86_400_000;

export interface Series {
  readonly name: string;
  /** The number of its colour, from 1. */
  readonly colour: number;
  /** Units per day, for each day of the range. */
  readonly units: readonly number[];
  readonly total: number;
}

/** The units of a range of days by key, the key with the most units first. */
export interface DailyUnits {
  /** UTC days in order, as `2026-11-21`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly total: number;
}

/** Fills in the days without reads, names the keys and merges those beyond the colours. */
export function dailyUnits(
  rows: DailyUsage["days"],
  keys: readonly ApiKey[],
  dayCount: number,
): DailyUnits {
  const days = lastDays(dayCount);
  const nameOf = new Map(keys.map(({ id, name }) => [id, name]));
  const byKey = new Map<string, Map<string, number>>();
  for (const { date, api_key_id, units } of rows) {
    const unitsOf = byKey.get(api_key_id) ?? new Map<string, number>();
    byKey.set(api_key_id, unitsOf.set(date, units));
  }
  const ranked = [...byKey]
    .map(([id, unitsOf]) => ({
      name: nameOf.get(id) ?? id,
      units: days.map((day) => unitsOf.get(day) ?? 0),
    }))
    .map((key) => ({ ...key, total: sum(key.units) }))
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total);
  const series = gathered(ranked).map((key, index) => ({ ...key, colour: index + 1 }));
  return { days, series, total: sum(series.map(({ total }) => total)) };
}

type Ranked = Omit<Series, "colour">;

function gathered(ranked: readonly Ranked[]): readonly Ranked[] {
  if (ranked.length <= SERIES_MAX) return ranked;
  const rest = ranked.slice(SERIES_MAX - 1);
  const units = rest[0]?.units.map((_, day) => sum(rest.map((key) => key.units[day] ?? 0))) ?? [];
  const other = { name: `${rest.length} other keys`, units, total: sum(units) };
  return [...ranked.slice(0, SERIES_MAX - 1), other];
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
