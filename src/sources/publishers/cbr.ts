import { SaxesParser } from "saxes";
import type { SourceLine } from "../../rates/rules/rate.ts";
import { quoted } from "../../shared/text/visible-text.ts";
import { lineOfUnits, placesOfUnits } from "./formats/source-lines.ts";
import { ParseError, type PublisherResponse, type ToInstant } from "./publisher.ts";

/** The elements of a Valute, which describes one currency: text by name. */
type Valute = Record<string, string>;

/**
 * Reads the Bank of Russia's official rates (cbr.ru, scripts/XML_daily.asp), in windows-1251: the
 * rubles, with a decimal comma, per `Nominal` units of a currency, from the `Date` on.
 */
export function parseCbr(
  [response]: readonly PublisherResponse[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  const { date, valutes } = readDocument(new TextDecoder("windows-1251").decode(response?.body));
  const [, day, month, year] = /^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$/.exec(date) ?? [];
  const asOf = momentOf(`${year}-${month}-${day}`);
  if (asOf === undefined) {
    throw new ParseError(
      `the layout has changed: the Date ${quoted(date)} is not as in 25.04.2026`,
    );
  }
  return valutes.map(({ CharCode, Name, Nominal, Value = "" }) => {
    const what = `the rate of ${quoted(CharCode)} (${quoted(Name)})`;
    if (!/^[0-9]+(,[0-9]+)?$/.test(Value)) {
      return { reason: `${what}: ${quoted(Value)} is not a number with a decimal comma` };
    }
    const rate = Value.replace(",", ".");
    return lineOfUnits(what, placesOfUnits(Nominal), { base: CharCode, quote: "RUB", rate, asOf });
  });
}

function readDocument(text: string): { readonly date: string; readonly valutes: Valute[] } {
  const parser = new SaxesParser();
  const valutes: Valute[] = [];
  const path: string[] = [];
  let date = "";
  let content = "";
  // Entities are declared in a document type, which the bank's file does not have.
  parser.on("doctype", () => parser.fail("it has a document type declaration"));
  parser.on("opentag", ({ name, attributes }) => {
    path.push(name);
    content = "";
    if (path[0] !== "ValCurs") parser.fail(`its root is ${quoted(name)}, not ValCurs`);
    if (path.length === 1) date = attributes.Date ?? "";
    if (path.join("/") === "ValCurs/Valute") valutes.push({});
  });
  parser.on("text", (part) => {
    content += part;
  });
  parser.on("closetag", ({ name }) => {
    const valute = valutes.at(-1);
    if (valute !== undefined && path.length === 3 && path[1] === "Valute") valute[name] = content;
    path.pop();
  });
  try {
    parser.write(text).close();
  } catch (error) {
    const fault = error instanceof Error ? error.message : "";
    throw new ParseError(`the document cannot be read: ${fault.slice(0, 200)}`, error);
  }
  return { date, valutes };
}
