import { lineOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the Swiss National Bank's feed of exchange rates (snb.ch, public/en/rss/exchangeRates) of
 * several days: the francs for a unit or, by `unit_mult`, 100 of the "target currency". Although
 * the feed names the franc the base, 0.9378 is what a euro costs.
 */
export const parseSnb: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "rss");
  const path = ["channel", "item", "cb:statistics", "cb:exchangeRate"];
  return elementsAt(document, ...path).map((item) => {
    return lineOfUnits(unitsOf(textAt(item, "cb:observation", "cb:unit_mult")), {
      base: textAt(item, "cb:targetCurrency"),
      quote: textAt(item, "cb:observation", "cb:unit"),
      rate: textAt(item, "cb:observation", "cb:value"),
      asOf: momentOf(textAt(item, "cb:observationPeriod", "cb:period") ?? ""),
    });
  });
};

/** `1` stands for one unit, and -2 for 10 to the power of 2. */
function unitsOf(unitMultiplier = ""): string | undefined {
  if (unitMultiplier === "1") return "1";
  if (!/^-[1-9]$/.test(unitMultiplier)) return undefined;
  return "1".padEnd(1 - Number.parseInt(unitMultiplier, 10), "0");
}
