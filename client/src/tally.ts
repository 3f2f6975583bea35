import type { components } from "./openapi.ts";
import type { RateResult } from "./operations.ts";

/** What reads have cost on one UTC day, by this program's own count. */
export interface TallyDay {
  readonly date: string;
  readonly units: number;
  /** Reads that may have cost a unit on this day: nobody said whether, or it was midnight. */
  readonly inDoubt: number;
}

/** Counts what the reads of one key cost. */
export interface Tally {
  /** The last 400 days with reads, oldest first: JSON for `createTally`. */
  days(): readonly TallyDay[];
  /** Adds a read that took this long; a client calls it. */
  count(result: Pick<RateResult, "unitsCharged" | "response">, tookMs: number): void;
}

/** `Date` has whole seconds, and a busy server may be late with the next one. */
const DATE_PRECISION_MS = 1000;

const utcDay = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 10);

/**
 * @param earlier the days of a tally of the same key, when the program ended.
 * @param nowMs the time where no response has it, as from `Date.now`.
 */
export function createTally(earlier: readonly TallyDay[] = [], nowMs = Date.now): Tally {
  const all = new Map(earlier.map((day) => [day.date, day]));
  const days = () => [...all.values()].sort((left, right) => (left.date < right.date ? -1 : 1));
  return {
    days,
    count({ unitsCharged, response }, tookMs) {
      if (unitsCharged === 0) return;
      const endMs = Date.parse(response?.headers.get("date") ?? "") || nowMs();
      const first = utcDay(endMs - tookMs - DATE_PRECISION_MS);
      const dates = new Set([first, utcDay(endMs + DATE_PRECISION_MS)]);
      const isCertain = unitsCharged === 1 && dates.size === 1;
      for (const date of dates) {
        const { units, inDoubt } = all.get(date) ?? { units: 0, inDoubt: 0 };
        const [certain, doubtful] = isCertain ? [1, 0] : [0, 1];
        all.set(date, { date, units: units + certain, inDoubt: inDoubt + doubtful });
      }
      for (const { date } of days().slice(0, -400)) all.delete(date);
    },
  };
}

/** @returns the days of a statement's period on which it is not what the key's tally allows. */
export function compareStatement(
  { period, api_keys: keys }: components["schemas"]["UsageStatement"],
  apiKeyId: string,
  days: readonly TallyDay[],
): readonly (TallyDay & { readonly charged: number })[] {
  const stated = keys.find(({ id }) => id === apiKeyId)?.days ?? [];
  const dates = new Set([...stated, ...days].map(({ date }) => date));
  const inPeriod = [...dates].filter((date) => date.startsWith(`${period}-`));
  return inPeriod.sort().flatMap((date) => {
    const charged = stated.find((day) => day.date === date)?.units ?? 0;
    const { units, inDoubt } = days.find((day) => day.date === date) ?? { units: 0, inDoubt: 0 };
    const agrees = charged >= units && charged <= units + inDoubt;
    return agrees ? [] : [{ date, charged, units, inDoubt }];
  });
}
