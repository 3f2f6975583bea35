import { writeEvent } from "../../platform/audit/sql.ts";
import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import type { FigureKind } from "./figures.ts";
import { addFigures } from "./figures-sql.ts";
import type { Publication } from "./history.ts";
import { storePublication } from "./history-sql.ts";
import { placeOf } from "./rules/contradictions.ts";
import type { Pair } from "./rules/symbol.ts";
import type { SourcedRate } from "./rules/update-policy.ts";
import { eventDetailsOf, writeHeld } from "./sql/held.ts";
import { keyOf } from "./sql/set-aside.ts";
import type { Contradiction, ContradictionStore, HeldContradictions } from "./store.ts";
import { readPosition, readSourcedRate, updateRates } from "./update-sql.ts";
import { HAS_PLACE, PLACE, RATES_LOCK } from "./update-statements-sql.ts";

export const contradictionTables: Tables = {
  contradictions: {
    key: `${PLACE}, rate`,
    others: "valid_until, held_at, decision, publication, place, line",
  },
};

const DECISIONS = `SELECT rate, decision FROM contradictions WHERE ${HAS_PLACE}`;

const HOLD = `
  INSERT INTO contradictions (${PLACE}, rate, valid_until, held_at, publication, place, line)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (${PLACE}, rate) DO UPDATE
    SET valid_until = excluded.valid_until, held_at = excluded.held_at, decision = NULL,
      publication = excluded.publication, place = excluded.place, line = excluded.line`;

const LIST = `
  SELECT c.base, c.quote, c.source, c.kind, c.date, c.as_of, c.rate, c.valid_until, c.held_at,
    c.publication, c.place, c.line, d.name, r.rate AS served_rate,
    (SELECT count(*) FROM contradictions o WHERE o.base = c.base AND o.quote = c.quote
      AND o.source = c.source AND o.kind = c.kind AND o.date = c.date
      AND o.as_of = c.as_of AND o.decision IS NULL) AS stated
  FROM contradictions c
  LEFT JOIN publication_documents d ON d.publication = c.publication AND d.place = c.place
  LEFT JOIN rates r ON r.base = c.base AND r.quote = c.quote
  WHERE c.decision IS NULL ORDER BY c.base, c.quote, c.source, c.kind, c.as_of, c.held_at, c.rate`;

const RELEASE = `
  UPDATE contradictions SET decision = 'released'
  WHERE ${HAS_PLACE} AND rate = $7 AND decision IS NULL RETURNING publication`;

const DROP = `
  UPDATE contradictions SET decision = 'dropped' WHERE ${HAS_PLACE} AND decision IS NULL`;

const DROP_PAIR = `
  UPDATE contradictions SET decision = 'dropped'
  WHERE base = $1 AND quote = $2 AND decision IS NULL RETURNING ${PLACE}, rate`;

/**
 * Holds the figures of a document that contradict each other. What an operator, or a later document
 * of the source, has decided about the same figures stands.
 */
function* hold(
  figures: readonly SourcedRate[],
  publication: Publication | number,
  origin: Origin,
): Transaction<HeldContradictions> {
  const id = yield* storePublication(publication);
  const outcomes = new Map<SourcedRate, "held" | "released" | "dropped">();
  for (const stated of Map.groupBy(figures, placeOf).values()) {
    const [key = []] = stated.map(keyOf);
    const rows: Row[] = yield statement(DECISIONS, ...key);
    const known = new Map(rows.map((row) => [textOf(row, "rate"), row.decision]));
    const isKnown = stated.every(({ rate }) => known.has(rate));
    for (const one of stated) {
      const { rate, validUntil = null, place = null, line = null } = one;
      const decision = isKnown ? known.get(rate) : null;
      outcomes.set(one, decision === "released" || decision === "dropped" ? decision : "held");
      if (isKnown) continue;
      yield statement(HOLD, ...key, rate, validUntil, origin.at, id, place, line);
      yield writeHeld(one, origin);
    }
  }
  return { publication: id, outcomes: figures.map((one) => outcomes.get(one) ?? "held") };
}

function readContradiction(row: Row): Contradiction {
  return {
    ...readSourcedRate(row),
    ...readPosition(row),
    kind: textOf(row, "kind") as FigureKind,
    date: textOf(row, "date"),
    validUntil: optionalTextOf(row, "valid_until"),
    heldAt: textOf(row, "held_at"),
    document: optionalTextOf(row, "name"),
    servedRate: optionalTextOf(row, "served_rate") as Decimal | undefined,
    isJump: integerOf(row, "stated") === 1,
  };
}

export function contradictionStore(engine: Engine): ContradictionStore {
  return {
    hold: (figures, publication, origin) =>
      engine.transaction(() => hold(figures, publication, origin), RATES_LOCK),

    async list() {
      return (await engine.query(LIST)).map(readContradiction);
    },

    release: (figure, { policy, headersOf, origin, isServed }) =>
      engine.transaction(function* () {
        const [row] = yield statement(RELEASE, ...keyOf(figure), figure.rate);
        if (row === undefined) return undefined;
        yield statement(DROP, ...keyOf(figure));
        const publication = integerOf(row, "publication");
        const headers = (rate: SourcedRate) => headersOf.rate(rate, origin.at);
        const how = { policy, publication, origin };
        const { maxRowsPerStatement: rows } = engine;
        yield writeEvent("rate.released", origin, { details: eventDetailsOf(figure) });
        if (!isServed) {
          yield* addFigures(rows, [figure], publication, origin.at);
          return false;
        }
        const [decision] = (yield* updateRates(rows, [figure], how, headers)).decisions;
        return decision === "store" || decision === "unchanged";
      }, RATES_LOCK),

    drop: ({ base, quote }: Pair, origin) =>
      engine.transaction(function* () {
        const rows: Row[] = yield statement(DROP_PAIR, base, quote);
        for (const row of rows) {
          yield writeEvent("rate.dropped", origin, {
            details: eventDetailsOf(readSourcedRate(row)),
          });
        }
        return rows.length;
      }, RATES_LOCK),
  };
}
