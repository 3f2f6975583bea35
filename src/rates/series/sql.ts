import type { Decimal } from "../../platform/shared/decimal.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import type { Engine, Row } from "../../platform/storage/engine.ts";
import type { FigureKind } from "../served/figures.ts";
import type { Disagreement } from "../served/rules/disagreement.ts";
import { readPair, readPosition, readSourcedRate } from "../served/update-sql.ts";
import { isImported } from "../served/update-statements-sql.ts";
import { NEWEST } from "./rules.ts";
import type {
  ContradictedFigure,
  FigurePlace,
  Series,
  SeriesReads,
  StoredFigure,
  SuspectFigure,
} from "./store.ts";

const SELECT_FIGURES = `
  SELECT f.source, f.base, f.quote, f.kind, f.date, f.as_of, f.revision, f.rate, f.valid_until,
    f.stored_at, f.publication, f.place, f.line, d.hash
  FROM figures f
  LEFT JOIN publication_documents d ON d.publication = f.publication AND d.place = f.place`;

/** The figures of a series: $1 to $4 are its base, quote, source and kind. */
export const FIGURES_OF_SERIES = `${SELECT_FIGURES}
  WHERE f.base = $1 AND f.quote = $2 AND f.source = $3 AND f.kind = $4`;

const FIGURES = `${FIGURES_OF_SERIES}
    AND f.date >= $5 AND f.date <= $6
    AND (f.date, f.as_of, f.revision) > ($7, $8, $9)
  ORDER BY f.date, f.as_of, f.revision LIMIT $10`;

const FIGURE_ON_OR_BEFORE = `${FIGURES_OF_SERIES}
    AND f.date <= $5
  ORDER BY f.date DESC, f.as_of DESC, f.revision DESC LIMIT 1`;

const FIGURE_ON_OR_AFTER = `${FIGURES_OF_SERIES}
    AND f.date = (
      SELECT min(date) FROM figures
      WHERE base = $1 AND quote = $2 AND source = $3 AND kind = $4 AND date >= $5)
  ORDER BY f.as_of DESC, f.revision DESC LIMIT 1`;

const CONTRADICTED_OF_SERIES = `
  SELECT c.date, c.rate, c.valid_until, c.decision, d.hash FROM contradictions c
  LEFT JOIN publication_documents d ON d.publication = c.publication AND d.place = c.place
  WHERE c.base = $1 AND c.quote = $2 AND c.source = $3 AND c.kind = $4`;

const CONTRADICTED = `${CONTRADICTED_OF_SERIES} AND NOT EXISTS (
    SELECT 1 FROM contradictions r
    WHERE r.base = c.base AND r.quote = c.quote AND r.source = c.source AND r.kind = c.kind
      AND r.date = c.date AND r.as_of = c.as_of AND r.decision = 'released')
  ORDER BY c.date, c.rate`;

const CONTRADICTED_ON = `${CONTRADICTED_OF_SERIES} AND c.date = $5 ORDER BY c.as_of, c.rate`;

// One that is held replaces an earlier one among the held rates: that one waits with it.
const WHY_HELD = `
  SELECT r.rate, h.disagreement FROM held_rates h
  LEFT JOIN rates r ON r.base = h.base AND r.quote = h.quote
  WHERE h.base = $1 AND h.quote = $2 AND h.source = $3
    AND (h.as_of = $4 OR (r.source = h.source AND r.as_of < $4 AND h.as_of > $4))`;

// Searches the key for the next source again and again: a scan would read every figure.
const SERIES_OF = `
  WITH RECURSIVE sources (source) AS (
    SELECT min(source) FROM figures WHERE base = $1 AND quote = $2
    UNION ALL
    SELECT (
      SELECT min(f.source) FROM figures f
      WHERE f.base = $1 AND f.quote = $2 AND f.source > s.source)
    FROM sources s WHERE s.source IS NOT NULL
  ), kinds (kind) AS (VALUES ('middle'), ('buying'), ('selling'))
  SELECT s.source, k.kind FROM sources s CROSS JOIN kinds k
  WHERE EXISTS (
    SELECT 1 FROM figures f
    WHERE f.base = $1 AND f.quote = $2 AND f.source = s.source AND f.kind = k.kind)
  ORDER BY s.source, k.kind`;

// Searches the key for the next pair again and again, as above. SQLite searches by one column only
// where a row is compared with another row of columns.
const pairsAfter = (isOfOneBase: boolean) => {
  const next = (column: string) => {
    const inBase = `
      SELECT ${column} FROM figures f WHERE f.base = p.base AND f.quote > p.quote
      ORDER BY f.quote LIMIT 1`;
    if (isOfOneBase) return `(${inBase})`;
    const inNextBase = `
      SELECT ${column} FROM figures f WHERE f.base > p.base ORDER BY f.base, f.quote LIMIT 1`;
    return `coalesce((${inBase}), (${inNextBase}))`;
  };
  return `
    WITH RECURSIVE pairs (base, quote, number) AS (
      SELECT * FROM (
        SELECT f.base, f.quote, 1 FROM figures f
        WHERE (f.base, f.quote) > ($1, $2) ${isOfOneBase ? "AND f.base = $4" : ""}
        ORDER BY f.base, f.quote LIMIT 1) AS first
      UNION ALL
      SELECT ${next("f.base")}, ${next("f.quote")}, p.number + 1
      FROM pairs p WHERE p.base IS NOT NULL AND p.number < $3
    )
    SELECT base, quote FROM pairs WHERE base IS NOT NULL ORDER BY base, quote`;
};

