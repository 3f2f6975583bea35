import {
  integerOf,
  optionalIntegerOf,
  optionalTextOf,
  textOf,
} from "../../platform/storage/columns.ts";
import type { Engine, Row, SqlValue } from "../../platform/storage/engine.ts";
import type { FigureKind } from "../../rates/served/figures.ts";
import type { AssetSymbol } from "../../rates/served/rules/symbol.ts";
import { readSourcedRate } from "../../rates/served/update-sql.ts";
import type {
  ExportedFigure,
  ExportReads,
  ListedDocument,
  SelectedFigures,
  SelectedPublications,
} from "./store.ts";

/** Every date is between these texts. */
const WHOLE_RANGE = { from: "", to: "~" };

/**
 * The condition of selected figures, and its parameters, without the first of the pairs: the one
 * lower bound of the key is the place after which a page begins, so that every page is one search.
 */
function selection({ source, kind, exceptions, pairs, from, to }: SelectedFigures) {
  const values: SqlValue[] = [];
  const parameter = (value: SqlValue) => `$${values.push(value)}`;
  const dates = [from ?? WHOLE_RANGE.from, to ?? WHOLE_RANGE.to].map(parameter);
  const cases = exceptions.map(
    ([other, itsKind]) => `WHEN f.source = ${parameter(other)} THEN ${parameter(itsKind)}`,
  );
  const wantedKind =
    cases.length === 0 ? parameter(kind) : `CASE ${cases.join(" ")} ELSE ${parameter(kind)} END`;
  const wantedSource =
    source === undefined
      ? `EXISTS (
          SELECT 1 FROM rates r
          WHERE r.base = f.base AND r.quote = f.quote AND r.source = f.source)`
      : `f.source = ${parameter(source)}`;
  const last = [pairs.last.base, pairs.last.quote].map(parameter);
  const condition = `(f.base, f.quote) <= (${last.join(", ")})
    AND f.date >= ${dates[0]} AND f.date <= ${dates[1]}
    AND f.kind = ${wantedKind} AND ${wantedSource}`;
  return { condition, values, parameter };
}

/** The condition of selected publications, whose parameters are the first ones. */
const selectPublications = ({ date }: SelectedPublications) =>
  date === undefined
    ? "p.source = $1"
    : `p.id IN (SELECT f.publication FROM figures f WHERE f.source = $1 AND f.date = $2)`;

const selectionValues = ({ source, date }: SelectedPublications) =>
  date === undefined ? [source] : [source, date];

export function exportReads(engine: Engine): ExportReads {
  return {
    async figures(selected, after, limit) {
      const { condition, values, parameter } = selection(selected);
      const { base, quote, source, kind, date, asOf, revision } = after;
      const place = [base, quote, source, kind, date, asOf, revision].map(parameter).join(", ");
      const rows = await engine.query(
        `SELECT f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.revision, f.rate,
          f.valid_until
        FROM figures f
        WHERE (f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.revision) > (${place})
          AND ${condition}
        ORDER BY f.base, f.quote, f.source, f.kind, f.date, f.as_of, f.revision
        LIMIT ${parameter(limit)}`,
        ...values,
      );
      return rows.map(toExportedFigure);
    },

    async pairs(selected) {
      const { condition, values, parameter } = selection(selected);
      const first = [selected.pairs.first.base, selected.pairs.first.quote].map(parameter);
      const rows = await engine.query(
        `SELECT f.base, f.quote FROM figures f
        WHERE (f.base, f.quote) >= (${first.join(", ")}) AND ${condition}
        GROUP BY f.base, f.quote ORDER BY f.base, f.quote`,
        ...values,
      );
      return rows.map((row) => ({
        base: textOf(row, "base") as AssetSymbol,
        quote: textOf(row, "quote") as AssetSymbol,
      }));
    },

    async documents(selected, { publication, number }, limit) {
      const values = selectionValues(selected);
      const [id, place, most] = [1, 2, 3].map((more) => `$${values.length + more}`);
      const rows = await engine.query(
        `SELECT p.id, d.place, d.name, d.received_at, d.hash, d.bytes FROM publications p
        JOIN publication_documents d ON d.publication = p.id
        WHERE ${selectPublications(selected)} AND (p.id, d.place) > (${id}, ${place})
        ORDER BY p.id, d.place LIMIT ${most}`,
        ...values,
        ...[publication, number - 1, limit],
      );
      return rows.map(toListedDocument);
    },

    async newest(selected) {
      const [row] = await engine.query(
        `SELECT max(p.id) AS id, count(*) AS publications FROM publications p
        WHERE ${selectPublications(selected)}`,
        ...selectionValues(selected),
      );
      const publication = optionalIntegerOf(row ?? {}, "id");
      if (publication === undefined) return undefined;
      return { publication, count: integerOf(row ?? {}, "publications") };
    },
  };
}

function toExportedFigure(row: Row): ExportedFigure {
  return {
    ...readSourcedRate(row),
    // The schema allows no other.
    kind: textOf(row, "kind") as FigureKind,
    date: textOf(row, "date"),
    revision: integerOf(row, "revision"),
    validUntil: optionalTextOf(row, "valid_until"),
  };
}

function toListedDocument(row: Row): ListedDocument {
  return {
    publication: integerOf(row, "id"),
    number: integerOf(row, "place") + 1,
    name: textOf(row, "name"),
    receivedAt: textOf(row, "received_at"),
    hash: optionalTextOf(row, "hash"),
    bytes: optionalIntegerOf(row, "bytes"),
  };
}
