import { quoted } from "../../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, placesOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the National Bank of Ukraine's official rates (bank.gov.ua, NBU_Exchange/exchange): the
 * hryvnias per `Units` units of a currency, from the `StartDate` on.
 */
export const parseNbu: Parse = ([response], momentOf) =>
  requireList(parseJsonText(response), "the response").map((row) => {
    const { StartDate, CurrencyCodeL, Units, Amount } = membersOf(row);
    const base = textOf(CurrencyCodeL);
    const rate = textOf(Amount);
    const asOf = momentOf(isoDateOf(textOf(StartDate)));
    const what = `the rate of ${quoted(base)}`;
    return lineOfUnits(what, placesOfUnits(textOf(Units)), { base, quote: "UAH", rate, asOf });
  });
