import { writeEvent } from "../../platform/audit/sql.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { optionalIntegerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { transactionBy } from "../access/sql.ts";
import { DEFAULT_THRESHOLDS, type Threshold, type ThresholdStore, thresholdName } from "./rules.ts";

export const THRESHOLDS = "SELECT thresholds FROM accounts WHERE id = $1";

const SET_THRESHOLDS = `
  UPDATE accounts SET thresholds = $2
  WHERE id = $1 AND thresholds IS DISTINCT FROM $2 AND deleted_at IS NULL RETURNING id`;

/**
 * How a mail names a key `k` of an account `a`. A key's name is free text: it is not sent to an
 * address that somebody else may have registered.
 */
export const KEY_LABEL = `
  CASE WHEN a.email_verified_at IS NULL THEN k.key_prefix
    ELSE '“' || k.name || '” (' || k.key_prefix || ')' END AS label`;

const KEYS_OF_LINE = `
  SELECT k.id, coalesce(k.line, k.id) AS line, ${KEY_LABEL}, k.key_prefix, k.units_per_period,
    k.revoked_at, k.expires_at
  FROM api_keys one JOIN accounts a ON a.id = one.account_id
  JOIN api_keys k ON k.id = coalesce(one.line, one.id) OR k.line = coalesce(one.line, one.id)
  WHERE one.id = $2 AND one.account_id = $1 ORDER BY k.id`;

/** A key and those that rotations made of it: the newest active one's columns, and all ids. */
export interface Line {
  readonly newest: Row;
  readonly keyIds: ReadonlySet<string>;
  readonly unitsPerPeriod: number | undefined;
}

/** @returns the line of a key; undefined for none, and when none of its keys is active. */
export function* findLine(
  accountId: string,
  keyId: string,
  at: string,
): Transaction<Line | undefined> {
  const keys = yield statement(KEYS_OF_LINE, accountId, keyId);
  const newest = keys.findLast(
    (key) => key.revoked_at === null && (optionalTextOf(key, "expires_at") ?? "~") > at,
  );
  if (newest === undefined) return undefined;
  const keyIds = new Set(keys.map((key) => textOf(key, "id")));
  return { newest, keyIds, unitsPerPeriod: optionalIntegerOf(newest, "units_per_period") };
}

/** @param row of `THRESHOLDS`. */
export function thresholdsOf(row: Row | undefined): readonly Threshold[] {
  const own = row && optionalTextOf(row, "thresholds");
  return own === undefined ? DEFAULT_THRESHOLDS : (JSON.parse(own) as Threshold[]);
}

export function thresholdStore(engine: Engine): ThresholdStore {
  return {
    read: async (accountId) => thresholdsOf((await engine.query(THRESHOLDS, accountId))[0]),

    set: (accountId, given, origin) =>
      transactionBy(engine, origin, function* () {
        const checked = new Map<string, Threshold>();
        for (const [index, threshold] of given.entries()) {
          const [name, stored] = yield* checkThreshold(accountId, threshold, index, origin.at);
          if (checked.has(name)) throw invalid(index, "repeats an earlier one");
          checked.set(name, stored);
        }
        const thresholds = [...checked.values()];
        const changed = yield statement(SET_THRESHOLDS, accountId, JSON.stringify(thresholds));
        const details = { thresholds: [...checked.keys()].join(", ") };
        if (changed.length === 1)
          yield writeEvent("thresholds.set", origin, { accountId, details });
        return thresholds;
      }),
  };
}

function* checkThreshold(
  accountId: string,
  { api_key_id: given, percent, units }: Threshold,
  index: number,
  at: string,
): Transaction<readonly [name: string, stored: Threshold]> {
  if ((percent === undefined) === (units === undefined)) {
    throw invalid(index, "must have either percent or units");
  }
  const amount = percent === undefined ? { units } : { percent };
  if (given === undefined) return [thresholdName(amount, undefined), amount];
  const keyId = given.toLowerCase();
  const line = yield* findLine(accountId, keyId, at);
  if (line === undefined) throw invalid(index, "has an api_key_id that is no active key's");
  if (percent !== undefined && line.unitsPerPeriod === undefined) {
    throw invalid(
      index,
      "has a percentage of a key without units_per_period: set that limit first",
    );
  }
  return [thresholdName(amount, textOf(line.newest, "line")), { api_key_id: keyId, ...amount }];
}

const invalid = (index: number, reason: string) =>
  new Failure("invalid_request", `thresholds.${index} ${reason}.`);
