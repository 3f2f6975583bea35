import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Parse, ParseError, type ToInstant } from "../publisher.ts";

/**
 * Reads Narodowy Bank Polski's tables of middle rates (api.nbp.pl, api/exchangerates/tables): the
 * zlotys per unit of a currency. Each table has its own `effectiveDate`.
 */
export const parseNbp: Parse = (responses, momentOf) =>
  responses.flatMap((response, place) => {
    const lines = requireList(parseJsonText(response), "the response").flatMap((table) =>
      linesOfTable(membersOf(table), momentOf),
    );
    // Without this check, the other table would hide that this one is empty.
    if (lines.length === 0) throw new ParseError("no rates in the response: a table is empty");
    return lines.map((line) => ({ ...line, place }));
  });

function linesOfTable(
  { effectiveDate, rates }: Readonly<Record<string, unknown>>,
  momentOf: ToInstant,
): ReturnType<Parse> {
  const asOf = momentOf(textOf(effectiveDate) ?? "");
  if (asOf === undefined) {
    throw new ParseError("the layout has changed: effectiveDate is not a date");
  }
  return requireList(rates, "rates").map((entry) => {
    const { code, mid } = membersOf(entry);
    const base = textOf(code);
    return lineOf({ base, quote: "PLN", rate: textOf(mid), asOf });
  });
}
