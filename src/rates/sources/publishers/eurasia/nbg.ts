import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the National Bank of Georgia's official rates (nbg.gov.ge, monetarypolicy/currencies): the
 * lari per `quantity` units of a currency, in effect from `validFromDate` on.
 */
export const parseNbg: Parse = ([response], momentOf) => {
  return requireList(parseJsonText(response), "the response").flatMap((day) =>
    requireList(membersOf(day).currencies, "currencies").map((entry) => {
      const { code, quantity, rate, validFromDate } = membersOf(entry);
      return lineOfUnits(textOf(quantity), {
        base: textOf(code),
        quote: "GEL",
        rate: textOf(rate),
        asOf: momentOf(withoutMidnight(textOf(validFromDate))),
      });
    }),
  );
};
