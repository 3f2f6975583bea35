import type { Static } from "typebox";
import type { ApiKey } from "../api-keys/store.ts";
import type { Account, DailyUnits } from "../accounts/store.ts";
import type { IssuedSession } from "../accounts/sessions.ts";
import type { UsageReport } from "../billing/usage.ts";
import { remainingUnits, utilization } from "../billing/rules.ts";
import { UNMAILABLE_CHARACTERS } from "./email.ts";
import { type Failure, failureCodes } from "./failure.ts";
import type { Rate } from "../rates/rules/rate.ts";
import { Type } from "./json-schema.ts";

// The JSON shapes of the API: one schema each validates and documents, and the functions below
// write their fields in the schema's order.

const Timestamp = Type.String({ format: "date-time", description: "RFC 3339 in UTC" });

const Id = Type.String({ format: "uuid" });

const Units = Type.Integer({ minimum: 0 });

/** Neither those of ASCII and C1 nor Unicode's Bidi_Control, which make a name show as another. */
const NO_CONTROL_CHARACTERS =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$";

const Email = Type.String({
  format: "email",
  maxLength: 254,
  pattern: `^[^${UNMAILABLE_CHARACTERS}]*$`,
  description: "Trimmed and lower-cased before it is looked at",
  examples: ["ada@example.org"],
});

const Password = Type.String({
  format: "password",
  description: "8 to 256 characters after NFKC; common passwords are refused",
  examples: ["correct horse battery staple"],
});

const MailToken = Type.String({
  description: "From the link of a mail: what follows `#token=`",
  examples: ["3f".repeat(32)],
});

export const CredentialsBody = Type.Object({ email: Email, password: Password });

export const EmailBody = Type.Object({ email: Email });

export const MailTokenBody = Type.Object({ token: MailToken });

export const NewPasswordBody = Type.Object({ token: MailToken, password: Password });

export const NewApiKeyBody = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: NO_CONTROL_CHARACTERS,
    description: "A label, trimmed; without control characters (C0, DEL, C1, bidirectional)",
    examples: ["billing"],
  }),
});

export const AccountShape = Type.Object(
  {
    id: Id,
    email: Type.String({ format: "email" }),
    created_at: Timestamp,
    email_verified: Type.Boolean(),
  },
  { $id: "Account" },
);

export const SessionShape = Type.Object(
  {
    session_token: Type.String({ pattern: "^svc_sess_[0-9a-f]{64}$" }),
    expires_at: Type.String({ format: "date-time", description: "24 hours after the log-in" }),
  },
  { $id: "Session" },
);

const keyFields = {
  id: Id,
  name: Type.String(),
  key_prefix: Type.String({
    pattern: "^svc_live_[0-9a-f]{8}$",
    description: "The first 17 characters of the key",
  }),
  created_at: Timestamp,
};

export const ApiKeyShape = Type.Object(
  {
    ...keyFields,
    revoked_at: Type.Optional(
      Type.String({ format: "date-time", description: "Only on a revoked key" }),
    ),
  },
  { $id: "ApiKey" },
);

export const CreatedApiKeyShape = Type.Object(
  {
    ...keyFields,
    api_key: Type.String({
      pattern: "^svc_live_[0-9a-f]{64}$",
      description: "The secret: told this once, it cannot be had again",
    }),
  },
  { $id: "CreatedApiKey" },
);

export const ApiKeyListShape = Type.Object(
  { api_keys: Type.Array(Type.Ref("ApiKey#"), { description: "Oldest first" }) },
  { $id: "ApiKeyList" },
);

