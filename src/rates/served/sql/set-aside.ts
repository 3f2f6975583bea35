import { chunksOf } from "../../../platform/shared/chunks.ts";
import { statement, type Transaction } from "../../../platform/storage/engine.ts";
import { figureOf } from "../figures.ts";
import type { SourcedRate } from "../rules/update-policy.ts";
import { byCount, dropHeldRates, FIGURE_KEY, placeholders } from "../update-statements-sql.ts";

/** Keeps figures, which `f` stands for, when they leave their series. */
const keepWith = (heldAt: string, decision: string) => `
  INSERT INTO contradictions (base, quote, source, kind, date, as_of, rate, valid_until, held_at,
    decision, publication, place, line)
  SELECT f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.rate, f.valid_until, ${heldAt},
    ${decision}, f.publication, f.place, f.line`;

const OF_HELD = "WHERE base = $1 AND quote = $2 AND source = $3 AND as_of = $4 AND rate = $5";
const KEEP_DROPPED = `
  ${keepWith("$6", "'dropped'")} FROM figures f ${OF_HELD} ON CONFLICT DO NOTHING`;
const DROP_FIGURE = `DELETE FROM figures ${OF_HELD}`;

/** Takes a held figure out of its series: nothing names it, nor another date's in its place. */
export function* dropFigure(held: SourcedRate, now: string): Transaction<void> {
  const figure = [held.base, held.quote, held.source, held.asOf, held.rate];
  yield statement(KEEP_DROPPED, ...figure, now);
  yield statement(DROP_FIGURE, ...figure);
}

/** The figures of held rates whose pairs have another accepted rate now. */
const ofHeld = (pairs: number, columns: string) => `
  WITH accepted (base, quote, source, as_of, rate, date) AS (VALUES ${placeholders(pairs, 6)})
  ${columns}
  FROM accepted a
  JOIN held_rates h ON h.base = a.base AND h.quote = a.quote
  JOIN figures f ON f.base = h.base AND f.quote = h.quote AND f.source = h.source
    AND f.as_of = h.as_of AND f.rate = h.rate
  WHERE NOT (h.source = a.source AND h.as_of = a.as_of AND h.rate = a.rate)`;

const KEEP = keepWith("h.held_at", "CASE WHEN f.date = a.date THEN 'dropped' END");
const keep = byCount((pairs) => `${ofHeld(pairs, KEEP)} ON CONFLICT DO NOTHING`);

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
