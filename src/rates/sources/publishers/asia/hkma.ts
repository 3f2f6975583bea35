import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/** Columns without a rate: currencies that became the euro, and indices. */
const CURRENCY = /^[a-z]{3}$/;

/**
 * Reads the Hong Kong Monetary Authority's closing middle rates (api.hkma.gov.hk, er-eeri-daily):
 * the Hong Kong dollars per unit of a currency, a column each, on the day `end_of_day`.
 */
export const parseHkma: Parse = ([response], momentOf) => {
  const { records } = membersOf(membersOf(parseJsonText(response)).result);
  return requireList(records, "records").flatMap((record) => {
    const { end_of_day: date, ...columns } = membersOf(record);
    const asOf = momentOf(textOf(date) ?? "");
    return Object.entries(columns).flatMap(([column, value]) => {
      const base = column.toUpperCase();
      // A currency that has ended, or has no rate yet, is null.
      if (!CURRENCY.test(column) || value === null) return [];
      return [lineOf({ base, quote: "HKD", rate: textOf(value), asOf })];
    });
  });
};
