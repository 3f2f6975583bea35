import type { PoolClient } from "pg";
import { createHeaderParser } from "../../rates/headers.ts";
import type { AssetSymbol } from "../../rates/rules/symbol.ts";
import type { Decimal } from "../../shared/decimal.ts";
import type { Instant } from "../../shared/instant.ts";
import { StoreUnavailable } from "../../shared/store.ts";
import { ACTIVE_KEY } from "../../storage/columns.ts";
import type { PostgresEngine, RunStatement } from "../../storage/postgres/engine.ts";
import type { BatchStore, RateFound, RateRead, RateReadOutcome } from "../store.ts";
import { readWithoutQuota } from "./without-quota.ts";

// The whole batch is one statement, and so one transaction, one round trip and one commit
// (docs/decisions/0007-one-statement-per-batch-on-postgresql.md).
//
// locked: the usage rows of the batch's accounts, in the order of the accounts on every node, so
// that two batches never deadlock. FOR UPDATE returns the rows as they are once they are locked,
// not as in the statement's snapshot, and units are granted from these. The row is its account's
// lock; the daily counts are only written under it.
// ranked: numbers each account's reads in order of arrival, except those without a pair. A number
// within the remaining quota is granted; without a plan there is no quota, and nothing is granted.
const METERED_BATCH = `
  WITH reads AS (
    SELECT r.place, r.base, r.quote, k.id AS key_id, k.account_id
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS r (key_hash, base, quote, place)
    JOIN api_keys k ON k.key_hash = r.key_hash AND k.${ACTIVE_KEY}
  ),
  locked AS MATERIALIZED (
    SELECT u.account_id, u.units AS used, p.units_per_period AS quota,
      a.suspended_at IS NOT NULL AS is_suspended
    FROM period_usage u
    JOIN accounts a ON a.id = u.account_id
    LEFT JOIN plans p ON p.name = a.plan
    WHERE u.period = $4 AND u.account_id IN (SELECT account_id FROM reads)
    ORDER BY u.account_id
    FOR UPDATE OF u
  ),
  ranked AS (
    SELECT r.place, r.base, r.quote, r.key_id, r.account_id, l.used, l.quota, l.is_suspended,
      r.base IS NOT NULL AND NOT l.is_suspended AND coalesce(l.used + count(r.base) OVER (
        PARTITION BY r.account_id ORDER BY r.place) <= l.quota, false) AS is_granted
    FROM reads r LEFT JOIN locked l ON l.account_id = r.account_id
  ),
  granted AS (
    SELECT account_id, key_id, count(*) AS units FROM ranked WHERE is_granted GROUP BY 1, 2
  ),
  charged AS (
    UPDATE period_usage u SET units = u.units + g.units
    FROM (SELECT account_id, sum(units)::bigint AS units FROM granted GROUP BY 1) g
    WHERE u.account_id = g.account_id AND u.period = $4
  ),
  counted AS (
    INSERT INTO daily_usage AS d (account_id, day, api_key_id, units)
    SELECT account_id, $5, key_id, units FROM granted
    ON CONFLICT (account_id, day, api_key_id) DO UPDATE SET units = d.units + excluded.units
  )
  SELECT r.place, r.account_id, r.quota, r.used, r.is_suspended, r.is_granted,
    r.base, r.quote, x.rate, x.as_of, x.suspended_at, x.headers
  FROM ranked r LEFT JOIN rates x ON x.base = r.base AND x.quote = r.quote AND r.is_granted`;

// The first read of a key in a billing period creates its account's usage row if it is missing,
// because the batch locks it. In the order of the accounts, for the same reason as above.
const INSERT_USAGE_ROWS = `
  INSERT INTO period_usage (account_id, period, units)
  SELECT DISTINCT account_id, $2, 0 FROM api_keys
  WHERE key_hash = ANY ($1::text[]) AND ${ACTIVE_KEY}
  ORDER BY account_id
  ON CONFLICT DO NOTHING`;

