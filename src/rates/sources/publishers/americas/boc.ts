import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

const SERIES = /^FX([A-Z]{3})([A-Z]{3})$/;

/**
 * Reads the Bank of Canada's daily rates (Valet API, group FX_RATES_DAILY): one observation per
 * day, in which the series FXUSDCAD has the Canadian dollars per US dollar as a string in `v`.
 */
export const parseBoc: Parse = ([response], momentOf) => {
  const { observations } = membersOf(parseJsonText(response));
  return requireList(observations, "observations").flatMap((observation) => {
    const { d: date, ...series } = membersOf(observation);
    const asOf = momentOf(textOf(date) ?? "");
    return Object.entries(series).map(([name, value]) => {
      const [, base, quote] = SERIES.exec(name) ?? [];
      return lineOf({ base, quote, rate: textOf(membersOf(value).v), asOf }, name);
    });
  });
};
