import {
  integerOf,
  optionalIntegerOf,
  optionalTextOf,
  textOf,
} from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { activeKey } from "../access/sql.ts";
import type { OwnLimits } from "./limits.ts";
import type { ApiKey, KeyLimits, NewApiKey } from "./store.ts";

// The columns of a key, what is read from them, and its creation.

/** What limits a key, its line, and what of its end was mailed. */
export const LIMIT_COLUMNS =
  "expires_at, lifetime_days, units_per_period, units_per_day, line, end_notice_days";

/** What the owner of a key may see of it. */
export const KEY_COLUMNS = `id, name, key_prefix, created_at, revoked_at, ${LIMIT_COLUMNS}`;

// Each count reads no more rows than its limit: of all keys, only whether there is one behind the
// first $2. The keys of a day are among the newest in id order.
const COUNT_KEYS = `
  SELECT
    (SELECT count(*) FROM (
      SELECT 1 FROM api_keys WHERE account_id = $1 ORDER BY id LIMIT 1 OFFSET $2) AS beyond)
      AS beyond,
    (SELECT count(*) FROM (
      SELECT 1 FROM api_keys WHERE account_id = $1 AND ${activeKey("$6")} LIMIT $3) AS working)
      AS active,
    (SELECT count(*) FROM (
      SELECT created_at FROM api_keys WHERE account_id = $1 ORDER BY id DESC LIMIT $4) AS newest
      WHERE created_at >= $5) AS today`;

// Counts and stores in one statement, under the account's lock: each of several simultaneous
// creations counts the others' keys.
const CREATE_KEY = `
  INSERT INTO api_keys (key_hash, id, account_id, name, key_prefix, created_at, expires_at,
    lifetime_days, units_per_period, units_per_day, line)
  SELECT $7, $8, $1, $9, $10, $6, $11, CAST($12 AS bigint), CAST($13 AS bigint),
    CAST($14 AS bigint), $15 FROM (${COUNT_KEYS}) AS counted
  WHERE beyond = 0 AND active < $3 AND today < $4 RETURNING id`;

/** Writes a key, or finds the limit that was reached. The account is locked. */
export function* insertKey(
  key: NewApiKey,
  limits: KeyLimits,
  line: string | null,
): Transaction<"created" | keyof KeyLimits> {
  const { keyHash, id, name, keyPrefix } = key;
  const { expiresAt, lifetimeDays, unitsPerPeriod, unitsPerDay } = key.limits;
  const counted = countedFor(key, limits);
  const own = [expiresAt, lifetimeDays, unitsPerPeriod, unitsPerDay, line] as const;
  const values = [...counted, keyHash, id, name, keyPrefix, ...own] as const;
  if ((yield statement(CREATE_KEY, ...values)).length === 1) return "created";
  // Keys were created since the first count.
  const [counts = {}] = yield statement(COUNT_KEYS, ...counted);
  return reachedLimit(counts, limits) ?? "active";
}

/** Finds the limit that a creation reaches, without a lock and a commit: clients try again. */
export async function findReachedLimit(
  engine: Engine,
  key: Pick<NewApiKey, "accountId" | "createdAt">,
  limits: KeyLimits,
): Promise<keyof KeyLimits | undefined> {
  const [counts = {}] = await engine.query(COUNT_KEYS, ...countedFor(key, limits));
  return reachedLimit(counts, limits);
}

/** The parameters of `COUNT_KEYS`. */
function countedFor(
  { accountId, createdAt }: Pick<NewApiKey, "accountId" | "createdAt">,
  { active, perDay, total }: KeyLimits,
) {
  return [accountId, total - 1, active, perDay, createdAt.slice(0, 10), createdAt] as const;
}

/** Checks the active keys last: revoking one does not help against the other limits. */
function reachedLimit(counts: Row, limits: KeyLimits): keyof KeyLimits | undefined {
  if (integerOf(counts, "beyond") > 0) return "total";
  if (integerOf(counts, "today") >= limits.perDay) return "perDay";
  return integerOf(counts, "active") >= limits.active ? "active" : undefined;
}

export function limitsOf(row: Row): OwnLimits {
  return {
    expiresAt: optionalTextOf(row, "expires_at") ?? null,
    lifetimeDays: optionalIntegerOf(row, "lifetime_days") ?? null,
    unitsPerPeriod: optionalIntegerOf(row, "units_per_period") ?? null,
    unitsPerDay: optionalIntegerOf(row, "units_per_day") ?? null,
  };
}

export function apiKeyOf(row: Row, now: string): ApiKey {
  const end = optionalTextOf(row, "expires_at");
  const ended = end !== undefined && end <= now ? end : undefined;
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    keyPrefix: textOf(row, "key_prefix"),
    createdAt: textOf(row, "created_at"),
    revokedAt: optionalTextOf(row, "revoked_at") ?? ended,
  };
}
