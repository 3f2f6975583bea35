import { chunksOf } from "../../../platform/shared/chunks.ts";
import { type Decimal, isLess } from "../../../platform/shared/decimal.ts";
import { optionalTextOf, textOf } from "../../../platform/storage/columns.ts";
import { type Row, statement, type Transaction } from "../../../platform/storage/engine.ts";
import { figureOf } from "../figures.ts";
import {
  type Disagreement,
  findDisagreement,
  type OtherFigure,
  pathsOf,
} from "../rules/disagreement.ts";
import { type AssetSymbol, inverseOf, pairName } from "../rules/symbol.ts";
import type { SourcedRate } from "../rules/update-policy.ts";
import type { HowToDecide } from "../store.ts";
import { byCount, isImported, placeholders } from "../update-statements-sql.ts";

// Each step is one search by the key: for the next source of a pair, for its newest time of a date,
// for that figure. A figure that is itself held is no reason to hold another one.
const figuresOn = byCount(
  (wanted) => `
  WITH RECURSIVE wanted (base, quote, date) AS (VALUES ${placeholders(wanted, 3)}),
  sources (base, quote, date, source) AS (
    SELECT w.base, w.quote, w.date, (
      SELECT min(f.source) FROM figures f WHERE f.base = w.base AND f.quote = w.quote)
    FROM wanted w
    UNION ALL
    SELECT s.base, s.quote, s.date, (
      SELECT min(f.source) FROM figures f
      WHERE f.base = s.base AND f.quote = s.quote AND f.source > s.source)
    FROM sources s WHERE s.source IS NOT NULL
  )
  SELECT f.base, f.quote, f.rate, f.source, f.date, d.hash FROM sources s CROSS JOIN figures f
  LEFT JOIN publication_documents d ON d.publication = f.publication AND d.place = f.place
  WHERE f.base = s.base AND f.quote = s.quote AND f.source = s.source AND f.kind = 'middle'
    AND f.date = s.date AND f.valid_until IS NULL AND NOT ${isImported("s.source")}
    AND f.as_of = (
      SELECT max(l.as_of) FROM figures l
      WHERE l.base = s.base AND l.quote = s.quote AND l.source = s.source AND l.kind = 'middle'
        AND l.date = s.date)
    AND NOT EXISTS (
      SELECT 1 FROM held_rates h
      WHERE h.base = f.base AND h.quote = f.quote AND h.source = f.source AND h.as_of = f.as_of)
  ORDER BY f.source, f.revision`,
);

export type Disagreements = ReadonlyMap<SourcedRate, Disagreement>;

/**
 * Compares the rates that the policy would store or hold with the newest figures that other
 * publishers state for the same dates: middle ones of a day, not of a table for a period.
 *
 * @param states for each rate what its pair has.
 * @returns of each rate that differs by more than the limit the greatest disagreement.
 */
export function* findDisagreements(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
  states: readonly { readonly current: SourcedRate | undefined }[],
  { policy, maxDisagreement }: HowToDecide,
): Transaction<Disagreements> {
  const found = new Map<SourcedRate, Disagreement>();
  if (maxDisagreement === undefined) return found;
  const wanted = new Map<string, readonly string[]>();
  const compared = rates.filter((rate, index) => {
    const { kind, validUntil } = figureOf(rate);
    const isOfDay = kind === "middle" && validUntil === undefined;
    const decision = policy(states[index]?.current, rate);
    return isOfDay && (decision === "store" || decision === "hold");
  });
  for (const rate of compared) {
    const { date } = figureOf(rate);
    const steps = pathsOf(rate).flat();
    for (const pair of [...steps, ...steps.map(inverseOf)])
      wanted.set(`${date} ${pairName(pair)}`, [pair.base, pair.quote, date]);
  }
  const stated = new Map<string, Map<string, Map<string, OtherFigure>>>();
  for (const some of chunksOf([...wanted.values()], maxRowsPerStatement)) {
    const rows: Row[] = yield statement(figuresOn(some.length), ...some.flat());
    for (const figure of rows.map(readOther)) {
      const ofDate = stated.getOrInsertComputed(figure.date, () => new Map());
      ofDate.getOrInsertComputed(figure.source, () => new Map()).set(pairName(figure), figure);
    }
  }
  for (const rate of compared) {
    for (const [source, figures] of stated.get(figureOf(rate).date) ?? []) {
      if (source === rate.source) continue;
      const one = findDisagreement(rate, figures, maxDisagreement);
      const greatest = found.get(rate)?.percent ?? ("0" as Decimal);
      if (one !== undefined && !isLess(one.percent, greatest)) found.set(rate, one);
    }
  }
  return found;
}

function readOther(row: Row): OtherFigure {
  return {
    base: textOf(row, "base") as AssetSymbol,
    quote: textOf(row, "quote") as AssetSymbol,
    rate: textOf(row, "rate") as Decimal,
    source: textOf(row, "source"),
    date: textOf(row, "date"),
    document: optionalTextOf(row, "hash") ?? null,
  };
}
