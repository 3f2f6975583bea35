import type { DatabaseSync, StatementSync } from "node:sqlite";
import { explainRejection } from "../../../customers/api-keys/rules.ts";
import { timestamp } from "../../../platform/shared/instant.ts";
import type { RowCache } from "../../../platform/storage/sqlite/row-cache.ts";
import type { RateRead, RejectedRead } from "../store.ts";
import { type AccountUnits, capsOf, endMs, type KeyCap } from "./take-unit.ts";

// A statement of its own: joined with the plan and the usage, it rejected unknown keys 12 % slower.
const FIND_KEY = `
  SELECT api_key, account, plan, expires_at, units_per_period, units_per_day
  FROM usable_keys WHERE digest = unhex(?1)`;

const FIND_QUOTA = "SELECT units_per_period FROM plans WHERE name = ?1";

const FIND_USED_UNITS = `
  SELECT units FROM charged_units
  WHERE period = ?1 AND account = ?2 AND day = 0 AND api_key = 0`;

const FIND_REJECTED_KEY =
  "SELECT account_id, revoked_at, expires_at FROM api_keys WHERE key_hash = ?1";

const FIND_ACCOUNT = "SELECT id, quota_units, quota_until FROM accounts WHERE number = ?1";

// The grants that count in a period: some of their units are left, or were used in it.
const FIND_GRANTS = `
  SELECT id, expires_at, iif(revoked_at IS NULL, units - used, 0) AS left_units, used_now
  FROM (
    SELECT g.*, coalesce((SELECT sum(units) FROM granted_usage WHERE grant_id = g.id), 0) AS used,
      coalesce((SELECT units FROM granted_usage WHERE grant_id = g.id AND period = ?2), 0)
        AS used_now
    FROM unit_grants g WHERE account_id = ?1
  )
  WHERE left_units > 0 OR used_now > 0
  ORDER BY expires_at IS NULL, expires_at, id`;

const FIND_LINE = "SELECT coalesce(line, id) FROM api_keys WHERE number = ?1";

// A search for each day and key of the line: the account's other keys are not read.
const FIND_UNITS_OF_LINE = `
  WITH RECURSIVE days (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM days WHERE day < 31)
  SELECT coalesce(sum(c.units), 0),
    coalesce(sum(c.units) FILTER (WHERE c.day = CAST(?4 AS INTEGER)), 0)
  FROM api_keys k CROSS JOIN days CROSS JOIN charged_units c
    ON c.period = ?2 AND c.account = ?3 AND c.day = days.day AND c.api_key = k.number
  WHERE k.id = ?1 OR k.line = ?1`;

/** A client with an old key sends it over and over; one that guesses keys uses little memory. */
const OTHER_KEYS_MAX = 1000;

type KeyRow = [
  apiKey: number,
  account: number,
  plan: string,
  expiresAt: string | null,
  unitsPerPeriod: number | null,
  unitsPerDay: number | null,
];
type AccountRow = [id: string, quotaUnits: number | null, quotaUntil: string | null];
type GrantRow = [id: string, expiresAt: string | null, leftUnits: number, usedUnits: number];

/** A cached account. Batches change its usage as they charge it, so its keys share one object. */
interface Account extends AccountUnits {
  readonly id: string;
  readonly number: number;
  readonly isPlanStored: boolean;
  /** Its units are of this period. */
  period: string;
}

export interface Key {
  readonly number: number;
  readonly account: Account;
  readonly expiresAtMs: number;
  readonly line: Line;
}

/** The caps that the keys of a line share. Batches change their usage, as the accounts'. */
interface Line {
  readonly id: string;
  /** Its usage is of this day. */
  day: string;
  readonly caps: readonly KeyCap[];
}

/** That of every key without caps. */
const uncapped: Line = { id: "", day: "", caps: [] };

/** A key that may not read, as it is cached. */
type OtherKey = RejectedRead | "unknown";

export type FindKey = (keyHash: string, read: RateRead) => Key | OtherKey;