export const RateShape = Type.Object(
  {
    base: Type.String({ pattern: "^[A-Z0-9]{2,10}$", examples: ["EUR"] }),
    quote: Type.String({ pattern: "^[A-Z0-9]{2,10}$", examples: ["USD"] }),
    rate: Type.String({
      pattern: "^(0|[1-9][0-9]*)(\\.[0-9]+)?$",
      description: "Exact decimal, digit by digit as its publisher wrote it",
      examples: ["1.1476"],
    }),
    as_of: Type.String({
      format: "date-time",
      description: "The publisher's time in UTC, to the nanosecond",
      examples: ["2026-03-13T15:00:00.000000000Z"],
    }),
    type: Type.Literal("direct"),
  },
  { $id: "Rate" },
);

export const UsageShape = Type.Object(
  {
    plan: Type.String({ examples: ["free"] }),
    billing_period: Type.Object({
      start: Type.String({ format: "date-time", description: "Inclusive" }),
      end: Type.String({ format: "date-time", description: "Exclusive: the reset" }),
    }),
    usage: Type.Object({
      used_units: Units,
      quota_units: Units,
      remaining_units: Units,
      utilization: Type.Number({ description: "Used over quota, rounded to 4 places" }),
    }),
  },
  { $id: "Usage" },
);

const DayOfKey = Type.Object({
  date: Type.String({ format: "date", description: "A day in UTC" }),
  api_key_id: Id,
  units: Units,
});

export const DailyUsageShape = Type.Object({ days: Type.Array(DayOfKey) }, { $id: "DailyUsage" });

const envelopeFields = {
  code: Type.Enum([...failureCodes], { description: "Stable; tell causes apart by it" }),
  message: Type.String({ description: "For people; may change" }),
  request_id: Type.String({ format: "uuid", description: "The same as in X-Request-Id" }),
};

export const ErrorShape = Type.Object(envelopeFields, { $id: "Error" });

export const QuotaErrorShape = Type.Object(
  { ...envelopeFields, limit: Units, remaining: Units, reset_at: Timestamp },
  {
    $id: "QuotaError",
    examples: [
      {
        code: "quota_exceeded",
        message: "Request-unit quota exceeded for the current billing period.",
        request_id: "01a1fc78-6d10-7638-b14c-f8c565c0a0c9",
        limit: 1000,
        remaining: 0,
        reset_at: "2026-12-01T00:00:00.000Z",
      },
    ],
  },
);

/** Every shape that answers refer to by its name. */
export const namedShapes = [
  AccountShape,
  SessionShape,
  ApiKeyShape,
  CreatedApiKeyShape,
  ApiKeyListShape,
  RateShape,
  UsageShape,
  DailyUsageShape,
  ErrorShape,
  QuotaErrorShape,
] as const;

export function wireAccount(account: Account): Static<typeof AccountShape> {
  const { id, email, createdAt, emailVerifiedAt } = account;
  return { id, email, created_at: createdAt, email_verified: emailVerifiedAt !== undefined };
}

export function wireSession({ token, expiresAt }: IssuedSession): Static<typeof SessionShape> {
  return { session_token: token, expires_at: expiresAt };
}

export function wireApiKey(key: ApiKey): Static<typeof ApiKeyShape> {
  const { id, name, keyPrefix, createdAt, revokedAt } = key;
  const item = { id, name, key_prefix: keyPrefix, created_at: createdAt };
  return revokedAt === undefined ? item : { ...item, revoked_at: revokedAt };
}

export function wireCreatedApiKey(key: ApiKey, secret: string): Static<typeof CreatedApiKeyShape> {
  return { ...wireApiKey(key), api_key: secret };
}

export function wireRate({ base, quote, rate, asOf }: Rate): Static<typeof RateShape> {
  return { base, quote, rate, as_of: asOf, type: "direct" };
}

export function wireUsage(report: UsageReport): Static<typeof UsageShape> {
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

export function wireDayOfKey({ day, keyId, units }: DailyUnits): Static<typeof DayOfKey> {
  return { date: day, api_key_id: keyId, units };
}

/** The error envelope (specification, section 2), with the quota's fields where it has them. */
export function wireFailure({ code, message, quota }: Failure, requestId: string) {
  return { code, message, request_id: requestId, ...quota };
}