/** Bounds the memory of the keys whose account is known to have a usage row, to some 15 MB. */
const KEYS_WITH_ROW_MAX = 100_000;

interface ReadRow {
  readonly place: number;
  readonly account_id: string;
  readonly quota: number | null;
  readonly used: number | null;
  readonly is_suspended: boolean | null;
  readonly is_granted: boolean;
  readonly base: AssetSymbol | null;
  readonly quote: AssetSymbol | null;
  readonly rate: Decimal | null;
  readonly as_of: Instant | null;
  readonly suspended_at: string | null;
  readonly headers: string | null;
}

type ParseHeaders = ReturnType<typeof createHeaderParser>;

/** Charges and serves the reads of one day, in order of arrival, with one statement. */
export type MeteredBatch = (
  client: PoolClient,
  reads: readonly RateRead[],
) => Promise<RateReadOutcome[]>;

export function createPostgresBatches(engine: PostgresEngine): BatchStore {
  const batch = createMeteredBatch(engine.run);
  return {
    readBatch: (reads) =>
      reads.length === 0 ? [] : engine.withPriorityConnection((client) => batch(client, reads)),
  };
}

export function createMeteredBatch(run: RunStatement): MeteredBatch {
  const keysWithRow = new Set<string>();
  let rowsPeriod = "";
  const parseHeaders = createHeaderParser();

  return async (client, reads) => {
    const [first] = reads;
    if (first === undefined) return [];
    const { period, day } = first;
    if (period.name !== rowsPeriod || keysWithRow.size > KEYS_WITH_ROW_MAX) {
      keysWithRow.clear();
      rowsPeriod = period.name;
    }
    const hashes = reads.map(({ keyHash }) => keyHash);
    const withoutRow = [...new Set(hashes)].filter((hash) => !keysWithRow.has(hash));
    if (withoutRow.length > 0) await run(client, INSERT_USAGE_ROWS, [withoutRow, period.name]);

    const bases = reads.map(({ pair }) => pair?.base ?? null);
    const quotes = reads.map(({ pair }) => pair?.quote ?? null);
    const values = [hashes, bases, quotes, period.name, day];
    const { rows } = await run(client, METERED_BATCH, values);

    const outcomes: RateReadOutcome[] = reads.map(() => undefined);
    const grantedUnits = new Map<string, number>();
    for (const row of (rows as ReadRow[]).sort((left, right) => left.place - right.place)) {
      const { place, account_id: accountId, quota: quotaUnits, used, is_granted: isGranted } = row;
      // Without a usage row the read was not charged, and the next read of its key creates the row
      // again.
      if (used === null) keysWithRow.clear();
      if (row.is_suspended === true) continue;
      if (quotaUnits === null || used === null) {
        outcomes[place - 1] = readWithoutQuota(accountId, reads[place - 1]?.pair);
        continue;
      }
      const granted = (grantedUnits.get(accountId) ?? 0) + (isGranted ? 1 : 0);
      grantedUnits.set(accountId, granted);
      keysWithRow.add(hashes[place - 1] ?? "");
      outcomes[place - 1] = {
        quota: { quotaUnits, usedUnits: used + granted },
        found: found(row, parseHeaders),
      };
    }
    return outcomes;
  };
}

function found(row: ReadRow, parseHeaders: ParseHeaders): RateFound {
  const { is_granted, base, quote, rate, as_of, suspended_at, headers } = row;
  if (base === null || quote === null) return "no_pair";
  if (!is_granted) return "exhausted";
  if (rate === null || as_of === null) return "unsupported";
  if (suspended_at !== null) return "suspended";
  try {
    return { base, quote, rate, asOf: as_of, headers: parseHeaders({ base, quote }, headers) };
  } catch (error) {
    // Its unit is charged, as that of any rate that cannot be read (section 4).
    return new StoreUnavailable(error);
  }
}
