import type { Static } from "typebox";
import { Id, nullable, Timestamp, Type, Units } from "../../platform/shared/json-schema.ts";
import { remainingUnits, sumOfUnits, utilization } from "./rules.ts";
import type { Statement } from "./statements.ts";
import type { AccountUnits, BilledKeyUnits, DailyUnits, Plan, UnitGrant } from "./store.ts";
import type { KeyUsage, UsageReport } from "./usage.ts";

export function planJson({ name, unitsPerPeriod }: Plan) {
  return { name, units_per_period: unitsPerPeriod };
}

const BillingPeriodSchema = Type.Object({
  start: Type.String({
    format: "date-time",
    description: "Inclusive",
    examples: ["2026-11-01T00:00:00.000Z"],
  }),
  end: Type.String({
    format: "date-time",
    description: "Exclusive: the reset",
    examples: ["2026-12-01T00:00:00.000Z"],
  }),
});

export const UsageSchema = Type.Object(
  {
    plan: Type.String({ examples: ["free"] }),
    billing_period: BillingPeriodSchema,
    usage: Type.Object({
      used_units: Units,
      quota_units: { ...Units, examples: [1000] },
      remaining_units: { ...Units, examples: [999] },
      utilization: Type.Number({
        description: "Used over quota, rounded to 4 places",
        examples: [0.001],
      }),
    }),
  },
  { $id: "Usage" },
);

export const DayOfKey = Type.Object({
  date: Type.String({ format: "date", description: "A day in UTC", examples: ["2026-11-21"] }),
  api_key_id: Id,
  units: Units,
});

export const DailyUsageSchema = Type.Object({ days: Type.Array(DayOfKey) }, { $id: "DailyUsage" });

const KeyUsageSchema = Type.Object(
  {
    api_key_id: Id,
    last_used_on: nullable({
      format: "date",
      description:
        "The last day in UTC on which the key was charged; null for a key that never was",
      examples: ["2026-11-21"],
    }),
    units: { ...Units, description: "In the current billing period" },
  },
  { $id: "KeyUsage" },
);

const KeyUsageListSchema = Type.Object(
  { api_keys: Type.Array(Type.Ref("KeyUsage#"), { description: "Oldest key first" }) },
  { $id: "KeyUsageList" },
);

const StatementSchema = Type.Object(
  {
    account_id: Id,
    period: Type.String({ description: "A month in UTC", examples: ["2026-11"] }),
    billing_period: BillingPeriodSchema,
    is_final: Type.Boolean({
      description:
        "Whether the period ended over an hour ago: then it has the same bytes each time",
      examples: [false],
    }),
    made_at: nullable({
      format: "date-time",
      description: "RFC 3339 in UTC; null in a final statement",
      examples: ["2026-11-21T12:00:00.000Z"],
    }),
    opening_units: { ...Units, description: "Charged to the account before the period" },
    units: { ...Units, description: "Charged in the period: the sum of the days" },
    closing_units: { ...Units, description: "Both together", examples: [2] },
    api_keys: Type.Array(
      Type.Object({
        id: Id,
        key_prefix: Type.String({ examples: ["svc_live_3f3f3f3f"] }),
        units: Units,
        days: Type.Array(Type.Object({ date: DayOfKey.properties.date, units: Units })),
      }),
      { description: "Those with units in the period, revoked ones too, oldest first" },
    ),
  },
  { $id: "UsageStatement" },
);

const timeOfEnd = { format: "date-time", examples: ["2026-12-31T00:00:00.000Z"] };

const GrantSchema = Type.Object(
  {
    id: Id,
    units: { ...Units, examples: [5000] },
    used_units: Units,
    remaining_units: {
      ...Units,
      description: "That can be used now: 0 of a revoked or expired grant",
      examples: [4999],
    },
    reference: Type.String({
      description: "What the operator calls it",
      examples: ["invoice 4711"],
    }),
    granted_at: Timestamp,
    expires_at: nullable({ ...timeOfEnd, description: "From when it is not used; null: never" }),
    revoked_at: nullable({ ...timeOfEnd, description: "Since when it is not used" }),
  },
  { $id: "Grant" },
);

const GrantListSchema = Type.Object(
  { grants: Type.Array(Type.Ref("Grant#"), { description: "Oldest first" }) },
  { $id: "GrantList" },
);

/** Every schema here that responses refer to by name. */
export const usageSchemas = [
  ...[UsageSchema, DailyUsageSchema, KeyUsageSchema, KeyUsageListSchema],
  ...[StatementSchema, GrantSchema, GrantListSchema],
];

export function usageJson(report: UsageReport): Static<typeof UsageSchema> {
  return {
    plan: report.plan,
    billing_period: { start: report.period.start, end: report.period.end },
    usage: {
      used_units: report.usedUnits,
      quota_units: report.quotaUnits,
      remaining_units: remainingUnits(report),
      utilization: utilization(report),
    },
  };
}

/** A line of `kurs usage export`. */
export function accountUnitsJson(account: AccountUnits) {
  const { accountId, email, plan, quotaUnits, usedUnits, grantedUnits, references } = account;
  return {
    ...{ account_id: accountId, email, plan, quota_units: quotaUnits, units: usedUnits },
    plan_units: usedUnits - grantedUnits,
    granted_units: grantedUnits,
    references,
    customer_number: account.customerNumber ?? "",
  };
}

/**
 * A line of `kurs usage export --per-key-and-day`. It identifies the key by its prefix, as the
 * console does, and leaves out its name, which is the customer's free text.
 */
export function keyUnitsJson({ accountId, email, plan, customerNumber, ...day }: BilledKeyUnits) {
  return {
    ...{ account_id: accountId, email, plan, date: day.day },
    api_key_id: day.keyId,
    key_prefix: day.keyPrefix,
    units: day.units,
    customer_number: customerNumber ?? "",
  };
}

/** @param now RFC 3339 in UTC, to the millisecond. */
export function grantJson(grant: UnitGrant, now: string): Static<typeof GrantSchema> {
  const { id, units, usedUnits, reference, grantedAt, expiresAt, revokedAt } = grant;
  const isUsable = revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
  return {
    id,
    units,
    used_units: usedUnits,
    remaining_units: isUsable ? units - usedUnits : 0,
    reference,
    granted_at: grantedAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
  };
}

export function dayOfKeyJson({ day, keyId, units }: DailyUnits): Static<typeof DayOfKey> {
  return { date: day, api_key_id: keyId, units };
}

export function keyUsageJson({ keyId, lastUsedOn: day, units }: KeyUsage) {
  return { api_key_id: keyId, last_used_on: day ?? null, units };
}

export function statementJson(statement: Statement): Static<typeof StatementSchema> {
  const { accountId, period, madeAt, earlierUnits, periodUnits, days } = statement;
  const { name, start, end } = period;
  const byKey = Map.groupBy(days, ({ keyId }) => keyId);
  return {
    account_id: accountId,
    period: name,
    billing_period: { start, end },
    is_final: madeAt === undefined,
    made_at: madeAt ?? null,
    opening_units: earlierUnits,
    units: periodUnits,
    closing_units: earlierUnits + periodUnits,
    api_keys: Array.from(byKey, ([id, own]) => ({
      id,
      key_prefix: own[0]?.keyPrefix ?? "",
      units: sumOfUnits(own),
      days: own.map(({ day, units }) => ({ date: day, units })),
    })),
  };
}
