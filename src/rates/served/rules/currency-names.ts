import { cryptocurrencyNames, knownSymbols } from "./known-symbols.ts";

let names: ReadonlyMap<string, string> | undefined;

/** The currencies of ISO 4217 that an exchange of cryptocurrencies trades, by its source. */
const moneyAt: ReadonlyMap<string, readonly string[]> = new Map([
  ["kraken", ["AUD", "CAD", "CHF", "EUR", "GBP", "JPY", "USD"]],
]);

/**
 * The English name of a currency, as Unicode CLDR has it, or of a well-known cryptocurrency.
 *
 * @param source decides: MNT is the Tugrik at a bank, and Mantle at an exchange.
 * @returns undefined for a symbol without a known name.
 */
export function currencyName(symbol: string, source: string): string | undefined {
  if (moneyAt.get(source)?.includes(symbol) === false) return cryptocurrencyNames.get(symbol);
  names ??= new Map([...cryptocurrencyNames, ...currencyNames()]);
  return names.get(symbol);
}

/** Listed once: asking for each symbol of 100,000 pairs took 40 ms. */
function* currencyNames(): Generator<readonly [code: string, name: string]> {
  const english = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
  for (const symbol of knownSymbols) {
    // Anything else cannot be a code of ISO 4217, and throws.
    const name = /^[A-Z]{3}$/.test(symbol) ? english.of(symbol) : undefined;
    if (name !== undefined) yield [symbol, name];
  }
}
