declare const assetSymbol: unique symbol;

/** An asset symbol in its stored form: 2 to 10 of A–Z and 0–9. Only `parseSymbol` makes one. */
export type AssetSymbol = string & { readonly [assetSymbol]: true };

/** A currency pair, as requested or as stored. Its direction is part of it. */
export interface Pair {
  readonly base: AssetSymbol;
  readonly quote: AssetSymbol;
}

/** The name of a pair: EUR/USD. */
export function pairName({ base, quote }: Pair): string {
  return `${base}/${quote}`;
}

/** The pair in the other direction. */
export function inverseOf({ base, quote }: Pair): Pair {
  return { base: quote, quote: base };
}

/**
 * What publishers call currencies, by their codes in ISO 4217. VED was made for the change of
 * October 2021, but VES remains the code of the new bolívar; MXP was withdrawn in 1993.
 */
const OWN_CODES: Readonly<Record<string, string>> = {
  ...{ MXP: "MXN", NTD: "TWD", SDR: "XDR", VED: "VES", ZIG: "ZWG" },
};

/** @returns the code in ISO 4217 for a publisher's own. */
export const isoCodeOf = (code: string) => OWN_CODES[code] ?? code;

const stored = /^[A-Z0-9]{2,10}$/;

// Letters are checked before they are upper-cased, and only ASCII passes the check: JavaScript
// turns "ß" into "SS" and "ſ" into "S", which would make an invalid text a symbol.
const accepted = /^[A-Za-z0-9]{2,10}$/;

/**
 * Trims as `String.prototype.trim` does, including no-break spaces and byte order marks, and
 * upper-cases ASCII letters (specification, section 4: path parameters).
 *
 * @returns the symbol, or `undefined` for a text that is not one.
 */
export function parseSymbol(text: string): AssetSymbol | undefined {
  if (stored.test(text)) return text as AssetSymbol;
  const trimmed = text.trim();
  return accepted.test(trimmed) ? (trimmed.toUpperCase() as AssetSymbol) : undefined;
}

/** @returns the pair of a name such as EUR/USD, or `undefined` for any other text. */
export function parsePairName(name: string): Pair | undefined {
  const [base = "", quote = "", ...others] = name.split("/");
  return others.length === 0 ? parsePair(base, quote) : undefined;
}

/** @returns the pair of two texts, or `undefined` when either is not a symbol. */
export function parsePair(base: string, quote: string): Pair | undefined {
  const baseSymbol = parseSymbol(base);
  const quoteSymbol = parseSymbol(quote);
  if (baseSymbol === undefined || quoteSymbol === undefined) return undefined;
  return { base: baseSymbol, quote: quoteSymbol };
}

/** Compares pairs for a sort: by base, then by quote. */
export function byPair(left: Pair, right: Pair): number {
  if (left.base !== right.base) return left.base < right.base ? -1 : 1;
  return left.quote === right.quote ? 0 : left.quote < right.quote ? -1 : 1;
}
