import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the Central Bank of Uzbekistan's official rates (cbu.uz, arkhiv-kursov-valyut/json): the
 * sums per `Nominal` units of a currency, from the `Date` on.
 */
export const parseCbu: Parse = ([response], momentOf) =>
  requireList(parseJsonText(response), "the response").map((row) => {
    const { Ccy, Nominal, Rate, Date: date } = membersOf(row);
    const base = textOf(Ccy);
    const rate = textOf(Rate);
    const asOf = momentOf(isoDateOf(textOf(date)));
    return lineOfUnits(textOf(Nominal), { base, quote: "UZS", rate, asOf });
  });
