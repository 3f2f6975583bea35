import { quoted } from "../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "./json-text.ts";
import type { Answer, SourceLine, ToInstant } from "./publisher.ts";
import { lineOf } from "./source-lines.ts";

const SERIES = /^FX([A-Z]{3})([A-Z]{3})$/;

/**
 * Reads the Bank of Canada's daily rates (Valet API, group FX_RATES_DAILY): one observation per
 * day, in which the series FXUSDCAD has the Canadian dollars per US dollar as a string in `v`.
 */
export function parseBoc([answer]: readonly Answer[], momentOf: ToInstant): readonly SourceLine[] {
  const { observations } = membersOf(parseJsonText(answer));
  return requireList(observations, "observations").flatMap((observation) => {
    const { d: date, ...series } = membersOf(observation);
    const asOf = momentOf(textOf(date) ?? "");
    return Object.entries(series).map(([name, value]) => {
      const [, base, quote] = SERIES.exec(name) ?? [];
      return lineOf(`the series ${quoted(name)}`, {
        base,
        quote,
        rate: textOf(membersOf(value).v),
        asOf,
      });
    });
  });
}
