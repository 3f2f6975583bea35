import { isDeepStrictEqual } from "node:util";
import type { EventDetails } from "../../platform/audit/rules.ts";
import { writeEvent } from "../../platform/audit/sql.ts";
import { optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { activeKey, LOCK_ACCOUNT, NOT_REVOKED, transactionBy } from "../access/sql.ts";
import { reachedNoticeDays } from "../billing/quota-notices.ts";
import type { OwnLimits } from "./limits.ts";
import {
  apiKeyOf,
  findReachedLimit,
  insertKey,
  KEY_COLUMNS,
  LIMIT_COLUMNS,
  limitsOf,
} from "./rows-sql.ts";
import type { ApiKey, ApiKeyStore, KeyRotation } from "./store.ts";

const ACTIVE_KEY = `
  SELECT ${KEY_COLUMNS} FROM api_keys
  WHERE id = $1 AND account_id = $2 AND ${activeKey("$3")}`;

const LIMITED_KEYS = `
  SELECT ${KEY_COLUMNS} FROM api_keys
  WHERE account_id = $1 AND ${activeKey("$2")} AND
    (expires_at IS NOT NULL OR units_per_period IS NOT NULL OR units_per_day IS NOT NULL)
  ORDER BY id`;

const SET_END = `
  UPDATE api_keys SET expires_at = $2, lifetime_days = $3,
    end_notice_days = CASE WHEN expires_at = $2 THEN end_notice_days END
  WHERE id = $1`;

const OF_LINE = "(id = $1 OR line = $1)";

// Also of keys that are revoked or have ended: those of a line have the same caps.
const SET_CAPS = `
  UPDATE api_keys SET units_per_period = $2, units_per_day = $3 WHERE ${OF_LINE}`;

// Not of the key that is replaced: its end may be that of an overlap already.
const NEWEST_LIMITS = `
  SELECT ${LIMIT_COLUMNS} FROM api_keys
  WHERE ${OF_LINE} AND (expires_at IS NULL OR expires_at > $2) ORDER BY id DESC LIMIT 1`;

const REVOKE = `UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND ${NOT_REVOKED}`;

// Without a mail about an end that comes sooner after the rotation than a mail before it would.
const END_EARLIER = `
  UPDATE api_keys SET expires_at = $2, end_notice_days = $3
  WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)`;

export function keyLimitStore(
  engine: Engine,
): Pick<ApiKeyStore, "limits" | "limited" | "setLimits" | "rotate"> {
  return {
    async limits(accountId, keyId, now) {
      const [row] = await engine.query(ACTIVE_KEY, keyId, accountId, now);
      return row && limitsOf(row);
    },

    async limited(accountId, now) {
      return (await engine.query(LIMITED_KEYS, accountId, now)).map((row) => {
        return { id: textOf(row, "id"), line: lineOf(row), limits: limitsOf(row) };
      });
    },

    setLimits: (accountId, keyId, choose, origin) =>
      transactionBy(engine, origin, function* () {
        const key = yield* lockKey(accountId, keyId, origin.at);
        if (key === undefined) return undefined;
        const limits = choose(key);
        if (isDeepStrictEqual(limits, key.limits)) return limits;
        const { expiresAt, lifetimeDays, unitsPerPeriod, unitsPerDay } = limits;
        yield statement(SET_END, keyId, expiresAt, lifetimeDays);
        yield statement(SET_CAPS, key.line, unitsPerPeriod, unitsPerDay);
        const details = { api_key_id: keyId, key_prefix: key.keyPrefix, ...limitDetails(limits) };
        yield writeEvent("api_key.limits_set", origin, { accountId, details });
        return limits;
      }),

    async rotate({ accountId, keyId, endsAt }, successor, succeeding, most, origin) {
      const { at } = origin;
      const isRevoked = endsAt <= at;
      // The old one still counts.
      const limits = { ...most, active: most.active + (isRevoked ? 1 : 0) };
      const reached = await findReachedLimit(engine, { accountId, createdAt: at }, limits);
      if (reached !== undefined) return reached;
      return transactionBy(engine, origin, function* (): Transaction<KeyRotation> {
        const old = yield* lockKey(accountId, keyId, at);
        if (old === undefined) return "not_found";
        const { line, name } = old;
        const [newest = {}] = yield statement(NEWEST_LIMITS, line, at);
        const own = succeeding(limitsOf(newest));
        const key = { ...successor, name, createdAt: at, revokedAt: undefined };
        const creation = yield* insertKey({ ...key, accountId, limits: own }, limits, line);
        if (creation !== "created") return creation;
        const noticed = reachedNoticeDays(endsAt, Date.parse(at)) ?? null;
        if (isRevoked) yield statement(REVOKE, keyId, endsAt);
        else yield statement(END_EARLIER, keyId, endsAt, noticed);
        const details = {
          ...{ api_key_id: keyId, key_prefix: old.keyPrefix, ends_at: endsAt },
          ...{ new_api_key_id: key.id, new_key_prefix: key.keyPrefix, ...limitDetails(own) },
        };
        yield writeEvent("api_key.rotated", origin, { accountId, details });
        return { key };
      });
    },
  };
}

/** Locks an account, and finds an active key of it. */
function* lockKey(
  accountId: string,
  keyId: string,
  now: string,
): Transaction<(ApiKey & { readonly limits: OwnLimits; readonly line: string }) | undefined> {
  if ((yield statement(LOCK_ACCOUNT, accountId)).length === 0) return undefined;
  const [row] = yield statement(ACTIVE_KEY, keyId, accountId, now);
  if (row === undefined) return undefined;
  return { ...apiKeyOf(row, now), limits: limitsOf(row), line: lineOf(row) };
}

const lineOf = (row: Row): string => optionalTextOf(row, "line") ?? textOf(row, "id");

/** The limits that a key has. */
export function limitDetails({ expiresAt, unitsPerPeriod, unitsPerDay }: OwnLimits): EventDetails {
  return {
    ...(expiresAt !== null && { expires_at: expiresAt }),
    ...(unitsPerPeriod !== null && { units_per_period: unitsPerPeriod }),
    ...(unitsPerDay !== null && { units_per_day: unitsPerDay }),
  };
}
