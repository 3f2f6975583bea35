import { chunksOf } from "../../../platform/shared/chunks.ts";
import { type Decimal, isEqual } from "../../../platform/shared/decimal.ts";
import { integerOf, textOf } from "../../../platform/storage/columns.ts";
import { type Row, statement, type Transaction } from "../../../platform/storage/engine.ts";
import { figureOf } from "../figures.ts";
import type { SourcedRate } from "../rules/update-policy.ts";
import {
  byCount,
  FIGURE_KEY,
  HAS_PLACE,
  numbered,
  PLACE,
  placeholders,
} from "../update-statements-sql.ts";

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

/** A figure that is held, and the one that its pair has now, accepted or held itself. */
export interface Superseded {
  readonly held: Pick<SourcedRate, "base" | "quote" | "source" | "asOf" | "rate">;
  readonly heldAt: string;
  readonly by: SourcedRate;
  readonly isAccepted: boolean;
}

// What an operator has released before stays in its series.
const ofHeld = (figures: number, columns: string) => `
  WITH held (base, quote, source, as_of, rate, date, decision, held_at) AS (
    VALUES ${placeholders(figures, 8)})
  ${columns}
  FROM held h
  JOIN figures f ON f.base = h.base AND f.quote = h.quote AND f.source = h.source
    AND f.as_of = h.as_of AND f.rate = h.rate
  WHERE NOT EXISTS (
    SELECT 1 FROM contradictions c
    WHERE c.base = f.base AND c.quote = f.quote AND c.source = f.source AND c.kind = f.kind
      AND c.date = f.date AND c.as_of = f.as_of AND c.rate = f.rate AND c.decision = 'released')`;

const ofFigure = (columns: string) => columns.replaceAll(/\w+/g, "f.$&");

// Of the held figures of a date the last stays: a polled source states another every 30 seconds.
const IS_KEPT = "AND NOT (f.date = h.date AND h.decision = '')";
const KEEP = keepWith("h.held_at", "CASE WHEN f.date = h.date THEN h.decision END");
const keep = byCount((figures) => `${ofHeld(figures, KEEP)} ${IS_KEPT} ON CONFLICT DO NOTHING`);

// What was decided before its publisher stated it again.
const forget = byCount(
  (figures) => `
  DELETE FROM contradictions
  WHERE decision = 'dropped' AND (${PLACE}, rate) IN (
    ${ofHeld(figures, `SELECT ${ofFigure(PLACE)}, f.rate`)} ${IS_KEPT})`,
);

const takeOut = byCount(
  (figures) => `
  DELETE FROM figures
  WHERE (${FIGURE_KEY}) IN (${ofHeld(figures, `SELECT ${ofFigure(FIGURE_KEY)}`)})`,
);

/**
 * Takes held figures out of their series where a later one is accepted or held, which reads of the
 * past would then pass: they stay held, unless their publisher states another figure for their
 * date, of the same time or a later one.
 */
export function* setAside(maxRows: number, figures: readonly Superseded[]): Transaction<void> {
  for (const some of chunksOf(figures.filter(isAnother), maxRows)) {
    const values = some.flatMap(({ held, heldAt, by, isAccepted }) => {
      const { base, quote, source, asOf, rate } = held;
      const date = isReplaced(held, by) ? figureOf(by).date : "";
      return [base, quote, source, asOf, rate, date, isAccepted ? "dropped" : "", heldAt];
    });
    yield statement(forget(some.length), ...values);
    yield statement(keep(some.length), ...values);
    yield statement(takeOut(some.length), ...values);
  }
}

// Seldom any: every transaction of an import asks.
const HAS_HELD = "SELECT 1 FROM contradictions WHERE decision IS NULL LIMIT 1";

// Of several for one place a document states one alone later, and that settles it.
const heldAlone = byCount(
  (figures) => `
  WITH wanted (number, base, quote, source, kind, date, as_of) AS (VALUES ${numbered(figures, 6)})
  SELECT w.number, min(c.rate) AS rate FROM wanted w CROSS JOIN contradictions c
  WHERE c.base = w.base AND c.quote = w.quote AND c.source = w.source AND c.kind = w.kind
    AND c.date = w.date AND c.as_of = w.as_of AND c.decision IS NULL
  GROUP BY w.number HAVING count(*) = 1`,
);

/** @returns the place of a figure in its series, as the key of `contradictions` has it. */
export const keyOf = (rate: SourcedRate) => {
  const { base, quote, source, kind, date, asOf } = figureOf(rate);
  return [base, quote, source, kind, date, asOf];
};

/** Finds the figures that were set aside and wait for a decision; 2.00 is 2.0. */
export function* findSetAside(
  maxRows: number,
  figures: readonly SourcedRate[],
): Transaction<ReadonlySet<SourcedRate>> {
  const found = new Set<SourcedRate>();
  if ((yield statement(HAS_HELD)).length === 0) return found;
  for (const some of chunksOf(figures, maxRows)) {
    const rows: Row[] = yield statement(heldAlone(some.length), ...some.flatMap(keyOf));
    for (const row of rows) {
      const figure = some[integerOf(row, "number")];
      if (figure && isEqual(figure.rate, textOf(row, "rate") as Decimal)) found.add(figure);
    }
  }
  return found;
}

const TAKE_BACK = `
  UPDATE contradictions SET decision = 'released' WHERE ${HAS_PLACE} AND decision IS NULL`;

/** Ends the waiting of a figure that is accepted: it goes to its series. */
export const takeBack = (figure: SourcedRate) => statement(TAKE_BACK, ...keyOf(figure));

/** Whether a figure may replace a held one: it is of its source, and not of an earlier time. */
export const isReplaced = (held: HeldPlace, by: HeldPlace) =>
  held.source === by.source && held.asOf <= by.asOf;

type HeldPlace = Pick<SourcedRate, "source" | "asOf">;

/** Whether what replaces a held rate is another figure, not the same that is stated again. */
export function isAnother({ held, by }: Pick<Superseded, "held" | "by">): boolean {
  return held.source !== by.source || held.asOf !== by.asOf || held.rate !== by.rate;
}
