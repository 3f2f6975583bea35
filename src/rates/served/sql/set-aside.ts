import { chunksOf } from "../../../platform/shared/chunks.ts";
import { statement, type Transaction } from "../../../platform/storage/engine.ts";
import { figureOf } from "../figures.ts";
import type { SourcedRate } from "../rules/update-policy.ts";
import { byCount, dropHeldRates, FIGURE_KEY, placeholders } from "../update-statements-sql.ts";

/** The figures of held rates whose pairs have another accepted rate now. */
const ofHeld = (pairs: number, columns: string) => `
  WITH accepted (base, quote, source, as_of, rate, date) AS (VALUES ${placeholders(pairs, 6)})
  ${columns}
  FROM accepted a
  JOIN held_rates h ON h.base = a.base AND h.quote = a.quote
  JOIN figures f ON f.base = h.base AND f.quote = h.quote AND f.source = h.source
    AND f.as_of = h.as_of AND f.rate = h.rate
  WHERE NOT (h.source = a.source AND h.as_of = a.as_of AND h.rate = a.rate)`;

const keep = byCount(
  (pairs) =>
    `${ofHeld(
      pairs,
      `INSERT INTO contradictions (base, quote, source, kind, date, as_of, rate, valid_until,
      held_at, decision, publication, place, line)
    SELECT f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.rate, f.valid_until, h.held_at,
      CASE WHEN f.date = a.date THEN 'dropped' END, f.publication, f.place, f.line`,
    )} ON CONFLICT DO NOTHING`,
);

const key = FIGURE_KEY.replaceAll(/\w+/g, "f.$&");
const takeOut = byCount(
  (pairs) => `DELETE FROM figures WHERE (${FIGURE_KEY}) IN (${ofHeld(pairs, `SELECT ${key}`)})`,
);

/**
 * Takes held figures out of their series where a later rate is accepted, which reads of the past
 * would then pass: they stay held, unless their publisher states another figure for their date.
 */
export function* setAside(maxRows: number, accepted: readonly SourcedRate[]): Transaction<void> {
  for (const some of chunksOf(accepted, maxRows)) {
    const values = some.flatMap((rate) => {
      const { base, quote, source, asOf, rate: figure, date } = figureOf(rate);
      return [base, quote, source, asOf, figure, date];
    });
    yield statement(keep(some.length), ...values);
    yield statement(takeOut(some.length), ...values);
    const pairs = some.flatMap(({ base, quote }) => [base, quote]);
    yield statement(dropHeldRates(some.length), ...pairs);
  }
}
