import type { Static } from "typebox";
import { exportSections } from "../administration/administration.ts";
import { remainingUnits } from "../billing/rules.ts";
import type { IssuedSession } from "../sessions/sessions.ts";
import { Id, Timestamp, Type } from "../shared/json-schema.ts";
import { UNMAILABLE_CHARACTERS } from "../shared/text/email.ts";
import type { Account, AccountSummary } from "./store.ts";

export function accountSummaryJson(account: AccountSummary) {
  const { id, email, plan, createdAt, emailVerifiedAt, suspendedAt, activeKeys, quota } = account;
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
  };
}

export const Email = Type.String({
  format: "email",
  maxLength: 254,
  pattern: `^[^${UNMAILABLE_CHARACTERS}]*$`,
  description: "Trimmed and lower-cased before validation",
  examples: ["ada@example.org"],
});

export const Password = Type.String({
  format: "password",
  description: "8 to 256 characters after NFKC; common passwords are rejected",
  examples: ["correct horse battery staple"],
});

export const MailToken = Type.String({
  description: "The part after `#token=` in the link of a mail",
  examples: ["3f".repeat(32)],
});

export const CredentialsBody = Type.Object({ email: Email, password: Password });

export const RegistrationBody = Type.Object(
  {
    email: Email,
    password: Password,
    invitation: Type.Optional(
      Type.String({
        description:
          "The part after `#invitation=`, up to `&`, in the link of an invitation's mail. The " +
          "account then gets the invitation's plan, and its email is verified.",
      }),
    ),
  },
  // Without an invitation: the API reference sends the example as it is.
  { examples: [{ email: "ada@example.org", password: "correct horse battery staple" }] },
);

export const EmailBody = Type.Object({ email: Email });

export const MailTokenBody = Type.Object({ token: MailToken });

export const NewPasswordBody = Type.Object({ token: MailToken, password: Password });

export const AccountSchema = Type.Object(
  {
    id: Id,
    email: Type.String({ format: "email" }),
    created_at: Timestamp,
    email_verified: Type.Boolean(),
  },
  { $id: "Account" },
);

const AccountDetailsSchema = Type.Object(
  { ...AccountSchema.properties, plan: Type.String({ examples: ["free"] }) },
  { $id: "AccountDetails" },
);

const row = { additionalProperties: true, description: "By the names of the stored columns" };
const StoredRow = row as unknown as ReturnType<typeof Type.Object>;

const rowsOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Array(StoredRow)]));

const AccountExportSchema = Type.Object(
  {
    exported_at: Timestamp,
    account: StoredRow,
    ...rowsOf([...exportSections, "daily_usage", "events"]),
  },
  { $id: "AccountExport" },
);

export const PasswordBody = Type.Object({
  password: Type.String({ format: "password", description: "The account's, as at a log-in" }),
});

export const SessionSchema = Type.Object(
  {
    session_token: Type.String({ pattern: "^svc_sess_[0-9a-f]{64}$" }),
    expires_at: Type.String({ format: "date-time", description: "24 hours after the log-in" }),
  },
  { $id: "Session" },
);

/** Every schema here that responses refer to by name. */
export const accountSchemas = [
  AccountSchema,
  AccountDetailsSchema,
  AccountExportSchema,
  SessionSchema,
];

export function accountJson(account: Account): Static<typeof AccountSchema> {
  const { id, email, createdAt, emailVerifiedAt } = account;
  return { id, email, created_at: createdAt, email_verified: emailVerifiedAt !== undefined };
}

export function accountDetailsJson(account: Account): Static<typeof AccountDetailsSchema> {
  return { ...accountJson(account), plan: account.plan };
}

export function sessionJson({ token, expiresAt }: IssuedSession): Static<typeof SessionSchema> {
  return { session_token: token, expires_at: expiresAt };
}
