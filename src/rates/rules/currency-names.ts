import { cryptocurrencyNames } from "./known-symbols.ts";

let currencies: Intl.DisplayNames | undefined;

/**
 * The English name of a currency, as Unicode CLDR has it, or of a well-known cryptocurrency.
 *
 * @returns undefined for a symbol without a known name.
 */
export function currencyName(symbol: string): string | undefined {
  currencies ??= new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
  // Anything else cannot be a code of ISO 4217, and throws.
  const name = /^[A-Z]{3}$/.test(symbol) ? currencies.of(symbol) : undefined;
  return name ?? cryptocurrencyNames.get(symbol);
}
