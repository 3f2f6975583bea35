import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the National Bank of Ukraine's official rates (bank.gov.ua, NBU_Exchange/exchange_site):
 * the hryvnias per `units` units of a currency on the day `exchangedate`.
 */
export const parseNbu: Parse = ([response], momentOf) =>
  requireList(parseJsonText(response), "the response").map((row) => {
    const { exchangedate, cc, rate, units } = membersOf(row);
    return lineOfUnits(textOf(units), {
      base: textOf(cc),
      quote: "UAH",
      rate: textOf(rate),
      asOf: momentOf(isoDateOf(textOf(exchangedate))),
    });
  });