const PAIRS = pairsAfter(false);
const PAIRS_OF_BASE = pairsAfter(true);

const AFTER_PLACE = `(f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.revision)
    > ($1, $2, $3, $4, $5, $6, $7)
  ORDER BY f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.revision LIMIT $8`;

const FIGURES_OF = `${SELECT_FIGURES}
  WHERE f.publication = $9 AND d.publication IS NOT NULL AND ${AFTER_PLACE}`;

/** The condition that an imported file is the document of another source's figure. */
const IS_MISNAMED = `f.source <> p.source AND ${isImported("p.source")}`;

const COUNT_OF = `
  SELECT count(*) AS figures FROM figures f
  JOIN publications p ON p.id = f.publication
  JOIN publication_documents d ON d.publication = f.publication AND d.place = f.place
  WHERE f.publication = $1 AND NOT (${IS_MISNAMED})`;

const SUSPECTS = `
  SELECT f.*, d.hash, d.place AS document, p.source AS publisher FROM figures f
  LEFT JOIN publications p ON p.id = f.publication
  LEFT JOIN publication_documents d ON d.publication = f.publication AND d.place = f.place
  WHERE (d.place IS NULL OR ${IS_MISNAMED})
    AND (f.source = $9 OR $9 IS NULL) AND ${AFTER_PLACE}`;

export function seriesReads(engine: Engine): SeriesReads {
  return {
    async seriesOf({ base, quote }) {
      return (await engine.query(SERIES_OF, base, quote)).map((row) => {
        return { source: textOf(row, "source"), base, quote, kind: kindOf(row) };
      });
    },

    async figures(series, { after, from = "", to = NEWEST, limit }) {
      const place = [after.date, after.asOf, after.revision];
      const values = [...keyOf(series), from, to, ...place, limit];
      return (await engine.query(FIGURES, ...values)).map(storedFigureOf);
    },

    async figureOnOrBefore(series, date) {
      const rows = await engine.query(FIGURE_ON_OR_BEFORE, ...keyOf(series), date);
      return rows.map(storedFigureOf)[0];
    },

    async figureOnOrAfter(series, date) {
      const rows = await engine.query(FIGURE_ON_OR_AFTER, ...keyOf(series), date);
      return rows.map(storedFigureOf)[0];
    },

    async contradicted(series) {
      return (await engine.query(CONTRADICTED, ...keyOf(series))).map(contradictedOf);
    },

    async contradictedOn(series, date) {
      return (await engine.query(CONTRADICTED_ON, ...keyOf(series), date)).map(contradictedOf);
    },

    async whyHeld({ base, quote, source, asOf }) {
      const [row] = await engine.query(WHY_HELD, base, quote, source, asOf);
      const disagreement = row && optionalTextOf(row, "disagreement");
      if (disagreement !== undefined) return JSON.parse(disagreement) as Disagreement;
      return row && (textOf(row, "rate") as Decimal);
    },

    async pairs({ base, quote }, limit, ofBase) {
      const rows =
        ofBase === undefined
          ? await engine.query(PAIRS, base, quote, limit)
          : await engine.query(PAIRS_OF_BASE, base, quote, limit, ofBase);
      return rows.map(readPair);
    },

    async figuresOf(publication, after, limit) {
      const values = [...valuesOf(after), limit, publication];
      return (await engine.query(FIGURES_OF, ...values)).map(storedFigureOf);
    },

    async countOf(publication) {
      const [row] = await engine.query(COUNT_OF, publication);
      return integerOf(row ?? {}, "figures");
    },

    async suspects(after, limit, source) {
      const values = [...valuesOf(after), limit, source ?? null];
      return (await engine.query(SUSPECTS, ...values)).map(suspectOf);
    },
  };
}

const keyOf = ({ base, quote, source, kind }: Series) => [base, quote, source, kind];

const valuesOf = ({ base, quote, source, kind, date, asOf, revision }: FigurePlace) => [
  ...[base, quote, source, kind, date, asOf, revision],
];

/** @returns the figure of a row with the columns of `SELECT_FIGURES`. */
export function storedFigureOf(row: Row): StoredFigure {
  return {
    ...readSourcedRate(row),
    ...readPosition(row),
    kind: kindOf(row),
    date: textOf(row, "date"),
    revision: integerOf(row, "revision"),
    validUntil: optionalTextOf(row, "valid_until"),
    storedAt: textOf(row, "stored_at"),
    publication: integerOf(row, "publication"),
    hash: optionalTextOf(row, "hash"),
  };
}

function contradictedOf(row: Row): ContradictedFigure {
  return {
    date: textOf(row, "date"),
    rate: textOf(row, "rate") as Decimal,
    validUntil: optionalTextOf(row, "valid_until"),
    decision: (row.decision ?? "held") as ContradictedFigure["decision"],
    hash: optionalTextOf(row, "hash"),
  };
}

function suspectOf(row: Row): SuspectFigure {
  return {
    figure: storedFigureOf(row),
    publisher: optionalTextOf(row, "publisher"),
    hasDocument: row.document !== null,
  };
}

/** The schema allows no other. */
const kindOf = (row: Row) => textOf(row, "kind") as FigureKind;
