import { StoreUnavailable } from "../../../platform/shared/store.ts";
import type { RunStatement } from "../../../platform/storage/postgres/engine.ts";
import type { MeteredOutcome, RateRead } from "../store.ts";
import { GRANTS_IN_PERIOD, type KnownKey } from "./postgres-caches.ts";
import {
  type AccountUnits,
  endMs,
  type Grant,
  type KeyCap,
  keyQuotasOf,
  quotaOf,
  takeUnit,
} from "./take-unit.ts";

// Caps and grants are decided here, by the rule that both engines share, and not in the statement
// that charges. So their rows are locked first, the grants before the accounts' units, and in the
// same order by every batch. The transaction's next statement sees them as they are then. Where an
// account has no row in the period yet, none is locked here: `ADD_UNITS` keeps the order.
//
// none: takes the table's lock of a charge before any row's. A change of caps waits for that one,
// and the charge would wait behind it while others wait for these rows.
const LOCK_UNITS = `
  WITH none AS (UPDATE period_usage SET units = units WHERE false),
  grants AS MATERIALIZED (
    SELECT id FROM unit_grants WHERE account_id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE
  ), units AS MATERIALIZED (
    SELECT account_id FROM period_usage
    WHERE account_id = ANY ($1::text[]) AND period = $2 AND (SELECT count(*) FROM grants) >= 0
      AND (SELECT count(*) FROM period_usage WHERE account_id = ANY ($1::text[]) AND period = $2)
        = cardinality($1::text[])
    ORDER BY account_id FOR NO KEY UPDATE
  )
  SELECT count(*) AS count FROM units`;

/** Locks the accounts' rows too, and makes those that a period does not have yet. */
const ADD_UNITS = `
  INSERT INTO period_usage AS u (account_id, period, units)
  SELECT account_id, $2, 0 FROM unnest($1::text[]) AS account_id ORDER BY account_id COLLATE "C"
  ON CONFLICT (account_id, period) DO UPDATE SET units = u.units`;

// The units of a line's keys on a day are in one row for each. Those of a period have a counter;
// one that is missing is counted from the days.
const unitsOfLine = (condition: string) => `
  SELECT coalesce(sum(d.units), 0) FROM api_keys k JOIN daily_usage d ON d.api_key_id = k.id
  WHERE (k.id = c.line OR k.line = c.line) AND d.account_id = k.account_id AND ${condition}`;

const FIND_UNITS = `
  SELECT (
    SELECT json_agg(json_build_array(account_id, units)) FROM period_usage
    WHERE account_id = ANY ($1::text[]) AND period = $2
  ) AS accounts, (
    SELECT json_agg(json_build_array(g.account_id, g.id, g.expires_at,
        CASE WHEN g.revoked_at IS NULL THEN g.units - used.units ELSE 0 END, used.of_period)
      ORDER BY g.expires_at NULLS LAST, g.id)
    FROM ${GRANTS_IN_PERIOD} AND g.account_id = ANY ($1::text[])
  ) AS grants, (
    SELECT json_agg(coalesce(u.units, (${unitsOfLine("d.day >= $2 AND d.day < $2 || '-99'")}))
      ORDER BY c.place)
    FROM unnest($3::text[]) WITH ORDINALITY AS c (line, place)
    LEFT JOIN capped_usage u ON u.line = c.line AND u.period = $2
  ) AS of_period, (
    SELECT json_agg((${unitsOfLine("d.day = $5")}) ORDER BY c.place)
    FROM unnest($4::text[]) WITH ORDINALITY AS c (line, place)
  ) AS of_day`;

interface FoundUnits {
  readonly accounts: readonly (readonly [accountId: string, units: number])[] | null;
  readonly grants: readonly GrantRow[] | null;
  /** The units of the lines with such a cap, in the order of the parameter. */
  readonly of_period: readonly number[] | null;
  readonly of_day: readonly number[] | null;
}

type GrantRow = readonly [
  accountId: string,
  id: string,
  expiresAt: string | null,
  leftUnits: number,
  usedUnits: number,
];

/** What a read got, before its rate is known. */
export interface Taken extends Pick<MeteredOutcome, "quota" | "keyQuotas"> {
  /** Undefined for a read that asks for no unit. */
  readonly by: ReturnType<typeof takeUnit> | undefined;
}

