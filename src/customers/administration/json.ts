import { EXAMPLE_ID, Timestamp, Type } from "../../platform/shared/json-schema.ts";
import type { ExportSection } from "./administration.ts";

/** Rows by the names of their columns, with an example for the document. */
function rowLike(example: object) {
  return Type.Object(
    {},
    {
      additionalProperties: true,
      description: "By the names of the stored columns",
      examples: [example],
    },
  );
}

const rowsLike = (example: object) => Type.Array(rowLike(example));

const at = "2026-11-21T12:00:00.000Z";
const tomorrow = "2026-11-22T12:00:00.000Z";
const keyPrefix = "svc_live_3f3f3f3f";

const account = {
  id: EXAMPLE_ID,
  email: "ada@example.org",
  created_at: at,
  email_verified_at: null,
  suspended_at: null,
  plan: "free",
  units_per_period: 1000,
  quota_units: null,
  quota_until: null,
  customer_number: "K-1001",
  quota_mails: true,
  thresholds: null,
  has_password: true,
};

const mail = {
  id: EXAMPLE_ID,
  kind: "verification",
  created_at: at,
  expires_at: tomorrow,
  attempts: 0,
  next_attempt_at: at,
  last_error: null,
  delivered_at: null,
  given_up_at: null,
};

const sections: Readonly<Record<ExportSection | "daily_usage" | "events", object>> = {
  api_keys: {
    id: EXAMPLE_ID,
    name: "billing",
    key_prefix: keyPrefix,
    created_at: at,
    revoked_at: null,
    expires_at: null,
    lifetime_days: null,
    units_per_period: 500,
    units_per_day: null,
    line: null,
    end_notice_days: null,
  },
  sessions: {
    id: EXAMPLE_ID,
    created_at: at,
    expires_at: tomorrow,
    address: "192.0.2.1",
    client: "curl",
  },
  mailed_links: { purpose: "verification", expires_at: tomorrow },
  mails: mail,
  usage: { period: "2026-11", units: 1 },
  terms: { through_period: "2026-10", plan: "free", quota_units: 25000, quota_until: null },
  grants: {
    id: EXAMPLE_ID,
    units: 5000,
    reference: "invoice 4711",
    granted_at: at,
    expires_at: null,
    revoked_at: null,
    used_units: 1,
  },
  quota_notices: { period: "2026-11", threshold: "80%", written_at: at },
  daily_usage: { date: "2026-11-21", api_key_id: EXAMPLE_ID, units: 1 },
  events: {
    id: EXAMPLE_ID,
    at,
    actor: "account",
    action: "api_key.created",
    address: "192.0.2.1",
    details: { api_key_id: EXAMPLE_ID, key_prefix: keyPrefix },
  },
};

const rowsOfSections = Object.entries(sections).map(([name, row]) => [name, rowsLike(row)]);

const AccountExportSchema = Type.Object(
  { exported_at: Timestamp, account: rowLike(account), ...Object.fromEntries(rowsOfSections) },
  { $id: "AccountExport" },
);

export const PasswordBody = Type.Object({
  password: Type.String({
    format: "password",
    description: "The account's, as at a log-in",
    examples: ["correct horse battery staple"],
  }),
});

/** Every schema here that responses refer to by name. */
export const administrationSchemas = [AccountExportSchema];
