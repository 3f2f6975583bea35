/** A table, described as far as a copy of the whole store needs it. */
export interface Table {
  readonly name: string;
  /** The columns of its primary key, and then the others. */
  readonly key: readonly string[];
  readonly others: readonly string[];
  /** A column of units, whose sum is compared after a copy. */
  readonly summed?: string;
}

/** All tables, each after those that it references. A test compares this list with the schema. */
export const tables: readonly Table[] = [
  { name: "plans", key: ["name"], others: ["units_per_period"], summed: "units_per_period" },
  {
    name: "accounts",
    key: ["id"],
    others: ["email", "password_hash", "plan", "created_at", "email_verified_at"],
  },
  { name: "sessions", key: ["token_hash"], others: ["account_id", "created_at", "expires_at"] },
  {
    name: "api_keys",
    key: ["key_hash"],
    others: ["id", "account_id", "name", "key_prefix", "created_at", "revoked_at"],
  },
  { name: "period_usage", key: ["account_id", "period"], others: ["units"], summed: "units" },
  {
    name: "daily_usage",
    key: ["account_id", "day", "api_key_id"],
    others: ["units"],
    summed: "units",
  },
  { name: "rates", key: ["base", "quote"], others: ["rate", "as_of", "source", "suspended_at"] },
  { name: "held_rates", key: ["base", "quote"], others: ["rate", "as_of", "source", "held_at"] },
  {
    name: "sources",
    key: ["source"],
    others: [
      "last_success_at",
      "last_error_at",
      "last_error",
      "failures",
      "newest_as_of",
      "next_attempt_at",
      "leased_until",
      "validators",
    ],
  },
  { name: "auth_windows", key: ["scope"], others: ["calls", "ends_at"], summed: "calls" },
  { name: "mail_tokens", key: ["token_hash"], others: ["account_id", "purpose", "expires_at"] },
  {
    name: "mails",
    key: ["id"],
    others: [
      "account_id",
      "kind",
      "token",
      "expires_at",
      "created_at",
      "attempts",
      "next_attempt_at",
      "last_error",
      "delivered_at",
      "given_up_at",
    ],
    summed: "attempts",
  },
  { name: "duties", key: ["name"], others: ["next_at"] },
];

export function columnsOf({ key, others }: Table): readonly string[] {
  return [...key, ...others];
}

/** A table's number of rows and sum of units: the same in a copy. */
export interface TableTotals {
  readonly rows: number;
  readonly units: number;
}

/** The statement that reads a table's totals. */
export function totalsQuery({ name, summed }: Table): string {
  const units = summed === undefined ? "0" : `coalesce(sum(${summed}), 0)`;
  return `SELECT count(*) AS "rows", ${units} AS units FROM ${name}`;
}
