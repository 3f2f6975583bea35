import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads Bank Negara Malaysia's rates (api.bnm.gov.my, exchange-rate): the ringgit per `unit` units
 * of a currency. The bank writes a number as computers keep it, as in 4.2244000000000002 for
 * 4.2244: it is kept as it is.
 */
export const parseBnm: Parse = ([response], momentOf) => {
  const { data } = membersOf(parseJsonText(response));
  return requireList(data, "data").flatMap((row) => {
    const { currency_code: code, unit, rate } = membersOf(row);
    const base = code === "SDR" ? "XDR" : textOf(code);
    const members = membersOf(rate);
    const asOf = momentOf(textOf(members.date) ?? "");
    return (["middle", "buying", "selling"] as const).flatMap((kind) => {
      const stated = members[`${kind}_rate`];
      // The SDR is neither bought nor sold.
      if (stated === null) return [];
      const figure = { base, quote: "MYR", rate: textOf(stated), asOf };
      return [{ ...lineOfUnits(textOf(unit), figure), kind }];
    });
  });
};
