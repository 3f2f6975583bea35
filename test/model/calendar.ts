// The contract's calendar: UTC days, and months that end where the next one starts.

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const startOfMonth = (ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO("UTC")
    .with({ day: 1 })
    .startOfDay();

export const rfc3339 = (ms: number) => new Date(ms).toISOString();
export const dayOf = (ms: number) => rfc3339(ms).slice(0, 10);
export const monthStartMs = (ms: number) => startOfMonth(ms).epochMilliseconds;
export const monthEndMs = (ms: number) => startOfMonth(ms).add({ months: 1 }).epochMilliseconds;
export const nextDayMs = (ms: number) => Date.parse(`${dayOf(ms)}T00:00:00.000Z`) + DAY_MS;
export const secondsUntil = (ms: number, nowMs: number) => Math.ceil((ms - nowMs) / SECOND_MS);