/** Prepares the search for a key, with what it and its account have used when a read arrives. */
export function prepareKeys(database: DatabaseSync, cache: RowCache): FindKey {
  const keyRow = rowsAsArrays(database.prepare(FIND_KEY));
  const rejectedRow = rowsAsArrays(database.prepare(FIND_REJECTED_KEY));
  const keys = cache.map<string, Key>();
  const otherKeys = cache.map<string, OtherKey>();
  const accountOf = prepareAccounts(database, cache);
  const lines = prepareLines(database, cache);

  const otherKey = (keyHash: string, { nowMs }: RateRead): OtherKey => {
    const row = rejectedRow.get(keyHash) as unknown as
      | [accountId: string, revokedAt: string | null, expiresAt: string | null]
      | undefined;
    if (row === undefined) return "unknown";
    const [accountId, revokedAt, expiresAt] = row;
    const rejection = explainRejection({ revokedAt, expiresAt }, timestamp(nowMs));
    return { accountId, quota: undefined, found: undefined, rejection };
  };

  const findKey: FindKey = (keyHash, read) => {
    const row = keyRow.get(keyHash) as unknown as KeyRow | undefined;
    if (row === undefined) {
      const other = otherKey(keyHash, read);
      if (otherKeys.size >= OTHER_KEYS_MAX) otherKeys.clear();
      otherKeys.set(keyHash, other);
      return other;
    }
    const [number, account, plan, expiresAt, unitsPerPeriod, unitsPerDay] = row;
    const isCapped = unitsPerPeriod !== null || unitsPerDay !== null;
    const key = {
      number,
      account: accountOf(account, plan, read),
      expiresAtMs: endMs(expiresAt),
      line: isCapped ? lines.of(number, unitsPerPeriod, unitsPerDay) : uncapped,
    };
    keys.set(keyHash, key);
    return key;
  };

  return (keyHash, read) => {
    const key = keys.get(keyHash) ?? otherKeys.get(keyHash) ?? findKey(keyHash, read);
    if (key === "unknown" || "rejection" in key) return key;
    // Within a period and a day, the usage includes what this batch has charged to other keys.
    if (key.account.period !== read.period.name) accountOf.recount(key.account, read);
    if (key.line !== uncapped && key.line.day !== read.day) lines.recount(key, read);
    return key;
  };
}

/** Prepares the search for an account, with its units of a period. */
function prepareAccounts(database: DatabaseSync, cache: RowCache) {
  const accountRow = rowsAsArrays(database.prepare(FIND_ACCOUNT));
  const quotaRow = rowsAsArrays(database.prepare(FIND_QUOTA));
  const unitsRow = rowsAsArrays(database.prepare(FIND_USED_UNITS));
  const grantRows = rowsAsArrays(database.prepare(FIND_GRANTS));
  const accounts = cache.map<number, Account>();
  const quotaUnitsOf = cache.of(
    (plan: string) => plan,
    (plan) => (quotaRow.get(plan) as unknown as [number] | undefined)?.[0],
  );

  const recount = (account: Account, { period: { name } }: RateRead) => {
    const units = unitsRow.get(name, account.number) as unknown as [number] | undefined;
    const rows = grantRows.all(account.id, name) as unknown as GrantRow[];
    account.usedUnits = units?.[0] ?? 0;
    account.grantedUnits = rows.reduce((sum, [, , , used]) => sum + used, 0);
    account.grants = rows.map(([id, expiresAt, leftUnits]) => {
      return { id, expiresAtMs: endMs(expiresAt), leftUnits };
    });
    account.period = name;
  };

  const find = (number: number, plan: string, read: RateRead): Account => {
    const known = accounts.get(number);
    if (known !== undefined) return known;
    const [id, ownUnits, until] = accountRow.get(number) as unknown as AccountRow;
    const planUnits = quotaUnitsOf(plan);
    const own = ownUnits === null ? undefined : { units: ownUnits, untilMs: endMs(until) };
    const account: Account = {
      ...{ id, number, isPlanStored: planUnits !== undefined },
      ...{ plan: { planUnits: planUnits ?? 0, own }, period: "" },
      ...{ usedUnits: 0, grantedUnits: 0, grants: [] },
    };
    recount(account, read);
    accounts.set(number, account);
    return account;
  };
  return Object.assign(find, { recount });
}

/** Prepares the search for a line of keys, and for its units. */
function prepareLines(database: DatabaseSync, cache: RowCache) {
  const lineRow = rowsAsArrays(database.prepare(FIND_LINE));
  const unitsRow = rowsAsArrays(database.prepare(FIND_UNITS_OF_LINE));
  const lines = cache.map<string, Line>();
  return {
    /** The line of a capped key. Its units are not counted yet. */
    of(number: number, unitsPerPeriod: number | null, unitsPerDay: number | null): Line {
      const [id] = lineRow.get(number) as unknown as [string];
      const caps = capsOf(unitsPerPeriod, unitsPerDay);
      return lines.getOrInsertComputed(id, () => ({ id, day: "", caps }));
    },

    recount({ account, line }: Key, { period, day }: RateRead): void {
      const values = [line.id, period.name, account.number, day.slice(-2)];
      const [ofPeriod, ofDay] = unitsRow.get(...values) as unknown as [number, number];
      for (const cap of line.caps) cap.usedUnits = cap.span === "day" ? ofDay : ofPeriod;
      line.day = day;
    },
  };
}

/** Rows as arrays: half as much to make as objects. */
export function rowsAsArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
