import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/** Listed among the currencies, but a measure of liquidity. */
const LIQUIDITY = "LIQ";

/**
 * Reads the Monetary Authority of Macao's middle rates (amcm.gov.mo, financial_info): the patacas
 * per `unit` units of a currency, which it writes as `100.0`, in the member `usdMean`.
 */
export const parseAmcm: Parse = ([response], momentOf) => {
  const { data } = membersOf(parseJsonText(response));
  return requireList(data, "data").flatMap((row) => {
    const { currency, unit, usdMean, date } = membersOf(row);
    const base = textOf(currency);
    if (base === LIQUIDITY) return [];
    const asOf = momentOf(textOf(date)?.replace(/ 00:00:00$/, "") ?? "");
    const units = textOf(unit)?.replace(/\.0$/, "");
    return [lineOfUnits(units, { base, quote: "MOP", rate: textOf(usdMean), asOf })];
  });
};
