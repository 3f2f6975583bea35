import type { Static } from "typebox";
import {
  Id,
  nullable,
  nullableInteger,
  Timestamp,
  Type,
  textWithout,
  Units,
} from "../../platform/shared/json-schema.ts";
import type { LimitUsage } from "./api-keys.ts";
import type { BurnReport } from "./burn.ts";
import {
  CAP_UNITS_MAX,
  endForms,
  type GivenLimits,
  OVERLAP_HOURS,
  type OwnLimits,
} from "./limits.ts";
import type { ApiKey, OwnedKey } from "./store.ts";

/** No control characters (ASCII, C1) and no Unicode Bidi_Control, which can disguise a name. */
const NO_CONTROL_CHARACTERS = textWithout(
  "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069",
  "control characters",
);

const END = "From then on the key is rejected; null: it has no end";

const cap = (span: string) =>
  nullableInteger({
    minimum: 1,
    maximum: CAP_UNITS_MAX,
    description: `The most units of a ${span}; null: no cap`,
    examples: [500],
  });

const caps = { units_per_period: cap("billing period"), units_per_day: cap("UTC day") };

const givenLimits = {
  expires_at: nullable({
    maxLength: 40,
    description: `${END}. ${endForms}.`,
    examples: ["30 days"],
  }),
  ...caps,
};

export const LimitsBody = Type.Object(givenLimits);

export const RotationBody = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_HOURS.max,
        default: OVERLAP_HOURS.default,
        description: "How long both keys are valid; 0: the old one is revoked at once",
        examples: [OVERLAP_HOURS.default],
      }),
    ),
  },
  { additionalProperties: false },
);

export const NewApiKeyBody = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: NO_CONTROL_CHARACTERS,
    description: "A label, trimmed; without control characters (C0, DEL, C1, bidirectional)",
    examples: ["billing"],
  }),
  expires_at: Type.Optional(givenLimits.expires_at),
  units_per_period: Type.Optional(caps.units_per_period),
  units_per_day: Type.Optional(caps.units_per_day),
});

const keyFields = {
  id: Id,
  name: Type.String({ examples: ["billing"] }),
  key_prefix: Type.String({
    pattern: "^svc_live_[0-9a-f]{8}$",
    description: "The first 17 characters of the key",
    examples: ["svc_live_3f3f3f3f"],
  }),
  created_at: Timestamp,
};

export const ApiKeySchema = Type.Object(
  {
    ...keyFields,
    revoked_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Only on a revoked key, or one that has ended",
        examples: ["2026-11-21T18:00:00.000Z"],
      }),
    ),
  },
  { $id: "ApiKey" },
);

export const CreatedApiKeySchema = Type.Object(
  {
    ...keyFields,
    api_key: Type.String({
      pattern: "^svc_live_[0-9a-f]{64}$",
      description: "The secret: returned once, it cannot be retrieved later",
      examples: [`svc_live_${"3f".repeat(32)}`],
    }),
  },
  { $id: "CreatedApiKey" },
);

const ApiKeyListSchema = Type.Object(
  { api_keys: Type.Array(Type.Ref("ApiKey#"), { description: "Oldest first" }) },
  { $id: "ApiKeyList" },
);

export const KeyLimitsSchema = Type.Object(
  {
    expires_at: nullable({
      format: "date-time",
      description: END,
      examples: ["2026-12-21T12:00:00.000Z"],
    }),
    ...caps,
  },
  { $id: "ApiKeyLimits" },
);

const LimitUsageSchema = Type.Object(
  {
    api_key_id: Id,
    ...KeyLimitsSchema.properties,
    period_units: { ...Units, description: "Of the billing period: they count against its cap" },
    day_units: { ...Units, description: "Of this UTC day" },
  },
  { $id: "LimitUsage" },
);

const LimitUsageListSchema = Type.Object(
  { api_keys: Type.Array(Type.Ref("LimitUsage#"), { description: "Oldest key first" }) },
  { $id: "LimitUsageList" },
);

/** Every schema here that responses refer to by name. */
export const apiKeySchemas = [
  ...[ApiKeySchema, CreatedApiKeySchema, ApiKeyListSchema, KeyLimitsSchema],
  ...[LimitUsageSchema, LimitUsageListSchema],
];

export function apiKeyJson(key: ApiKey): Static<typeof ApiKeySchema> {
  const { id, name, keyPrefix, createdAt, revokedAt } = key;
  const item = { id, name, key_prefix: keyPrefix, created_at: createdAt };
  return revokedAt === undefined ? item : { ...item, revoked_at: revokedAt };
}

export function createdApiKeyJson(key: ApiKey, secret: string): Static<typeof CreatedApiKeySchema> {
  return { ...apiKeyJson(key), api_key: secret };
}

export function keyLimitsJson(limits: OwnLimits): Static<typeof KeyLimitsSchema> {
  const { expiresAt, unitsPerPeriod, unitsPerDay } = limits;
  return { expires_at: expiresAt, units_per_period: unitsPerPeriod, units_per_day: unitsPerDay };
}

export function limitUsageJson(key: LimitUsage): Static<typeof LimitUsageSchema> {
  const { id, limits, periodUnits, dayUnits } = key;
  const units = { period_units: periodUnits, day_units: dayUnits };
  return { api_key_id: id, ...keyLimitsJson(limits), ...units };
}

/** The limits in a body; a member that is missing stays undefined. */
export function limitsInBody(body: Partial<Static<typeof LimitsBody>>): GivenLimits {
  const { expires_at: end, units_per_period: unitsPerPeriod, units_per_day: unitsPerDay } = body;
  return { end, unitsPerPeriod, unitsPerDay };
}

/** A key as the operator sees it where keys of several accounts are listed. */
export function ownedKeyJson({ id, keyPrefix, accountId, email }: OwnedKey) {
  return { id, key_prefix: keyPrefix, account_id: accountId, email: email ?? null };
}

export function burnReportJson(report: BurnReport, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    keys_found: report.keysFound,
    keys_revoked: report.keysRevoked,
    keys_revoked_before: report.keysRevokedBefore,
    keys_unknown: report.keysUnknown,
    session_tokens_found: report.tokensFound,
    sessions_ended: report.sessionsEnded,
  };
}
