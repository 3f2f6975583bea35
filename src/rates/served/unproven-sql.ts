import { type SqlValue, statement, type Transaction } from "../../platform/storage/engine.ts";
import { pairName } from "./rules/symbol.ts";
import type { SourcedRate } from "./rules/update-policy.ts";
import { FIGURE_KEY } from "./update-statements-sql.ts";

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
