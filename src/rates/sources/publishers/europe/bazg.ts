import type { SourceLine } from "../../../served/rules/rate.ts";
import { isoDateOf, lastDayOf } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt, type XmlElement } from "../formats/xml-text.ts";
import { type Parse, ParseError } from "../publisher.ts";

/**
 * Reads the Swiss customs office's selling rates of a day (backend-rates.bazg.admin.ch, xmldaily):
 * the francs for the units that `waehrung` states. They are set on `datum`, and are valid on the
 * days of `gueltigkeit`, which begin with the next one.
 */
export const parseBazg: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "wechselkurse");
  const days = (textAt(document, "gueltigkeit") ?? "").split(",").map(isoDateOf).sort();
  const asOf = momentOf(days[0] ?? "");
  const validUntil = days.at(-1);
  if (asOf === undefined || validUntil === undefined) {
    throw new ParseError("the layout has changed: gueltigkeit has no date as in 25.04.2026");
  }
  return linesOf(document, { asOf, validUntil });
};

/**
 * Reads the average of those rates that is valid for a month (xmlavgmonth), its `monat`: by the
 * tax administration, that of the days until the 24th of the month before.
 */
export const parseBazgMonth: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "monatsmittelkurs");
  const month = textAt(document, "monat") ?? "";
  const asOf = momentOf(`${month}-01`);
  const validUntil = lastDayOf(month);
  if (asOf === undefined || validUntil === undefined) {
    throw new ParseError("the layout has changed: monat is not as in 2026-04");
  }
  return linesOf(document, { asOf, validUntil });
};

function linesOf(
  document: XmlElement,
  valid: Pick<Parameters<typeof lineOfUnits>[1], "asOf"> & { readonly validUntil: string },
): readonly SourceLine[] {
  const { asOf, validUntil } = valid;
  return elementsAt(document, "devise").map((element) => {
    const [units, base] = (textAt(element, "waehrung") ?? "").split(" ");
    const rate = textAt(element, "kurs");
    const stated = { base, quote: "CHF", rate, asOf };
    const line = lineOfUnits(units, stated);
    return { ...line, kind: "selling", validUntil };
  });
}
