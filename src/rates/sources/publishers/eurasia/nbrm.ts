import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the list of the National Bank of North Macedonia (nbrm.mk, KLServiceNOV/GetExchangeRate):
 * the denars per `nomin` units of a currency on the day `datum`.
 */
export const parseNbrm: Parse = ([response], momentOf) =>
  requireList(parseJsonText(response), "the response").map((row) => {
    const { oznaka, nomin, sreden, datum } = membersOf(row);
    const base = textOf(oznaka);
    const rate = textOf(sreden);
    const asOf = momentOf(withoutMidnight(textOf(datum)));
    return lineOfUnits(textOf(nomin), { base, quote: "MKD", rate, asOf });
  });
