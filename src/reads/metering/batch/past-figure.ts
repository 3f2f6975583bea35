import type { Decimal } from "../../../platform/shared/decimal.ts";
import type { Instant } from "../../../platform/shared/instant.ts";
import type { PastFigure } from "../../../rates/served/rules/past.ts";
import type { Pair } from "../../../rates/served/rules/symbol.ts";

/** A figure as both engines find it. */
export interface PastFigureRow {
  readonly rate: Decimal;
  readonly as_of: Instant;
  readonly source: string;
  readonly date: string;
  readonly hash: string | null;
}

/** The SQL of what a search for a figure compares: a series, what is served, and what is asked. */
type Values = Readonly<
  Record<"base" | "quote" | "source" | "kind" | "asOf" | "rate" | "latest" | "date", string>
>;

/**
 * Finds the last figure of a series by its time or by its publisher's date, which may have an
 * order of their own in an import. What is held for the operator is later than what is served, or
 * an amendment of it: neither is found. An inequality with the served time would lead SQLite to
 * search from there.
 *
 * @param values the SQL of each value; `latest` is no later than what is served.
 */
export function lastFigure(order: "time" | "date", values: Values): string {
  const { base, quote, source, kind, asOf, rate, latest, date } = values;
  const ofSeries = `base = ${base} AND quote = ${quote} AND source = ${source} AND kind = ${kind}`;
  const [isEarly, sorted] =
    order === "time" ? ["", "as_of DESC"] : [`AND date <= ${date}`, "date DESC, as_of DESC"];
  return `
    SELECT f.rate, f.as_of, f.source, f.date, d.hash
    FROM (
      SELECT * FROM figures WHERE ${ofSeries} AND as_of <= ${latest} ${isEarly}
        AND NOT (as_of = ${asOf} AND rate <> ${rate})
      ORDER BY ${sorted}, revision DESC LIMIT 1
    ) f
    LEFT JOIN publication_documents d ON d.publication = f.publication AND d.place = f.place`;
}

export function pastFigureOf({ base, quote }: Pair, row: PastFigureRow): PastFigure {
  const { rate, as_of: asOf, source, date, hash } = row;
  return { base, quote, rate, asOf, source, date, document: hash ?? undefined };
}
