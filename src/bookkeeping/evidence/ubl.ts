import type { Evidence } from "./format.ts";
import { escaped } from "./markup.ts";

const NAMESPACE = "urn:oasis:names:specification:ubl:schema:xsd";

/**
 * The figure as a UBL 2.1 document has it: ExchangeRateType of
 * UBL-CommonAggregateComponents-2.1.xsd (OASIS, 4 November 2013), its elements in the order of
 * that schema. "Multiply" is the code in OASIS's UBL-Waybill-2.0-Example-International.xml.
 */
export function taxExchangeRate(evidence: Evidence): string {
  const { base, quote, rate, source, published_for: date } = evidence;
  const elements = [
    ["SourceCurrencyCode", base],
    ["SourceCurrencyBaseRate", "1"],
    ["TargetCurrencyCode", quote],
    ["TargetCurrencyBaseRate", "1"],
    ["ExchangeMarketID", source],
    ["CalculationRate", rate],
    ["MathematicOperatorCode", "Multiply"],
    ["Date", date],
  ] as const;
  const lines = elements.map(([name, text]) => `  <cbc:${name}>${escaped(text)}</cbc:${name}>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<cac:TaxExchangeRate",
    `    xmlns:cac="${NAMESPACE}:CommonAggregateComponents-2"`,
    `    xmlns:cbc="${NAMESPACE}:CommonBasicComponents-2">`,
    ...lines,
    "</cac:TaxExchangeRate>",
    "",
  ].join("\n");
}
