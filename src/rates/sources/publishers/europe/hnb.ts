import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { decimalOfComma } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/** The figures of a row, of which the bank's middle rate is the one that is served. */
const COLUMNS = [
  ["srednji_tecaj", "middle"],
  ["kupovni_tecaj", "buying"],
  ["prodajni_tecaj", "selling"],
] as const;

/**
 * Reads the Croatian National Bank's list (api.hnb.hr, tecajn-eur/v3): what one euro costs in a
 * currency, with a decimal comma, from the date `datum_primjene` on.
 */
export const parseHnb: Parse = ([response], momentOf) =>
  requireList(parseJsonText(response), "the response").flatMap((row) => {
    const members = membersOf(row);
    const quote = textOf(members.valuta);
    const asOf = momentOf(textOf(members.datum_primjene) ?? "");
    return COLUMNS.map(([column, kind]) => {
      const rate = decimalOfComma(textOf(members[column]));
      return { ...lineOf({ base: "EUR", quote, rate, asOf }), kind };
    });
  });
