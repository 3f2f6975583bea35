import { DAY_MS } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { parseInstant, timestamp } from "../../platform/shared/instant.ts";
import { parseWholeNumber } from "../../platform/shared/text/whole-number.ts";

/** What the owner of a key limits it to; null: without this limit. */
export interface OwnLimits {
  /** RFC 3339 in UTC: from then on the key is rejected. */
  readonly expiresAt: string | null;
  /** The end in days from the creation, if it was given so. */
  readonly lifetimeDays: number | null;
  readonly unitsPerPeriod: number | null;
  readonly unitsPerDay: number | null;
}

/** Limits as people state them; one that is missing stays as it is. */
export interface GivenLimits {
  /** RFC 3339, or days from the creation such as `30 days`; null: no end. */
  readonly end?: string | null | undefined;
  readonly unitsPerPeriod?: number | null | undefined;
  readonly unitsPerDay?: number | null | undefined;
}

export const LIFETIME_DAYS_MAX = 3650;

export const CAP_UNITS_MAX = 1_000_000_000_000;

export const OVERLAP_HOURS = { default: 24, max: 720 };

type End = Pick<OwnLimits, "expiresAt" | "lifetimeDays">;

const NO_END: End = { expiresAt: null, lifetimeDays: null };

export const NO_LIMITS: OwnLimits = { ...NO_END, unitsPerPeriod: null, unitsPerDay: null };

const rejected = (rule: string) => new Failure("invalid_request", `expires_at must ${rule}.`);

const forms =
  "a time such as 2027-01-31T00:00:00Z, or days from the key's creation such as 30 days " +
  `(1 to ${LIFETIME_DAYS_MAX})`;

/** The forms of an end, as a sentence. */
export const endForms = `A${forms.slice(1)}`;

export const endInvalid = rejected(`be ${forms}`);

/**
 * The limits that a key gets.
 *
 * @param key its creation, and its limits if it is stored already.
 * @param maxAgeDays a later end is rejected, unless the key has it already.
 * @throws {Failure} `invalid_request`
 */
export function chooseLimits(
  given: GivenLimits,
  { createdAt, limits }: { readonly createdAt: string; readonly limits?: OwnLimits },
  now: string,
  maxAgeDays: number | undefined,
): OwnLimits {
  const { end: text, unitsPerPeriod, unitsPerDay } = given;
  const stored = limits ?? NO_LIMITS;
  const caps = {
    unitsPerPeriod: unitsPerPeriod === undefined ? stored.unitsPerPeriod : unitsPerPeriod,
    unitsPerDay: unitsPerDay === undefined ? stored.unitsPerDay : unitsPerDay,
  };
  const latest = maxAgeDays === undefined ? NO_END : endAfter(maxAgeDays, createdAt);
  if (text === undefined) return { ...latest, ...limits, ...caps };
  const end = text === null ? NO_END : parseEnd(text, createdAt);
  const { expiresAt } = end;
  if (expiresAt === limits?.expiresAt) {
    // Clients send back the time that they were sent: a key keeps its days, for its rotation.
    return { expiresAt, lifetimeDays: end.lifetimeDays ?? limits.lifetimeDays, ...caps };
  }
  if (expiresAt !== null && expiresAt <= now) throw rejected(`be in the future: ${forms}`);
  if (isLater(end, latest)) {
    const why = `this service ends keys after ${maxAgeDays} days`;
    throw rejected(`not be after ${latest.expiresAt}: ${why}`);
  }
  return { ...end, ...caps };
}

/** The limits of the key that replaces one: as many days again, or the same end. */
export function succeedingLimits(
  limits: OwnLimits,
  now: string,
  maxAgeDays: number | undefined,
): OwnLimits {
  const { lifetimeDays } = limits;
  const end = lifetimeDays === null ? limits : endAfter(lifetimeDays, now);
  const latest = maxAgeDays === undefined ? NO_END : endAfter(maxAgeDays, now);
  return { ...limits, ...(isLater(end, latest) ? latest : end) };
}

function parseEnd(text: string, createdAt: string): End {
  const [, digits] = /^([1-9]\d*) days?$/.exec(text) ?? [];
  const days = digits && parseWholeNumber(digits, 1, LIFETIME_DAYS_MAX);
  if (days) return endAfter(days, createdAt);
  const instant = parseInstant(text);
  if (instant === undefined) throw endInvalid;
  return { expiresAt: timestamp(Date.parse(instant)), lifetimeDays: null };
}

function endAfter(days: number, createdAt: string): End {
  return { expiresAt: timestamp(Date.parse(createdAt) + days * DAY_MS), lifetimeDays: days };
}

function isLater({ expiresAt }: End, latest: End): boolean {
  return latest.expiresAt !== null && (expiresAt === null || expiresAt > latest.expiresAt);
}
