import { chunksOf } from "../../platform/shared/chunks.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import { type Engine, type Row, statement } from "../../platform/storage/engine.ts";
import { documentEnding, type HeadersOf, RATE_DOCUMENT, withDocument } from "./headers.ts";
import { addKey } from "./signing-keys-sql.ts";
import type { RatesToRenew } from "./store.ts";
import { readPair, readSourcedRate } from "./update-sql.ts";
import { byCount, placeholders, RATES_LOCK } from "./update-statements-sql.ts";

/** A restore removes the headers. Also damaged ones, which no response can have. */
const WITHOUT_HEADERS = `
  (headers LIKE '["rate-source","%' AND octet_length(headers) = length(headers)) IS NOT TRUE`;

const conditions: Readonly<Record<RatesToRenew, string>> = {
  "without headers": WITHOUT_HEADERS,
  "without a signature": `(signing_key IS NULL OR ${WITHOUT_HEADERS})`,
  all: "TRUE",
};

const selectAfter = (condition: string) => `
  SELECT r.base, r.quote, r.rate, r.as_of, r.source, r.observation, d.hash FROM rates r
  LEFT JOIN observations o
    ON o.base = r.base AND o.quote = r.quote AND o.sequence = r.observation
  LEFT JOIN publication_documents d ON d.publication = o.publication AND d.place = o.place
  WHERE (r.base, r.quote) > ($1, $2) AND ${condition} ORDER BY r.base, r.quote LIMIT $3`;

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

/** Not that of damaged headers, which are to be made anew. */
const LACKS_DOCUMENT = `
  headers LIKE '["rate-source","%"]' AND headers NOT LIKE '%","${RATE_DOCUMENT}","%'`;

// Only where neither the rate nor its headers were replaced meanwhile by some that have it.
const addDocument = byCount(
  (rates) => `
  WITH found (base, quote, observation, ending) AS (VALUES ${placeholders(rates, 4)})
  UPDATE rates SET headers = substr(headers, 1, length(headers) - 1) || f.ending FROM found f
  WHERE rates.base = f.base AND rates.quote = f.quote
    AND rates.observation = CAST(f.observation AS bigint) AND ${LACKS_DOCUMENT}`,
);

/** Bounds a transaction, for which a server's event loop waits on the embedded database. */
const ROWS_PER_PAGE = 100;

/** The rates with a condition, page by page in the order of the pairs. */
async function* pagesOf(engine: Engine, condition: string): AsyncGenerator<readonly Row[]> {
  const sql = selectAfter(condition);
  let last: Row | undefined = { base: "", quote: "" };
  while (last !== undefined) {
    const { base, quote } = readPair(last);
    const rows: Row[] = await engine.query(sql, base, quote, ROWS_PER_PAGE);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
  }
}

/**
 * Computes headers of stored rates anew.
 *
 * @returns the number of rates.
 */
export async function renewHeaders(
  engine: Engine,
  which: RatesToRenew,
  headersOf: HeadersOf,
  now: string,
): Promise<number> {
  let renewed = 0;
  for await (const rows of pagesOf(engine, conditions[which])) {
    const rates = rows.map(readSourcedRate);
    const headersFor = await headersOf.rates(rates, now);
    const renewals = rates.map((rate, index) => {
      const { json, signingKey } = headersFor(rate);
      const row = rows[index] ?? {};
      const headers = withDocument(json, optionalTextOf(row, "hash"));
      const observation = integerOf(row, "observation");
      const values = [rate.base, rate.quote, observation, headers, signingKey?.id ?? null];
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
  }
  return renewed;
}

/** Adds the digests of documents to the headers of served rates as `RateStore` says. */
export async function* addDocuments(engine: Engine): AsyncGenerator<void> {
  for await (const rows of pagesOf(engine, `${LACKS_DOCUMENT} AND d.hash IS NOT NULL`)) {
    await engine.transaction(function* () {
      for (const some of chunksOf(rows, engine.maxRowsPerStatement)) {
        const values = some.flatMap((row) => {
          const { base, quote } = readPair(row);
          return [base, quote, integerOf(row, "observation"), documentEnding(textOf(row, "hash"))];
        });
        yield statement(addDocument(some.length), ...values);
      }
    }, RATES_LOCK);
    yield;
  }
}
