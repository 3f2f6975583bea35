import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the National Bank of the Republic of Belarus's official rates of a day (api.nbrb.by,
 * exrates/rates): the rubles per `Cur_Scale` units of a currency.
 */
export const parseNbrb: Parse = ([response], momentOf) => {
  return requireList(parseJsonText(response), "the response").map((entry) => {
    const row = membersOf(entry);
    return lineOfUnits(textOf(row.Cur_Scale), {
      base: textOf(row.Cur_Abbreviation),
      quote: "BYN",
      rate: textOf(row.Cur_OfficialRate),
      asOf: momentOf(withoutMidnight(textOf(row.Date))),
    });
  });
};
