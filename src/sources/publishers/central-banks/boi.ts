import type { SourceLine } from "../../../rates/rules/rate.ts";
import { parseInstant } from "../../../shared/instant.ts";
import { quoted } from "../../../shared/text/visible-text.ts";
import { lineOfUnits, placesOfUnits } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import type { PublisherResponse } from "../publisher.ts";

/** Reads the Bank of Israel's representative rates: the shekels for `Unit` units of a currency. */
export function parseBoi([response]: readonly PublisherResponse[]): readonly SourceLine[] {
  const document = parseXmlText(response, "ExchangeRatesResponseCollectioDTO");
  return elementsAt(document, "ExchangeRates", "ExchangeRateResponseDTO").map((entry) => {
    const base = textAt(entry, "Key");
    return lineOfUnits(`the rate of ${quoted(base)}`, placesOfUnits(textAt(entry, "Unit")), {
      base,
      quote: "ILS",
      rate: textAt(entry, "CurrentExchangeRate"),
      asOf: parseInstant(textAt(entry, "LastUpdate") ?? ""),
    });
  });
}
