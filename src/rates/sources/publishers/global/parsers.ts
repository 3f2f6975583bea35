import { instantAt } from "../../../../platform/shared/instant.ts";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import type { SourceLine } from "../../../served/rules/rate.ts";
import { listAt, membersOf, parseJsonText, textOf, textsOf } from "../formats/json-text.ts";
import { codesByName, decimalWithoutCommas, isoDateOfMonthFirst } from "../formats/notation.ts";
import { lineOf, unknownCurrency, utf8TextOf } from "../formats/source-lines.ts";
import { type Parse, ParseError, type PublisherResponse, type ToInstant } from "../publisher.ts";

/** The Fund's names of currencies in its tables of 2021 to 2026. */
export const fundCurrencies = codesByName(`
  AED U.A.E. dirham, AUD Australian dollar, BND Brunei dollar, BRL Brazilian real,
  BWP Botswana pula, CAD Canadian dollar, CHF Swiss franc, CLP Chilean peso, CNY Chinese yuan,
  COP Colombian peso, CZK Czech koruna, DKK Danish krone, DZD Algerian dinar, EUR Euro,
  GBP U.K. pound, ILS Israeli New Shekel, INR Indian rupee, JPY Japanese yen, KRW Korean won,
  KWD Kuwaiti dinar, MUR Mauritian rupee, MXN Mexican peso, MYR Malaysian ringgit,
  NOK Norwegian krone, NZD New Zealand dollar, OMR Omani rial, PEN Peruvian sol,
  PHP Philippine peso, PLN Polish zloty, QAR Qatari riyal, RUB Russian ruble,
  SAR Saudi Arabian riyal, SEK Swedish krona, SGD Singapore dollar, THB Thai baht,
  TTD Trinidadian dollar, USD U.S. dollar, UYU Uruguayan peso, ZAR South African rand`);

const SDR = "XDR";

/**
 * Reads the International Monetary Fund's two tables of the last five days (imf.org,
 * rms_five.aspx): the special drawing rights for one unit of a currency, and the units of a
 * currency for one special drawing right, both as the Fund states them.
 */
export const parseImf: Parse = ([response], momentOf) => {
  const text = utf8TextOf(response?.body);
  // The note after the last table: without it, the response may be cut short.
  if (!text.includes("of each national currency, rounded to six significant digits.")) {
    throw new ParseError("the body is cut short: its last note is missing");
  }
  let title = "";
  let times: readonly ReturnType<ToInstant>[] = [];
  const lines: SourceLine[] = [];
  for (const row of text.split("\n")) {
    const [name = "", ...cells] = row.split("\t");
    if (cells.length === 0) title = name === "" ? title : name;
    else if (name === "Currency") times = cells.map((date) => momentOf(isoDateOfMonthFirst(date)));
    else lines.push(...readImfRow(title, name, cells, times));
  }
  return lines;
};

function readImfRow(
  title: string,
  name: string,
  cells: readonly string[],
  times: readonly ReturnType<ToInstant>[],
): readonly SourceLine[] {
  const currency = fundCurrencies.get(name);
  if (currency === undefined) return [unknownCurrency(name)];
  const isPerSdr = title.startsWith("Currency units per SDR");
  if (!isPerSdr && !title.startsWith("SDRs per Currency unit")) {
    throw new ParseError(`the layout has changed: a table is named ${quoted(title)}`);
  }
  const pair = isPerSdr ? { base: SDR, quote: currency } : { base: currency, quote: SDR };
  return cells.flatMap((cell, column) => {
    // A rate that no central bank reported for the day.
    if (cell.trim() === "" || cell === "NA") return [];
    return [lineOf({ ...pair, rate: decimalWithoutCommas(cell), asOf: times[column] })];
  });
}

/** Kraken's own symbols, with the common ones. */
const KRAKEN_SYMBOLS = new Map([
  ["XBT", "BTC"],
  ["XDG", "DOGE"],
]);

/** The Ticker is the second address. */
const PLACE_OF_TICKER = 1;

/**
 * Reads the Kraken exchange's AssetPairs and its Ticker (docs.kraken.com, "Get Tradable Asset
 * Pairs", "Get Ticker Information"): for each pair that is online, the price of the last trade, as
 * of the time of the response.
 */
export const parseKraken: Parse = ([pairs, ticker]) => {
  const prices = resultOf(ticker);
  const asOf = instantAt(ticker?.receivedMs ?? 0);
  return Object.entries(resultOf(pairs)).flatMap(([name, entry]) => {
    const { status, wsname } = textsOf(entry);
    if (status !== "online") return [];
    const { c: lastTrade } = membersOf(prices[name]);
    const [base, quote] = wsname?.split("/") ?? [];
    const stated = {
      base: KRAKEN_SYMBOLS.get(base ?? "") ?? base,
      quote: KRAKEN_SYMBOLS.get(quote ?? "") ?? quote,
      rate: Array.isArray(lastTrade) ? textOf(lastTrade[0]) : undefined,
      asOf,
    };
    return { ...lineOf(stated, name), place: PLACE_OF_TICKER };
  });
};

function resultOf(response: PublisherResponse | undefined): Readonly<Record<string, unknown>> {
  const body = parseJsonText(response);
  const errors = listAt(body, "error");
  if (errors.length > 0) throw new ParseError(`Kraken reports ${quoted(errors.join(", "))}`);
  const { result } = membersOf(body);
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw new ParseError("the layout has changed: result is not an object");
  }
  return membersOf(result);
}
