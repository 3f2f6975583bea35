import type { Static } from "typebox";
import { Id, Timestamp, Type } from "../../platform/shared/json-schema.ts";
import { remainingUnits } from "../billing/rules.ts";
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
    description: "Whether the account gets a mail at 80 % and at 100 % of its quota",
    examples: [false],
  }),
};

export const SettingsBody = Type.Object(settings);

const SettingsSchema = Type.Object(settings, { $id: "AccountSettings" });

/** Every schema here that responses refer to by name. */
export const accountSchemas = [AccountSchema, AccountDetailsSchema, SettingsSchema];

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
