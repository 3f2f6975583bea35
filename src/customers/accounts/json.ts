import type { Static } from "typebox";
import { Id, Timestamp, Type } from "../../platform/shared/json-schema.ts";
import { MAX_PLAN_UNITS, remainingUnits } from "../billing/rules.ts";
import type { Account, AccountSummary } from "./store.ts";

export function accountSummaryJson(account: AccountSummary) {
  const { id, email, plan, createdAt, emailVerifiedAt, suspendedAt, activeKeys } = account;
  const { quota, ownQuota, customerNumber } = account;
  return {
    id,
    email,
    created_at: createdAt,
    email_verified: emailVerifiedAt !== undefined,
    suspended_at: suspendedAt ?? null,
    plan,
    active_keys: activeKeys,
    used_units: quota.usedUnits,
    quota_units: quota.quotaUnits,
    remaining_units: remainingUnits(quota),
    own_quota_units: ownQuota?.units ?? null,
    own_quota_until: ownQuota?.until ?? null,
    customer_number: customerNumber ?? null,
  };
}

export const AccountSchema = Type.Object(
  {
    id: Id,
    email: Type.String({ format: "email", examples: ["ada@example.org"] }),
    created_at: Timestamp,
    email_verified: Type.Boolean({ examples: [false] }),
  },
  { $id: "Account" },
);

const AccountDetailsSchema = Type.Object(
  { ...AccountSchema.properties, plan: Type.String({ examples: ["free"] }) },
  { $id: "AccountDetails" },
);

const settings = {
  quota_mails: Type.Boolean({
    description: "Whether the account gets mails at the thresholds of its usage",
    examples: [false],
  }),
};

export const SettingsBody = Type.Object(settings);

const SettingsSchema = Type.Object(settings, { $id: "AccountSettings" });

const percent = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: "Of the quota, or of the key's `units_per_period`",
  examples: [80],
});

const units = { description: "In a billing period", examples: [500] };

const thresholds = {
  thresholds: Type.Array(
    Type.Object({
      api_key_id: Type.Optional({ ...Id, description: "Of this key and those it was rotated to" }),
      percent: Type.Optional(percent),
      units: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PLAN_UNITS, ...units })),
    }),
    { maxItems: 10, description: "Each with either `percent` or `units`" },
  ),
};

export const ThresholdsBody = Type.Object(thresholds);

const ThresholdsSchema = Type.Object(thresholds, { $id: "Thresholds" });

/** Every schema here that responses refer to by name. */
export const accountSchemas = [
  ...[AccountSchema, AccountDetailsSchema, SettingsSchema, ThresholdsSchema],
];

export function accountJson(account: Account): Static<typeof AccountSchema> {
  const { id, email, createdAt, emailVerifiedAt } = account;
  return { id, email, created_at: createdAt, email_verified: emailVerifiedAt !== undefined };
}

export function accountDetailsJson(account: Account): Static<typeof AccountDetailsSchema> {
  return { ...accountJson(account), plan: account.plan };
}

export function settingsJson({ quotaMails }: Account): Static<typeof SettingsSchema> {
  return { quota_mails: quotaMails };
}
