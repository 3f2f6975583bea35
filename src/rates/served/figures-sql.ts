import { chunksOf } from "../../platform/shared/chunks.ts";
import { integerOf, optionalTextOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  type SqlValue,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { type Figure, type FigureStore, figureOf } from "./figures.ts";
import { storePublication } from "./history-sql.ts";
import { pairName } from "./rules/symbol.ts";
import type { SourcedRate } from "./rules/update-policy.ts";
import { findSetAside } from "./sql/set-aside.ts";
import {
  byCount,
  FIGURE_KEY,
  numbered,
  placeholders,
  RATES_LOCK,
} from "./update-statements-sql.ts";

export const figureTables: Tables = {
  figures: {
    key: FIGURE_KEY,
    others: "rate, valid_until, stored_at, publication, place, line",
  },
};

// Joined from the wanted figures, each is one search by the key. SQLite keeps the order of a CROSS
// JOIN; a date has one revision, seldom more.
const revisionsOf = byCount(
  (figures) => `
  WITH wanted (number, base, quote, source, kind, date, as_of) AS (VALUES ${numbered(figures, 6)})
  SELECT w.number, f.revision, f.rate, f.valid_until FROM wanted w CROSS JOIN figures f
  WHERE f.base = w.base AND f.quote = w.quote AND f.source = w.source AND f.kind = w.kind
    AND f.date = w.date AND f.as_of = w.as_of`,
);

/** Its first two parameters are of all rows. */
const insertFigures = byCount(
  (figures) => `
  INSERT INTO figures (stored_at, publication, base, quote, source, kind, date, as_of, revision,
    rate, valid_until, place, line)
  VALUES ${placeholders(figures, 11, 2)}`,
);

/** What a series has of a figure's date and time. */
interface DatedFigure {
  readonly figure: Figure;
  /** The last revision; 0 without one. */
  revision: number;
  rate: string | undefined;
  validUntil: string | undefined;
}

/** A figure that its series does not have, with its revision. */
interface NewFigure {
  readonly figure: Figure;
  readonly revision: number;
}

/** Which figures their series do not have. */
interface DecidedFigures {
  /** For each figure, in their order. */
  readonly isNew: readonly boolean[];
  readonly added: readonly NewFigure[];
}

/**
 * Adds figures to their series as `FigureStore` says. The transaction has RATES_LOCK.
 *
 * @returns for each figure whether its series did not have it.
 */
export function* addFigures(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
  publication: number,
  now: string,
): Transaction<readonly boolean[]> {
  const { isNew, added } = yield* decideFigures(maxRowsPerStatement, rates);
  for (const some of chunksOf(added, maxRowsPerStatement)) {
    const values: SqlValue[] = [now, publication];
    for (const { figure, revision } of some) {
      const { base, quote, source, kind, date, asOf, rate, validUntil = null } = figure;
      const { place = null, line = null } = figure;
      values.push(base, quote, source, kind, date, asOf, revision, rate, validUntil, place, line);
    }
    yield statement(insertFigures(some.length), ...values);
  }
  return isNew;
}

const isStated = (andOf: string) => `
  EXISTS (
    SELECT 1 FROM figures f
    WHERE f.base = c.base AND f.quote = c.quote AND f.source = c.source AND f.kind = c.kind
      AND f.date = c.date AND f.as_of = c.as_of AND f.publication = $1 ${andOf})`;

// One that is held as a jump waits for a decision of its own.
const SETTLE_CONTRADICTIONS = `
  UPDATE contradictions AS c
  SET decision = CASE WHEN ${isStated("AND f.rate = c.rate")} AND NOT EXISTS (
      SELECT 1 FROM held_rates h
      WHERE h.base = c.base AND h.quote = c.quote AND h.source = c.source AND h.as_of = c.as_of
        AND h.rate = c.rate)
    THEN 'released' ELSE 'dropped' END
  WHERE decision IS NULL AND publication <> $1 AND ${isStated("")}`;

/** Settles contradictions where a publication has added one figure in the place of several. */
export const settleContradictions = (publication: number) =>
  statement(SETTLE_CONTRADICTIONS, publication);

/**
 * Compares figures with the last revisions in their series, one after the other: a file may state a
 * date twice. One that was set aside waits, however often it is stated.
 */
export function* decideFigures(
  maxRowsPerStatement: number,
  rates: readonly SourcedRate[],
): Transaction<DecidedFigures> {
  const figures = rates.map(figureOf);
  const lasts = yield* readLasts(maxRowsPerStatement, figures);
  const setAside = yield* findSetAside(maxRowsPerStatement, figures);
  const added: NewFigure[] = [];
  const isNew = figures.map((figure, index) => {
    const last = lasts[index];
    const { rate, validUntil } = figure;
    if (last === undefined || setAside.has(figure)) return false;
    if (last.rate === rate && last.validUntil === validUntil) return false;
    last.revision += 1;
    Object.assign(last, { rate, validUntil });
    added.push({ figure, revision: last.revision });
    return true;
  });
  return { isNew, added };
}

/** @returns for each figure what its series has of its date and time, shared by equal ones. */
function* readLasts(
  maxRowsPerStatement: number,
  figures: readonly Figure[],
): Transaction<readonly DatedFigure[]> {
  const byKey = new Map<string, DatedFigure>();
  const ofFigures = figures.map((figure) => {
    const { base, quote, source, kind, date, asOf } = figure;
    const key = `${base} ${quote} ${source} ${kind} ${date} ${asOf}`;
    const known = byKey.get(key) ?? { figure, revision: 0, rate: undefined, validUntil: undefined };
    if (known.figure === figure) byKey.set(key, known);
    return known;
  });
  for (const some of chunksOf([...byKey.values()], maxRowsPerStatement)) {
    const wanted: string[] = [];
    for (const { figure } of some) {
      const { base, quote, source, kind, date, asOf } = figure;
      wanted.push(base, quote, source, kind, date, asOf);
    }
    const rows: Row[] = yield statement(revisionsOf(some.length), ...wanted);
    for (const row of rows) setLast(some[integerOf(row, "number")], row);
  }
  return ofFigures;
}

function setLast(known: DatedFigure | undefined, row: Row): void {
  if (known === undefined) throw new Error(`the figure ${row.number} is none of the wanted ones`);
  const revision = integerOf(row, "revision");
  if (revision < known.revision) return;
  known.revision = revision;
  known.rate = textOf(row, "rate");
  known.validUntil = optionalTextOf(row, "valid_until");
}

export function figureStore(engine: Engine): FigureStore {
  return {
    addFigures: (figures, publication, now) =>
      engine.transaction(function* () {
        const id = yield* storePublication(publication);
        const isNew = yield* addFigures(engine.maxRowsPerStatement, figures, id, now);
        if (isNew.includes(true)) yield settleContradictions(id);
        return { isNew, publication: id };
      }, RATES_LOCK),
  };
}

// The publication of an import that has not read its file to the end has no hash: what it stored is
// unproven.
const IS_UNPROVEN =
  "publication IN (SELECT publication FROM publication_documents WHERE hash IS NULL)";

// Seldom any: every transaction of an import asks. All figures of such an import have one source.
const HAS_UNPROVEN = `
  SELECT 1 FROM publication_documents d WHERE hash IS NULL AND publication <> $2
    AND (SELECT source FROM figures f WHERE f.publication = d.publication LIMIT 1) = $1 LIMIT 1`;

const tables = Object.entries({ figures: FIGURE_KEY, observations: "base, quote, sequence" }).map(
  ([table, columns]) => {
    const key = columns.split(", ");
    return {
      key,
      unproven: `
        SELECT * FROM ${table} WHERE base = $1 AND quote = $2 AND source = $3
          AND as_of >= $4 AND as_of <= $5 AND publication <> $6 AND ${IS_UNPROVEN}`,
      claim: `
        UPDATE ${table} SET publication = $1, line = $2
        WHERE ${key.map((column, index) => `${column} = $${index + 3}`).join(" AND ")}`,
    };
  },
);

/**
 * Gives the figures that other imports of the source stored, and did not prove, to the publication
 * of an import that states them too. One that has ended keeps its own.
 */
export function* claimUnproven(
  rates: readonly SourcedRate[],
  publication: number,
): Transaction<void> {
  const source = rates[0]?.source ?? "";
  if ((yield statement(HAS_UNPROVEN, source, publication)).length === 0) return;
  for (const some of Map.groupBy(rates, pairName).values()) {
    const [{ base, quote } = { base: "", quote: "" }] = some;
    const lines = new Map(some.map(({ asOf, rate, line }) => [`${asOf} ${rate}`, line]));
    const times = some.map(({ asOf }) => asOf).sort();
    const range = [times[0] ?? "", times.at(-1) ?? ""];
    for (const { key, unproven, claim } of tables) {
      const rows = yield statement(unproven, base, quote, source, ...range, publication);
      for (const row of rows) {
        const line = lines.get(`${row.as_of} ${row.rate}`);
        const values = key.map((column) => row[column] as SqlValue);
        if (line !== undefined) yield statement(claim, publication, line, ...values);
      }
    }
  }
}
