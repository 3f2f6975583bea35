const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** @returns how long ago an RFC 3339 time was, in its largest whole unit: `3 h`, `250 d`. */
export function ageOf(time: string, nowMs: number): string {
  const age = Math.max(nowMs - Date.parse(time), 0);
  if (age >= 2 * DAY_MS) return `${Math.floor(age / DAY_MS)} d`;
  if (age >= 2 * HOUR_MS) return `${Math.floor(age / HOUR_MS)} h`;
  if (age >= 2 * MINUTE_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  return `${Math.floor(age / 1000)} s`;
}