/** The counters that a batch has changed: the values of `COUNTERS`. */
export type Counters = readonly [
  lines: readonly string[],
  units: readonly number[],
  grants: readonly string[],
  grantUnits: readonly number[],
];

/** A read of a key that may read and whose account has a plan. */
interface LimitedRead {
  readonly key: KnownKey;
  readonly isAsked: boolean;
  readonly nowMs: number;
}

/**
 * Takes the units of reads, in order of arrival, in a transaction: it keeps the rows locked on
 * which they depend.
 *
 * @returns what each read got, the accounts after that, and the counters to store with the charge.
 */
export async function takeUnits(
  run: RunStatement,
  { period, day }: RateRead,
  reads: readonly LimitedRead[],
): Promise<{
  readonly taken: readonly Taken[];
  readonly accounts: ReadonlyMap<string, AccountUnits>;
  readonly counters: Counters;
}> {
  const ids = [...new Set(reads.map(({ key }) => key.accountId))];
  const lines = new Map<string, readonly KeyCap[]>();
  for (const { key } of reads) {
    if (lines.has(key.line)) continue;
    const caps = key.caps.map((cap) => ({ ...cap, usedUnits: 0 }));
    lines.set(key.line, caps);
  }
  const withCap = (span: KeyCap["span"]) => {
    const all = [...lines].map(([line, caps]) => ({
      line,
      cap: caps.find((c) => c.span === span),
    }));
    return all.filter((each): each is { line: string; cap: KeyCap } => each.cap !== undefined);
  };
  const [ofPeriod, ofDay] = [withCap("period"), withCap("day")];
  const named = [ofPeriod, ofDay].map((caps) => caps.map(({ line }) => line));

  const units = [ids, period.name] as const;
  const find = async () => {
    const { rows } = await run(FIND_UNITS, [...units, ...named, day]);
    return (rows as FoundUnits[])[0];
  };
  const [{ rows }, first] = await Promise.all([run(LOCK_UNITS, units), find()]);
  const isLocked = (rows as { readonly count: number }[])[0]?.count === ids.length;
  const [, found] = isLocked ? [rows, first] : await Promise.all([run(ADD_UNITS, units), find()]);
  if (found === undefined) throw new StoreUnavailable(new Error("the units were not found"));
  for (const [place, { cap }] of ofPeriod.entries()) cap.usedUnits = found.of_period?.[place] ?? 0;
  for (const [place, { cap }] of ofDay.entries()) cap.usedUnits = found.of_day?.[place] ?? 0;
  const accounts = accountsOf(found, reads);

  const fromGrants = new Map<Grant, number>();
  const taken = reads.map(({ key, isAsked, nowMs }): Taken => {
    const account = accounts.get(key.accountId);
    if (account === undefined) throw new StoreUnavailable(new Error("an account was not locked"));
    const own = lines.get(key.line) ?? [];
    const by = isAsked ? takeUnit(account, own, nowMs) : undefined;
    if (typeof by === "object") fromGrants.set(by, (fromGrants.get(by) ?? 0) + 1);
    return { by, quota: quotaOf(account, nowMs), keyQuotas: keyQuotasOf(own) };
  });
  const grants = [...fromGrants.keys()].map(({ id }) => id);
  const used = ofPeriod.map(({ cap }) => cap.usedUnits);
  const counters = [named[0] ?? [], used, grants, [...fromGrants.values()]] as const;
  return { taken, accounts, counters };
}

function accountsOf({ accounts, grants }: FoundUnits, reads: readonly LimitedRead[]) {
  const plans = new Map(reads.map(({ key }) => [key.accountId, key.plan]));
  const found = new Map<string, AccountUnits & { grants: Grant[] }>();
  for (const [id, usedUnits] of accounts ?? []) {
    const plan = plans.get(id);
    if (plan !== undefined) found.set(id, { plan, usedUnits, grantedUnits: 0, grants: [] });
  }
  for (const [accountId, id, expiresAt, leftUnits, usedUnits] of grants ?? []) {
    const account = found.get(accountId);
    if (account === undefined) continue;
    account.grantedUnits += usedUnits;
    account.grants.push({ id, expiresAtMs: endMs(expiresAt), leftUnits });
  }
  return found;
}
