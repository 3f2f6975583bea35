import { instantAt } from "../../../../platform/shared/instant.ts";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Parse, ParseError, type PublisherResponse } from "../publisher.ts";

/** Kraken's own symbols, with the common ones. */
const SYMBOLS = new Map([
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
    const { status, wsname } = membersOf(entry);
    if (status !== "online") return [];
    const { c: lastTrade } = membersOf(prices[name]);
    const [base, quote] = textOf(wsname)?.split("/") ?? [];
    const stated = {
      base: SYMBOLS.get(base ?? "") ?? base,
      quote: SYMBOLS.get(quote ?? "") ?? quote,
      rate: Array.isArray(lastTrade) ? textOf(lastTrade[0]) : undefined,
      asOf,
    };
    return { ...lineOf(stated, name), place: PLACE_OF_TICKER };
  });
};

function resultOf(response: PublisherResponse | undefined): Readonly<Record<string, unknown>> {
  const { error, result } = membersOf(parseJsonText(response));
  const errors = requireList(error, "error");
  if (errors.length > 0) throw new ParseError(`Kraken reports ${quoted(errors.join(", "))}`);
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw new ParseError("the layout has changed: result is not an object");
  }
  return membersOf(result);
}
