import { chunksOf } from "../../platform/shared/chunks.ts";
import { integerOf } from "../../platform/storage/columns.ts";
import { type Engine, type Row, statement } from "../../platform/storage/engine.ts";
import type { HeadersOf } from "./headers.ts";
import { addKey } from "./signing-keys-sql.ts";
import type { RatesToRenew } from "./store.ts";
import { readSourcedRate } from "./update-sql.ts";
import { byCount, placeholders, RATES_LOCK } from "./update-statements-sql.ts";

/** A restore removes the headers. Also damaged ones, which no response can have. */
const WITHOUT_HEADERS = `
  (headers LIKE '["rate-source","%' AND octet_length(headers) = length(headers)) IS NOT TRUE`;

const conditions: Readonly<Record<RatesToRenew, string>> = {
  "without headers": WITHOUT_HEADERS,
  "without a signature": `(signing_key IS NULL OR ${WITHOUT_HEADERS})`,
  all: "TRUE",
};

const listAfter = (which: RatesToRenew) => `
  SELECT base, quote, rate, as_of, source, observation FROM rates
  WHERE (base, quote) > ($1, $2) AND ${conditions[which]} ORDER BY base, quote LIMIT $3`;

// Only where no other rate was stored meanwhile.
const setHeaders = byCount(
  (rates) => `
  WITH renewed (base, quote, observation, headers, signing_key)
    AS (VALUES ${placeholders(rates, 5)})
  UPDATE rates SET headers = n.headers, signing_key = n.signing_key FROM renewed n
  WHERE rates.base = n.base AND rates.quote = n.quote
    AND rates.observation = CAST(n.observation AS bigint)
  RETURNING rates.base`,
);

/** Bounds a transaction, for which a server's event loop waits on the embedded database. */
const ROWS_PER_PAGE = 100;

/**
 * Computes headers of stored rates anew, page by page in the order of the pairs.
 *
 * @returns the number of rates.
 */
export async function renewHeaders(
  engine: Engine,
  which: RatesToRenew,
  headersOf: HeadersOf,
  now: string,
): Promise<number> {
  const sql = listAfter(which);
  let renewed = 0;
  let rows: Row[] = await engine.query(sql, "", "", ROWS_PER_PAGE);
  while (rows.length > 0) {
    const rates = rows.map(readSourcedRate);
    const headersFor = await headersOf.rates(rates, now);
    const renewals = rates.map((rate, index) => {
      const { json, signingKey } = headersFor(rate);
      const observation = integerOf(rows[index] ?? {}, "observation");
      const values = [rate.base, rate.quote, observation, json, signingKey?.id ?? null];
      return { values, signingKey };
    });
    const { signingKey } = renewals[0] ?? {};
    renewed += await engine.transaction(function* () {
      let count = 0;
      for (const some of chunksOf(renewals, engine.maxRowsPerStatement)) {
        const values = some.flatMap((one) => one.values);
        count += (yield statement(setHeaders(some.length), ...values)).length;
      }
      if (signingKey !== undefined) yield addKey(signingKey, now);
      return count;
    }, RATES_LOCK);
    const { base = "", quote = "" } = rates.at(-1) ?? {};
    rows = await engine.query(sql, base, quote, ROWS_PER_PAGE);
  }
  return renewed;
}
